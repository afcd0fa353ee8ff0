package resources

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/roget-health/roget/resources/index"
)

const (
	// indexMark names the Mark that tells how a store was indexed: index.Extractor.Format.
	indexMark = "index"

	// reindexBatch is how many versions are indexed as one change.
	reindexBatch = 1000
)

// Reindex brings what the store keeps for searches to the present format: of all resources
// when that has changed since the store was last indexed, or when they were stored before it
// could be searched; else it does nothing. progress, when not nil, is told how many versions
// are done. Until it has ended, searches do not find everything. It may be interrupted, and
// begins anew then.
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
			return fmt.Errorf("index the store anew: %w", err)
		}
		if batch == 0 {
			return marker.SetMark(ctx, indexMark, format)
		}
		if done += batch; progress != nil {
			progress(done)
		}
	}
}

// reindexBatch indexes the newest versions before one, which it moves on, and gives how many
// there were.
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
	// Versions that were superseded are found by nobody: no page is as old as they are.
	n := 0
	for i := range indexed {
		if indexed[i].Seq != 0 {
			indexed[n] = indexed[i]
			n++
		}
	}
	return len(records), reindexer.Reindex(ctx, indexed[:n])
}

// reindexed returns what the store keeps of a version; with Seq 0 when it keeps nothing.
func (s *Service) reindexed(ctx context.Context, r *index.Record) Reindexed {
	if r.Deleted || r.Until != index.Current {
		return Reindexed{}
	}
	doc, err := parse(r.Body)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "stored resource cannot be read, and is not found by searches",
			slog.String("resource", r.Type+"/"+r.ID), slog.Any("error", err))
		return Reindexed{}
	}
	values, err := s.tools().extractor.Extract(doc)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "stored resource cannot be indexed, and is not found by searches",
			slog.String("resource", r.Type+"/"+r.ID), slog.Any("error", err))
		return Reindexed{}
	}
	return Reindexed{Seq: r.Seq, Entries: values.Entries(nil), Terms: values.Terms(nil), Values: values.Append(nil)}
}
