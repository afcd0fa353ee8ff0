package resources

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/roget-health/roget/resources/index"
)

const (
	// indexMark is the name of the Mark that records the index format of a store:
	// index.Extractor.Format.
	indexMark = "index"

	// reindexBatch is the number of versions that are indexed in one change.
	reindexBatch = 1000
)

// Reindex rebuilds the search index of the store if it was built in another format, or if resources
// were stored before the store could be searched; otherwise it does nothing. progress, if not nil,
// is called with the number of versions done. Until Reindex returns, searches are incomplete. If it
// is interrupted, it starts over the next time.
func (s *Service) Reindex(ctx context.Context, progress func(done int)) error {
	marker, marks := s.store.(Marker)
	reindexer, can := s.store.(Reindexer)
	if s.indexed == nil || !marks || !can {
		return nil
	}
	mark, err := marker.Mark(ctx, indexMark)
	format := s.tools().extractor.Format()
	if err != nil || mark == format {
		return err
	}
	done := 0
	for before := index.Seq(0); ; {
		batch, err := s.reindexBatch(ctx, reindexer, &before)
		if err != nil {
			return fmt.Errorf("rebuild the search index: %w", err)
		}
		if batch == 0 {
			s.tools().searcher.Reset()
			s.known.forget() // verdicts were about the former values
			return marker.SetMark(ctx, indexMark, format)
		}
		if done += batch; progress != nil {
			progress(done)
		}
	}
}

// reindexBatch indexes the newest versions before a Seq, which it moves on, and returns their
// number.
func (s *Service) reindexBatch(ctx context.Context, reindexer Reindexer, before *index.Seq) (int, error) {
	var records []index.Record
	err := s.indexed.View(ctx, func(r index.Reader) error {
		var err error
		records, err = r.Versions(ctx, index.VersionsRequest{Before: *before, Limit: reindexBatch, Parts: index.WithBody})
		return err
	})
	if err != nil || len(records) == 0 {
		return 0, err
	}
	*before = records[len(records)-1].Seq
	indexed := make([]Reindexed, len(records))
	err = parallel(ctx, len(records), func(i int) error {
		indexed[i] = s.reindexed(ctx, &records[i])
		return nil
	})
	if err != nil {
		return 0, err
	}
	// Superseded versions need no entries: no page shows a state that old.
	n := 0
	for i := range indexed {
		if indexed[i].Seq != 0 {
			indexed[n] = indexed[i]
			n++
		}
	}
	return len(records), reindexer.Reindex(ctx, indexed[:n])
}

// reindexed returns the entries and values of a version, with Seq 0 if it needs none.
func (s *Service) reindexed(ctx context.Context, r *index.Record) Reindexed {
	if r.Deleted || r.Until != index.Current {
		return Reindexed{}
	}
	doc, err := parse(r.Body)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "a stored resource cannot be parsed and will not be found by searches",
			slog.String("resource", r.Type+"/"+r.ID), slog.Any("error", err))
		return Reindexed{}
	}
	values, err := s.tools().extractor.Extract(doc)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "a stored resource cannot be indexed and will not be found by searches",
			slog.String("resource", r.Type+"/"+r.ID), slog.Any("error", err))
		return Reindexed{}
	}
	return Reindexed{Seq: r.Seq, Entries: values.Entries(nil), Terms: values.Terms(nil), Values: values.Append(nil)}
}
