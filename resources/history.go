package resources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
)

// historyBatch is the number of versions that are read at once when some of them may be filtered
// out. When they have more bytes than historySmall, small documents are no longer read at once with
// their sizes.
const (
	historyBatch = 64
	historySmall = 128 << 10
)

// History returns versions of a resource, of a type, or of the system, newest first (R4 http,
// history). It returns ErrNotFound for an id that was never stored, ErrNoHistory and ErrBadCursor.
// History of a type or of the system needs an Indexed store; without one it returns ErrNoHistory.
func (s *Service) History(ctx context.Context, r HistoryRequest) (HistoryPage, error) {
	before, err := historyCursor(r.Cursor)
	if err != nil {
		return HistoryPage{}, err
	}
	switch {
	case r.ID != "":
		_, err = s.key(r.Type, r.ID)
	case r.Type != "":
		err = s.checkType(r.Type)
	}
	if err != nil {
		return HistoryPage{}, err
	}
	if s.history == nil && s.indexed == nil {
		return HistoryPage{}, ErrNoHistory
	}
	actions := access.Search
	if r.ID != "" {
		actions = access.Read
	}
	if err := s.coversHistory(ctx, r.Type, actions); err != nil {
		return HistoryPage{}, err
	}
	if s.indexed == nil {
		return s.historyOf(ctx, r, int64(before))
	}
	var page HistoryPage
	var records []index.Record
	err = s.view(ctx, actions, func(reader index.Reader) error {
		if page, records, err = history(ctx, reader, r, before, s.pageBytes); err == nil {
			page.Created, err = created(ctx, reader, records)
		}
		return err
	})
	if err == nil {
		err = s.fill(ctx, records)
	}
	if err != nil {
		return HistoryPage{}, err
	}
	for i := range records {
		page.Versions = append(page.Versions, VersionOf(&records[i]))
	}
	return page, nil
}

// coversHistory is covers for a type, or for any type if it is "".
func (s *Service) coversHistory(ctx context.Context, typ string, actions access.Actions) error {
	if typ != "" || access.GrantOf(ctx) == nil {
		return s.covers(ctx, typ, actions)
	}
	for _, any := range s.Types() {
		if err := s.covers(ctx, any, actions); !errors.Is(err, access.ErrForbidden) || isUndecided(err) {
			return err
		}
	}
	return forbidden("", actions)
}

// history reads a page of versions whose Seq is smaller than before (0: any). The page ends when
// its documents reach maxBytes. The records lack documents that are not small.
func history(ctx context.Context, reader index.Reader, r HistoryRequest, before index.Seq, maxBytes int) (page HistoryPage, records []index.Record, err error) {
	size := 0
	all := index.VersionsRequest{Type: r.Type, ID: r.ID}
	if !r.Since.IsZero() {
		all.Since = index.SeqAt(r.Since.Add(time.Millisecond - 1))
	}
	if r.At != nil {
		all.Before = index.SeqAt(r.At.To.Add(time.Millisecond - 1))
	}
	if r.ID != "" {
		total, err := countVersions(ctx, reader, all, r.At)
		if err != nil {
			return page, nil, err
		}
		page.Total = &total
	}
	if before > 0 && (all.Before == 0 || before < all.Before) {
		all.Before = before
	}
	all.Parts = index.WithSmallBody
	for {
		all.Limit = historyBatch
		if r.Count > 0 {
			all.Limit = min(historyBatch, r.Count+1-len(records))
		}
		batch, err := reader.Versions(ctx, all)
		if err != nil {
			return page, nil, err
		}
		for i := range batch {
			if !currentIn(&batch[i], r.At) {
				continue
			}
			if r.Count > 0 && (len(records) == r.Count || size >= maxBytes) {
				page.Next = strconv.FormatInt(int64(all.Before), 36)
				return page, records, nil
			}
			records = append(records, batch[i])
			all.Before = batch[i].Seq
			size += batch[i].Size
		}
		if len(batch) < all.Limit {
			return page, records, nil
		}
		all.Before = batch[len(batch)-1].Seq
		if size > historySmall {
			all.Parts = index.WithSize
		}
	}
}

// created reports which records created their resource. It reads the versions before those on the page
// that are not on it.
func created(ctx context.Context, reader index.Reader, records []index.Record) ([]bool, error) {
	list := make([]bool, len(records))
	former := map[Key]*index.Record{}
	for i := len(records) - 1; i >= 0; i-- {
		rec := &records[i]
		key := Key{Type: rec.Type, ID: rec.ID}
		before := former[key]
		former[key] = rec
		switch {
		case rec.Deleted:
		case rec.VersionID <= 2: // a deletion is the second version at least
			list[i] = rec.VersionID == 1
		case before != nil && before.VersionID == rec.VersionID-1:
			list[i] = before.Deleted
		default:
			found, err := reader.Versions(ctx, index.VersionsRequest{Type: rec.Type, ID: rec.ID, Before: rec.Seq, Limit: 1})
			if err != nil {
				return nil, err
			}
			list[i] = len(found) > 0 && found[0].Deleted
		}
	}
	return list, nil
}

// countVersions counts the versions of one resource that its history contains.
func countVersions(ctx context.Context, reader index.Reader, all index.VersionsRequest, at *Period) (int, error) {
	every := index.VersionsRequest{Type: all.Type, ID: all.ID}
	records, err := reader.Versions(ctx, every)
	if err != nil {
		return 0, err
	}
	if len(records) == 0 {
		return 0, NotFound(Key{Type: all.Type, ID: all.ID})
	}
	n := 0
	for i := range records {
		seq := records[i].Seq
		if seq >= all.Since && (all.Before == 0 || seq < all.Before) && currentIn(&records[i], at) {
			n++
		}
	}
	return n, nil
}

// currentIn reports whether a version was current at some time within a period. A nil period
// includes all versions.
func currentIn(r *index.Record, p *Period) bool {
	return p == nil || r.Seq < index.SeqAt(p.To.Add(time.Millisecond-1)) && r.Until > index.SeqAt(p.From)
}

// historyCursor parses the cursor of a page. It returns 0 for "".
func historyCursor(text string) (index.Seq, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 36, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%w: %.40q is not a cursor of a history", ErrBadCursor, text)
	}
	return index.Seq(n), nil
}

// historyOf is History of one resource on a store that is not Indexed. The cursor is the version
// that the page ends before.
func (s *Service) historyOf(ctx context.Context, r HistoryRequest, before int64) (HistoryPage, error) {
	if r.ID == "" {
		return HistoryPage{}, ErrNoHistory
	}
	all, err := s.history.History(ctx, Key{Type: r.Type, ID: r.ID})
	if err != nil {
		return HistoryPage{}, err
	}
	made := map[int64]bool{} // the versions that created the resource
	for i := range all {
		made[all[i].VersionID] = !all[i].Deleted && (i+1 == len(all) || all[i+1].Deleted)
	}
	until := time.Time{} // when the version read before this one was stored; zero for the newest
	all = slices.DeleteFunc(all, func(v Version) bool {
		end := until
		until = v.LastUpdated
		return v.LastUpdated.Before(r.Since) ||
			r.At != nil && (!v.LastUpdated.Before(r.At.To) || !end.IsZero() && !end.After(r.At.From))
	})
	page := HistoryPage{Total: new(len(all))}
	if before > 0 {
		all = slices.DeleteFunc(all, func(v Version) bool { return v.VersionID >= before })
	}
	if r.Count > 0 && len(all) > r.Count {
		all = all[:r.Count]
		page.Next = strconv.FormatInt(all[r.Count-1].VersionID, 36)
	}
	page.Versions = all
	for i := range all {
		page.Created = append(page.Created, made[all[i].VersionID])
	}
	return page, nil
}
