package search

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// usesBatch is the number of records that are loaded at once.
const usesBatch = 512

// Uses returns the codes of a system for which asked is true and that current resources have as values
// of token parameters, with up to first of these resources each. It looks up the tokens in use, and
// reads nothing but the resources with codes that it returns.
func (s *Searcher) Uses(ctx context.Context, r index.Reader, system string, asked func(code string) bool, first int) ([]r4.CodeUse, error) {
	run := s.newRun(r, &Query{}, r.At())
	c := &counting{system: system, asked: asked, first: first, of: map[string]*r4.CodeUse{}, verdicts: map[string]bool{}}
	for _, typ := range s.tables.Resources() {
		if err := c.count(ctx, run, typ); err != nil {
			return nil, err
		}
	}
	list := make([]r4.CodeUse, 0, len(c.of))
	for _, use := range c.of {
		list = append(list, *use)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Code < list[j].Code })
	return list, nil
}

// counting counts the resources that have codes.
type counting struct {
	system   string
	asked    func(code string) bool
	first    int
	of       map[string]*r4.CodeUse
	verdicts map[string]bool // of asked, by code
}

// takes reports whether a code is counted.
func (c *counting) takes(code string) bool {
	takes, known := c.verdicts[code]
	if !known {
		takes = c.asked(code)
		c.verdicts[code] = takes
	}
	return takes
}

// count counts the resources of a type.
func (c *counting) count(ctx context.Context, run *run, typ string) error {
	some := false
	err := run.scan(ctx, index.TypeRange(typ), func([]byte, index.Seq) bool { some = true; return false })
	if err != nil || !some {
		return err
	}
	var numbers []uint32
	var seqs []index.Seq
	for _, p := range run.searcher.tables.SearchParams(typ) {
		if p.Kind != definitions.Token || ofRecord(p) || !mayBeCode(p) {
			continue
		}
		field, v := run.field(p), run.searcher.used.get(p.Number)
		if err := v.refresh(ctx, run, field); err != nil {
			return err
		}
		ranges := v.of(c.system, c.takes, field)
		if len(ranges) == 0 {
			continue
		}
		numbers = append(numbers, p.Number)
		err := index.ScanMany(ctx, run.reader, ranges, 0, func(_ int, _ []byte, seq index.Seq) bool {
			seqs = append(seqs, seq)
			return true
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(seqs)
	for batch := range slices.Chunk(slices.Compact(seqs), usesBatch) {
		records, err := run.load(ctx, batch, index.WithValues)
		if err != nil {
			return err
		}
		for i := range records {
			if rec := &records[i]; rec.Type == typ && rec.VisibleAt(run.at) {
				c.add(rec, numbers)
			}
		}
	}
	return nil
}

// add counts the codes of a resource, each once.
func (c *counting) add(rec *index.Record, numbers []uint32) {
	var codes []string
	view := index.NewView(rec.Values)
	for _, number := range numbers {
		for value := range view.Param(number) {
			if value.Kind == index.Token && value.System == c.system && !slices.Contains(codes, value.Code) && c.takes(value.Code) {
				codes = append(codes, value.Code)
			}
		}
	}
	for _, code := range codes {
		use := c.of[code]
		if use == nil {
			use = &r4.CodeUse{Code: code, Types: map[string]int{}}
			c.of[code] = use
		}
		use.Add(rec.Type, rec.ID, c.first)
	}
}

// mayBeCode reports whether a token parameter may have codes: whether it is not about identifiers or
// telephone numbers and addresses, of which there may be as many as resources.
func mayBeCode(p *definitions.SearchParam) bool {
	return !strings.Contains(p.Expression, "dentifier") && !strings.Contains(p.Expression, "telecom")
}

// of returns the ranges of the tokens in use that are asked for.
func (v *vocabulary) of(system string, asked func(code string) bool, field index.Field) (ranges []index.Range) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	number, known := v.knownSystem(system)
	for i := range v.terms {
		if known && v.terms[i].system == number && asked(v.terms[i].code) {
			ranges = append(ranges, field.Token(system, v.terms[i].code)...)
		}
	}
	return ranges
}
