package resources

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// everythingBatch is the number of versions that are loaded at once.
const everythingBatch = 500

// Everything returns a page of a resource and its compartment. It returns ErrNotFound, ErrGone,
// ErrUnknownType for a type without a compartment, ErrBadCursor, ErrNotSearchable, and
// search.ErrParameter for Start, End and Types.
func (s *Service) Everything(ctx context.Context, r EverythingRequest) (EverythingPage, error) {
	key, err := s.key(r.Type, r.ID)
	if err != nil {
		return EverythingPage{}, err
	}
	c := s.tools().tables.Compartment(r.Type)
	if c == nil {
		return EverythingPage{}, fmt.Errorf("%w: %s has no compartment", ErrUnknownType, r.Type)
	}
	if err := s.covers(ctx, r.Type, access.Read); err != nil {
		return EverythingPage{}, err
	}
	e := everything{s: s, request: r, key: key, compartment: c}
	if err := e.read(); err != nil {
		return EverythingPage{}, err
	}
	var page EverythingPage
	err = s.view(ctx, access.Read, func(reader index.Reader) error {
		page, err = e.page(ctx, reader)
		return err
	})
	if err == nil {
		err = s.fill(ctx, e.found)
	}
	for i := range e.found {
		page.Versions = append(page.Versions, VersionOf(&e.found[i]))
	}
	return page, err
}

// everything is the state of one request.
type everything struct {
	s           *Service
	request     EverythingRequest
	key         Key
	compartment *definitions.Compartment

	care  index.Span[int64] // requested range of care dates
	since index.Seq
	at    index.Seq // the state that all pages show, 0 for the present
	after index.Seq // the last version of the previous page, 0 for the first page

	found []index.Record // on the page
}

// read parses the parameters of the request.
func (e *everything) read() error {
	e.care = index.Span[int64]{Low: index.Earliest, High: index.Latest}
	for _, bound := range [...]struct {
		name, text string
		set        func(index.Span[int64])
	}{
		{"start", e.request.Start, func(s index.Span[int64]) { e.care.Low = s.Low }},
		{"end", e.request.End, func(s index.Span[int64]) { e.care.High = s.High }},
	} {
		if bound.text == "" {
			continue
		}
		span, err := index.ParseDate(bound.text)
		if err != nil {
			return &search.Error{Param: search.Param{Name: bound.name, Value: bound.text}, Text: "expected a date such as 2024-02-29"}
		}
		bound.set(span)
	}
	for _, typ := range e.request.Types {
		if err := e.s.checkType(typ); err != nil {
			return &search.Error{Param: search.Param{Name: "_type", Value: typ}, Text: err.Error(), Unknown: true}
		}
	}
	if !e.request.Since.IsZero() {
		e.since = index.SeqAt(e.request.Since.Add(time.Millisecond - 1))
	}
	return e.resume()
}

// resume parses the cursor: the state of the store and the start of the page.
func (e *everything) resume() error {
	if e.request.Cursor == "" {
		return nil
	}
	at, after, found := strings.Cut(e.request.Cursor, ".")
	a, err := strconv.ParseInt(at, 36, 64)
	b, err2 := strconv.ParseInt(after, 36, 64)
	if !found || err != nil || err2 != nil || a <= 0 || b <= 0 {
		return fmt.Errorf("%w: %.40q", ErrBadCursor, e.request.Cursor)
	}
	e.at, e.after = index.Seq(a), index.Seq(b)
	return nil
}

// page finds all members and weighs those of the requested page.
func (e *everything) page(ctx context.Context, r index.Reader) (EverythingPage, error) {
	if e.at == 0 || e.at > r.At() {
		e.at = r.At()
	}
	self, err := e.self(ctx, r)
	if err != nil {
		return EverythingPage{}, err
	}
	seqs, err := e.members(ctx, r)
	if err != nil {
		return EverythingPage{}, err
	}
	seqs = slices.DeleteFunc(seqs, func(s index.Seq) bool { return s == self })
	slices.SortFunc(seqs, func(a, b index.Seq) int { return cmp.Compare(b, a) }) // newest first
	if self != 0 {
		seqs = slices.Insert(seqs, 0, self)
	}
	page := EverythingPage{Total: len(seqs)}
	if e.after != 0 {
		i := slices.Index(seqs, e.after)
		if i < 0 {
			return page, fmt.Errorf("%w: the store no longer has the state of this page; request the first page again", ErrBadCursor)
		}
		seqs = seqs[i+1:]
	}
	if n := e.request.Count; n > 0 && len(seqs) > n {
		seqs = seqs[:n]
		page.Next = e.cursor(seqs[n-1])
	}
	maxBytes := math.MaxInt
	if e.request.Count > 0 {
		maxBytes = e.s.pageBytes
	}
	e.found, _, err = index.Weigh(ctx, r, seqs, maxBytes)
	if n := len(e.found); err == nil && n < len(seqs) {
		page.Next = e.cursor(seqs[n-1])
	}
	return page, err
}

// cursor returns the cursor of the page that begins after a version.
func (e *everything) cursor(last index.Seq) string {
	return strconv.FormatInt(int64(e.at), 36) + "." + strconv.FormatInt(int64(last), 36)
}

// self returns the version of the resource that owns the compartment, 0 if the request filters it
// out.
func (e *everything) self(ctx context.Context, r index.Reader) (index.Seq, error) {
	found, err := search.FindAt(ctx, r, e.at, []Key{e.key}, index.WithValues)
	if err != nil {
		return 0, err
	}
	rec := &found[0]
	if rec.VersionID == 0 && e.after != 0 {
		return 0, fmt.Errorf("%w: %s does not exist in the state of this page", ErrBadCursor, e.key)
	}
	if rec.VersionID == 0 { // deleted, or never stored
		if _, err := find(ctx, r, e.key); err != nil {
			return 0, err
		}
		return 0, NotFound(e.key)
	}
	if !e.wanted(rec) {
		return 0, nil
	}
	return rec.Seq, nil
}

// wanted applies _type and _since.
func (e *everything) wanted(rec *index.Record) bool {
	return rec.Seq >= e.since && (len(e.request.Types) == 0 || slices.Contains(e.request.Types, rec.Type))
}

// A membership is a parameter that makes resources of a type members of the compartment.
type membership struct {
	typ    string
	number uint32
}

// members returns the versions of the members, unordered.
func (e *everything) members(ctx context.Context, r index.Reader) ([]index.Seq, error) {
	candidates := map[index.Seq]bool{}
	asked, ranges := e.ranges()
	err := index.ScanMany(ctx, r, ranges, 0, func(_ int, _ []byte, seq index.Seq) bool {
		if seq <= e.at && seq >= e.since {
			candidates[seq] = true
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	all := make([]index.Seq, 0, len(candidates))
	for seq := range candidates {
		all = append(all, seq)
	}
	slices.Sort(all)
	var members []index.Seq
	for batch := range slices.Chunk(all, everythingBatch) {
		records, err := r.Load(ctx, batch, index.WithValues)
		if err != nil {
			return nil, err
		}
		for i := range records {
			if rec := &records[i]; rec.VisibleAt(e.at) && e.wanted(rec) && e.belongs(rec, asked) {
				members = append(members, rec.Seq)
			}
			records[i].Forget(ctx)
		}
	}
	return members, nil
}

// ranges returns the index ranges that lead to members.
func (e *everything) ranges() (asked []membership, ranges []index.Range) {
	t := e.s.tools()
	for _, typ := range e.compartment.Types() {
		if len(e.request.Types) > 0 && !slices.Contains(e.request.Types, typ) || len(e.request.Types) == 0 && e.s.AppendOnly(typ) {
			continue
		}
		for _, code := range e.compartment.Params(typ) {
			p := t.tables.SearchParam(typ, code)
			if p == nil {
				continue
			}
			asked = append(asked, membership{typ, p.Number})
			ranges = append(ranges, t.extractor.Field(p).Reference(e.key)...)
		}
	}
	return asked, ranges
}

// belongs decides by the values of a version whether it is a member with a requested date of care.
func (e *everything) belongs(rec *index.Record, asked []membership) bool {
	values := index.NewView(rec.Values)
	return e.refers(rec, values, asked) && e.inCare(rec, values)
}

func (e *everything) refers(rec *index.Record, values index.View, asked []membership) bool {
	for _, m := range asked {
		if m.typ != rec.Type {
			continue
		}
		for v := range values.Param(m.number) {
			if v.Kind == index.Reference && v.KeyAt(e.request.Bases) == e.key {
				return true
			}
		}
	}
	return false
}

// careDates are the codes of the parameters that hold the date of care, in order of preference.
var careDates = [...]string{
	"date", "onset-date", "onset", "effective-time", "effective", "occurrence", "started", "whenhandedover",
	"start-date", "collected", "identified", "sent", "received", "authoredon", "authored-on", "authored",
	"recorded-date", "created", "datetime", "datewritten", "recorded", "entered-date", "period",
}

// inCare reports whether the date of care of a resource is within the requested range. Resources
// without a date count as within.
func (e *everything) inCare(rec *index.Record, values index.View) bool {
	if e.request.Start == "" && e.request.End == "" {
		return true
	}
	for _, code := range careDates {
		p := e.s.tools().tables.SearchParam(rec.Type, code)
		if p == nil || p.Kind != definitions.Date {
			continue
		}
		dated := false
		for v := range values.Param(p.Number) {
			if v.Time.Low < e.care.High && e.care.Low < v.Time.High {
				return true
			}
			dated = true
		}
		if dated {
			return false
		}
	}
	return true
}
