package resources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/index"
)

const (
	// indexMark is the name of the Mark that records the index format of a store:
	// index.Extractor.Format, or a pace.
	indexMark = "index"

	// reindexBatch is the number of versions that are indexed in one change, while writers wait.
	reindexBatch = 250

	// purgeMargin is how long before its purge a version is no longer indexed.
	purgeMargin = 5 * time.Minute
)

// A pace is how far an index has been made. It is the mark of a store until the index is whole, so that
// no program takes the index for that of its own format.
type pace struct {
	format string
	before index.Seq
	typ    string // whose versions from before on are done, "-" for none
	done   []string
}

func (p *pace) String() string {
	return fmt.Sprint(p.format, " ", int64(p.before), " ", p.typ, " ", strings.Join(p.done, " "))
}

// paceOf returns the pace in a mark. It begins at the beginning if the mark is of another format.
func paceOf(mark, format string) *pace {
	if f := strings.Fields(mark); len(f) > 2 && f[0] == format {
		if before, err := strconv.ParseInt(f[1], 10, 64); err == nil {
			return &pace{format, index.Seq(before), f[2], f[3:]}
		}
	}
	return &pace{format: format, typ: "-"}
}

// newerIndex returns ErrNewerIndex for a mark of a later layout.
func newerIndex(mark, format string) error {
	layout := func(text string) int {
		number, _, _ := strings.Cut(text, "-")
		n, _ := strconv.Atoi(number) // 0 for a store without an index
		return n
	}
	if has, can := layout(mark), layout(format); has > can {
		return fmt.Errorf("%w (index layout %d, this version supports %d)", ErrNewerIndex, has, can)
	}
	return nil
}

// OpenIndex finds out which types have a search index of another format, because another version of the
// program wrote the store, or because they were stored before the store could be searched. What needs
// their index returns ErrIndexing until Reindex is done. writes means that the store will be written.
// ErrNewerIndex is returned for the store of a later version. If another version makes its index later, the
// store returns ErrUpgraded.
func (s *Service) OpenIndex(ctx context.Context, writes bool) error {
	marker, marks := s.store.(Marker)
	if _, can := s.store.(Reindexer); s.indexed == nil || !marks || !can {
		return nil
	}
	s.fence(func(string) bool { return true })
	mark, err := marker.Mark(ctx, indexMark)
	format := s.tools().extractor.Format()
	if err == nil && mark == format {
		s.fence(func(now string) bool { return now == format })
	}
	if err != nil || mark == format {
		return err
	}
	if err := newerIndex(mark, format); err != nil {
		return err
	}
	p := paceOf(mark, format)
	stale := &staleIndex{types: map[string]bool{}, owners: s.owners(), idle: !writes}
	err = s.indexed.View(ctx, func(r index.Reader) error {
		for _, typ := range s.Types() {
			found, err := r.Versions(ctx, index.VersionsRequest{Type: typ, Limit: 1})
			if err != nil {
				return err
			}
			if len(found) > 0 && !slices.Contains(p.done, typ) {
				stale.types[typ] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	next := p.String()
	if stale.all = len(stale.types); stale.all == 0 {
		next = format
	} else {
		s.stale.Store(stale)
	}
	if !writes {
		return nil
	}
	if next != mark {
		switch now, err := marker.SwapMark(ctx, indexMark, mark, next); {
		case errors.Is(err, ErrReadOnly):
		case err != nil:
			return err
		case now != next: // another process was faster
			return s.OpenIndex(ctx, writes)
		default:
			mark = format
		}
	}
	s.fence(func(now string) bool {
		return now == format || now == mark || s.stale.Load() != nil && strings.HasPrefix(now, format+" ")
	})
	return nil
}

// fence lets the store refuse transactions while the mark of its index is not accepted.
func (s *Service) fence(accepts func(mark string) bool) {
	if fenced, can := s.store.(Fenced); can {
		fenced.Fence(func(mark string) error {
			if accepts(mark) {
				return nil
			}
			return fmt.Errorf("%w (it has the search index %.20s)", ErrUpgraded, mark)
		})
	}
}

// Reindex makes the search index of what OpenIndex finds anew, while the service is in use; otherwise it
// does nothing. progress, if not nil, is called after each change with the number of versions done, and may
// wait. If Reindex is interrupted, it continues the next time. Several processes share the work: each
// continues where the mark says, and sets it when that is done.
func (s *Service) Reindex(ctx context.Context, progress func(done int)) error {
	if s.stale.Load() == nil {
		if err := s.OpenIndex(ctx, true); err != nil || s.stale.Load() == nil {
			return err
		}
	}
	if err := s.remake(ctx, progress); err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	s.tools().searcher.Reset()
	s.known.forget() // verdicts were about the former values
	s.stale.Store(nil)
	s.warm(ctx)
	return nil
}

func (s *Service) remake(ctx context.Context, progress func(done int)) error {
	marker, format := s.store.(Marker), s.tools().extractor.Format()
	order, err := s.bySize(ctx)
	if err != nil {
		return err
	}
	for done := 0; ; {
		mark, err := marker.Mark(ctx, indexMark)
		if err != nil || mark == format {
			return err
		}
		if err := newerIndex(mark, format); err != nil {
			return err
		}
		p := paceOf(mark, format)
		s.progress(p.done, 0)
		i := slices.IndexFunc(order, func(typ string) bool { return !slices.Contains(p.done, typ) })
		if i < 0 {
			if _, err := marker.SwapMark(ctx, indexMark, mark, format); err != nil {
				return err
			}
			continue
		}
		if !slices.Contains(order, p.typ) || slices.Contains(p.done, p.typ) {
			p.typ, p.before = order[i], 0
		}
		versions, indexed, err := s.reindexBatch(ctx, p.typ, &p.before)
		if err != nil {
			return err
		}
		if versions < reindexBatch {
			p.done, p.typ, p.before = append(p.done, p.typ), "-", 0
		}
		// Another process may be farther, even done: then this one goes on from there.
		if _, err := marker.SwapMark(ctx, indexMark, mark, p.String()); err != nil {
			return err
		}
		s.progress(p.done, indexed)
		if done += versions; progress != nil && versions > 0 {
			progress(done)
		}
	}
}

// bySize returns the stale types, those with few resources first.
func (s *Service) bySize(ctx context.Context) (types []string, err error) {
	stale := *s.stale.Load()
	stale.resources = stale.done
	sizes := map[string]int{}
	err = s.indexed.View(ctx, func(r index.Reader) error {
		counter, can := r.(index.Counter)
		for typ := range stale.types {
			if can {
				if sizes[typ], err = counter.Count(ctx, typ); err != nil {
					return err
				}
			}
			stale.resources += sizes[typ]
			types = append(types, typ)
		}
		return nil
	})
	sort.Slice(types, func(i, j int) bool {
		a, b := types[i], types[j]
		return sizes[a] < sizes[b] || sizes[a] == sizes[b] && a < b
	})
	s.stale.Store(&stale)
	return types, err
}

// reindexBatch indexes the newest versions of a type before a Seq, which it moves on. It returns how many
// it has read, and how many current ones it has indexed.
func (s *Service) reindexBatch(ctx context.Context, typ string, before *index.Seq) (versions, current int, err error) {
	var records []index.Record
	err = s.indexed.View(ctx, func(r index.Reader) error {
		records, err = r.Versions(ctx, index.VersionsRequest{Type: typ, Before: *before, Limit: reindexBatch, Parts: index.WithBody})
		return err
	})
	if err != nil || len(records) == 0 {
		return 0, 0, err
	}
	*before = records[len(records)-1].Seq
	indexed := make([]Reindexed, len(records))
	err = parallel(ctx, len(records), func(i int) error {
		indexed[i] = s.reindexed(ctx, &records[i])
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	n := 0
	for i := range indexed {
		if indexed[i].Seq != 0 {
			indexed[n] = indexed[i]
			n++
		}
		if records[i].Until == index.Current {
			current++
		}
	}
	return len(records), current, s.store.(Reindexer).Reindex(ctx, indexed[:n])
}

// reindexed returns the entries and values of a version, with Seq 0 if it needs none: no page shows a state
// that is older than the last purge.
func (s *Service) reindexed(ctx context.Context, r *index.Record) Reindexed {
	if r.Deleted || r.Until < index.SeqAt(time.Now().Add(purgeMargin-purgeAge)) {
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
