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
const everythingBatch = 200

// maxOwners bounds the owners whose compartments are read for one page.
const maxOwners = 1000

// Everything returns a page of a resource, its compartment, and what these refer to. Without an id it
// returns that of all resources of the type, one after the other. It returns ErrNotFound, ErrGone,
// ErrUnknownType for a type without a compartment, ErrBadCursor, ErrNotSearchable, and
// search.ErrParameter for Start, End and Types.
//
// References are those in documents of up to index.SmallBody bytes, and of larger ones those that search
// parameters cover. Those of resources that can be members of the
// compartment are followed for members only: not those of another patient that a member refers to.
func (s *Service) Everything(ctx context.Context, r EverythingRequest) (EverythingPage, error) {
	actions := access.Read
	err := s.checkType(r.Type)
	if r.ID != "" {
		_, err = s.key(r.Type, r.ID)
	} else {
		actions = access.Search
	}
	if err != nil {
		return EverythingPage{}, err
	}
	c := s.tools().tables.Compartment(r.Type)
	if c == nil {
		return EverythingPage{}, fmt.Errorf("%w: %s has no compartment", ErrUnknownType, r.Type)
	}
	if err := s.covers(ctx, r.Type, actions); err != nil {
		return EverythingPage{}, err
	}
	e := everything{s: s, request: r, compartment: c}
	if err := e.read(); err != nil {
		return EverythingPage{}, err
	}
	var page EverythingPage
	err = s.view(ctx, actions, func(reader index.Reader) error {
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
	key         Key // of the owner whose compartment is read
	compartment *definitions.Compartment

	care  index.Span[int64] // requested range of care dates
	since index.Seq
	at    index.Seq // the state that all pages show, 0 for the present
	after index.Seq // the last version of the previous page, 0 for the first page
	owner index.Seq // of many, the one with that version

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

// resume parses the cursor: the state of the store, the start of the page, and of many owners the one
// it begins with.
func (e *everything) resume() error {
	if e.request.Cursor == "" {
		return nil
	}
	parts := strings.Split(e.request.Cursor, ".")
	fields := []*index.Seq{&e.at, &e.after, &e.owner}
	if e.request.ID != "" {
		fields = fields[:2]
	}
	if len(parts) != len(fields) {
		return fmt.Errorf("%w: %.40q", ErrBadCursor, e.request.Cursor)
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 36, 64)
		if err != nil || n <= 0 {
			return fmt.Errorf("%w: %.40q", ErrBadCursor, e.request.Cursor)
		}
		*fields[i] = index.Seq(n)
	}
	return nil
}

// page finds what belongs to the owner, or to one owner after the other, and weighs what is on the
// requested page.
func (e *everything) page(ctx context.Context, r index.Reader) (EverythingPage, error) {
	if e.at == 0 || e.at > r.At() {
		e.at = r.At()
	}
	if e.request.ID == "" {
		return e.pageOfMany(ctx, r)
	}
	e.key = Key{Type: e.request.Type, ID: e.request.ID}
	seqs, err := e.list(ctx, r)
	page := EverythingPage{Total: new(len(seqs))}
	if err == nil {
		seqs, err = e.rest(seqs)
	}
	if err != nil {
		return page, err
	}
	n, err := e.weigh(ctx, r, seqs)
	if n > 0 && n < len(seqs) {
		page.Next = e.cursor(seqs[n-1])
	}
	return page, err
}

// pageOfMany is page for all resources of the type, newest first. What several have in common is on a
// page once.
func (e *everything) pageOfMany(ctx context.Context, r index.Reader) (page EverythingPage, err error) {
	all := index.VersionsRequest{Type: e.request.Type, Before: e.at + 1, Limit: 1, Parts: index.WithSize}
	if e.owner != 0 {
		all.Before = e.owner + 1
	}
	var seqs, owners []index.Seq // on the page; the owner of each
	listed := map[index.Seq]bool{}
	more := true
	for n := 0; more; n++ {
		found, err := r.Versions(ctx, all)
		if err != nil {
			return page, err
		}
		if more = len(found) > 0; !more {
			break
		}
		owner := &found[0]
		all.Before = owner.Seq
		if !owner.VisibleAt(e.at) {
			continue
		}
		e.key = Key{Type: owner.Type, ID: owner.ID}
		list, err := e.list(ctx, r)
		if err == nil && owner.Seq == e.owner {
			list, err = e.rest(list)
		}
		if err != nil {
			return page, err
		}
		for _, seq := range list {
			if !listed[seq] {
				listed[seq] = true
				seqs, owners = append(seqs, seq), append(owners, owner.Seq)
			}
		}
		if len(seqs) > 0 && (e.request.Count > 0 && len(seqs) > e.request.Count || n >= maxOwners) {
			break
		}
	}
	n, err := e.weigh(ctx, r, seqs)
	if n > 0 && (more || n < len(seqs)) {
		page.Next = e.cursor(seqs[n-1]) + "." + strconv.FormatInt(int64(owners[n-1]), 36)
	}
	return page, err
}

// list returns the versions of an owner, its members and what they refer to: the owner, then the others,
// newest first.
func (e *everything) list(ctx context.Context, r index.Reader) ([]index.Seq, error) {
	self, err := e.self(ctx, r)
	if err != nil {
		return nil, err
	}
	seqs, err := e.related(ctx, r, &self)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(seqs, func(a, b index.Seq) int { return cmp.Compare(b, a) })
	if e.wanted(&self) {
		seqs = slices.Insert(seqs, 0, self.Seq)
	}
	return seqs, nil
}

// rest returns what follows the last version of the previous page.
func (e *everything) rest(seqs []index.Seq) ([]index.Seq, error) {
	if e.after == 0 {
		return seqs, nil
	}
	i := slices.Index(seqs, e.after)
	if i < 0 {
		return nil, fmt.Errorf("%w: the store no longer has the state of this page; request the first page again", ErrBadCursor)
	}
	return seqs[i+1:], nil
}

// weigh sets found to as many versions as fit on the page, and returns their number.
func (e *everything) weigh(ctx context.Context, r index.Reader, seqs []index.Seq) (n int, err error) {
	maxBytes := math.MaxInt
	if e.request.Count > 0 {
		maxBytes, seqs = e.s.pageBytes, seqs[:min(len(seqs), e.request.Count)]
	}
	e.found, _, err = index.Weigh(ctx, r, seqs, maxBytes)
	return len(e.found), err
}

// cursor returns the cursor of the page that begins after a version.
func (e *everything) cursor(last index.Seq) string {
	return strconv.FormatInt(int64(e.at), 36) + "." + strconv.FormatInt(int64(last), 36)
}

// self returns the version of the resource that owns the compartment.
func (e *everything) self(ctx context.Context, r index.Reader) (index.Record, error) {
	found, err := search.FindAt(ctx, r, e.at, []Key{e.key}, index.WithValues|index.WithSmallBody)
	switch {
	case err != nil:
		return index.Record{}, err
	case found[0].VersionID > 0:
		return found[0], nil
	case e.after != 0:
		return index.Record{}, fmt.Errorf("%w: %s does not exist in the state of this page", ErrBadCursor, e.key)
	}
	if _, err := find(ctx, r, e.key); err != nil { // deleted, or never stored
		return index.Record{}, err
	}
	return index.Record{}, NotFound(e.key)
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

// related returns the versions of the members, and of what they and the owner refer to, unordered.
func (e *everything) related(ctx context.Context, r index.Reader, self *index.Record) ([]index.Seq, error) {
	candidates := map[index.Seq]bool{}
	asked, ranges := e.ranges()
	err := index.ScanMany(ctx, r, ranges, 0, func(_ int, _ []byte, seq index.Seq) bool {
		if seq <= e.at {
			candidates[seq] = true
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	delete(candidates, self.Seq)
	all := make([]index.Seq, 0, len(candidates))
	for seq := range candidates {
		all = append(all, seq)
	}
	slices.Sort(all)
	var list []index.Seq
	seen := map[Key]bool{e.key: true}
	var referred []Key // not yet looked up
	add := func(rec *index.Record, follow bool) {
		seen[Key{Type: rec.Type, ID: rec.ID}] = true
		if e.wanted(rec) && rec.Seq != self.Seq {
			list = append(list, rec.Seq)
		}
		if follow {
			referred = e.references(referred, rec)
		}
		rec.Forget(ctx)
	}
	add(self, true)
	for batch := range slices.Chunk(all, everythingBatch) {
		records, err := r.Load(ctx, batch, index.WithValues|index.WithSmallBody)
		if err != nil {
			return nil, err
		}
		for i := range records {
			if rec := &records[i]; rec.VisibleAt(e.at) && e.belongs(rec, asked) {
				add(rec, true)
			} else {
				rec.Forget(ctx)
			}
		}
	}
	for len(referred) > 0 {
		var keys []Key
		for len(referred) > 0 && len(keys) < everythingBatch {
			key := referred[len(referred)-1]
			if referred = referred[:len(referred)-1]; !seen[key] && e.s.checkType(key.Type) == nil {
				seen[key] = true
				keys = append(keys, key)
			}
		}
		records, err := search.FindAt(ctx, r, e.at, keys, index.WithValues|index.WithSmallBody)
		if err != nil {
			return nil, err
		}
		for i := range records {
			if rec := &records[i]; rec.VersionID > 0 && e.included(rec.Type) {
				add(rec, rec.Type != e.key.Type && len(e.compartment.Params(rec.Type)) == 0)
			}
		}
	}
	return list, nil
}

// references appends the resources that a version refers to: those that its document names if it is
// small, and else those in its values.
func (e *everything) references(keys []Key, rec *index.Record) []Key {
	tables := e.s.tools().tables
	if doc, err := parse(rec.Body); err == nil {
		links(tables, doc, func(text string, kind linkKind) bool {
			if key := index.LocalKey(text, e.request.Bases); kind == linkReference && ValidID(key.ID) {
				keys = append(keys, key)
			}
			return false
		})
		return keys
	}
	values := index.NewView(rec.Values)
	for _, p := range tables.SearchParams(rec.Type) {
		if p.Kind != definitions.Reference {
			continue
		}
		for v := range values.Param(p.Number) {
			if key := v.KeyAt(e.request.Bases); v.Kind == index.Reference && key.ID != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// included reports whether a type is not append-only, or asked for.
func (e *everything) included(typ string) bool {
	return !e.s.AppendOnly(typ) || slices.Contains(e.request.Types, typ)
}

// ranges returns the index ranges that lead to members.
func (e *everything) ranges() (asked []membership, ranges []index.Range) {
	t := e.s.tools()
	for _, typ := range e.compartment.Types() {
		if !e.included(typ) {
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
