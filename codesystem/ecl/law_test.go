package ecl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/contexttest"
	"pgregory.net/rapid"
)

// textGenerator writes random expressions about a world.
type textGenerator struct {
	t *rapid.T
	w *world
}

func (g textGenerator) number(lo, hi int) int      { return rapid.IntRange(lo, hi).Draw(g.t, "n") }
func (g textGenerator) chance(one int) bool        { return g.number(1, one) == 1 }
func (g textGenerator) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.t, "pick") }

func (g textGenerator) code() string {
	if g.chance(60) {
		return "999999"
	}
	return g.w.concepts[g.number(0, len(g.w.concepts)-1)].code
}

func (g textGenerator) expression(depth int) string {
	switch g.number(0, 9) {
	case 0:
		return g.sub(depth-1) + " " + g.pick("AND", "OR", "MINUS") + " " + g.sub(depth-1)
	case 1:
		op := g.pick(" AND ", " OR ")
		return g.sub(depth-1) + op + g.sub(depth-1) + op + g.sub(depth-1)
	case 2, 3, 4, 5:
		return g.sub(depth-1) + " : " + g.refinement(depth-1)
	case 6:
		s := g.sub(depth - 1)
		for range g.number(1, 2) {
			s += " . " + g.name(depth-1)
		}
		return s
	}
	return g.sub(depth)
}

func (g textGenerator) sub(depth int) string {
	var b strings.Builder
	if g.chance(2) {
		b.WriteString(g.pick("<", "<<", "<!", "<<!", ">", ">>", ">!", ">>!", "!!>", "!!<"))
	}
	member := g.chance(6)
	switch {
	case member:
		b.WriteString("^ " + g.pick("", "", "", "[targetComponentId] ", "[referencedComponentId] ", "[mapTarget]", "[other]"))
		b.WriteString(g.pick("*", "900000000000527005", "100005", "900000000000526001", "(100005 OR 900000000000527005)", g.code()))
		for g.chance(3) {
			b.WriteString(" {{ M " + g.list(g.memberFilter, depth) + " }}")
		}
	case depth > 0 && g.chance(3):
		b.WriteString("(" + g.expression(depth-1) + ")")
	case g.chance(4):
		b.WriteString("*")
	default:
		b.WriteString(g.code())
	}
	for g.chance(6) {
		b.WriteString(" {{ C " + g.list(g.conceptFilter, depth) + " }}")
	}
	for g.chance(6) {
		b.WriteString(" {{ D " + g.list(g.descriptionFilter, depth) + " }}")
	}
	if g.chance(8) {
		b.WriteString(" {{ + HISTORY" + g.pick("", "-MIN", "-MOD", "-MAX", "(*)", "(900000000000526001)", "(100005)", "("+g.sub(0)+")") + " }}")
	}
	return b.String()
}

func (g textGenerator) list(one func(depth int) string, depth int) string {
	s := one(depth)
	for g.chance(4) {
		s += ", " + one(depth)
	}
	return s
}

func (g textGenerator) equality() string   { return g.pick("=", "=", "!=") }
func (g textGenerator) comparison() string { return g.pick("=", "!=", "<", "<=", ">", ">=") }

func (g textGenerator) times() string {
	time := func() string { return `"` + g.pick("20200101", "20210131", "20210601", "") + `"` }
	if g.chance(3) {
		return "(" + time() + " " + time() + ")"
	}
	return time()
}

func (g textGenerator) common(depth int) string {
	switch g.number(0, 2) {
	case 0:
		return "moduleId " + g.equality() + " " + g.pick("900001", "900002", "(900001 900002)", "*", g.sub(0))
	case 1:
		return "effectiveTime " + g.comparison() + " " + g.times()
	}
	return "active " + g.equality() + " " + g.pick("1", "0", "true", "*")
}

func (g textGenerator) conceptFilter(depth int) string {
	if g.chance(3) {
		return "definitionStatus " + g.equality() + " " + g.pick("primitive", "defined", "(primitive defined)")
	}
	return g.common(depth)
}

func (g textGenerator) terms() string {
	one := func() string {
		return g.pick(`"hea"`, `"att hea"`, `"card"`, `"J45"`, `"heart site"`, `match:"j45"`, `wild:"*art*"`, `wild:"J45*"`, `wild:"heart"`, `"zzz"`, `wild:"*a*t*"`)
	}
	if g.chance(3) {
		return "(" + one() + " " + one() + ")"
	}
	return one()
}

func (g textGenerator) descriptionFilter(depth int) string {
	accept := func() string { return g.pick("", "", " (prefer)", " (accept)", " (accept prefer)") }
	switch g.number(0, 6) {
	case 0, 1:
		return "term " + g.equality() + " " + g.terms()
	case 2:
		return "language " + g.equality() + " " + g.pick("en", "sv", "(en sv)", "de")
	case 3:
		return "type " + g.equality() + " " + g.pick("syn", "fsn", "def", "(syn fsn)")
	case 4:
		if g.chance(2) {
			return "dialect " + g.equality() + " " + g.pick("en-us"+accept(), "(en-us"+accept()+" en-gb"+accept()+")"+accept(), "xx-yy")
		}
		return "dialectId " + g.equality() + " " + g.pick("900000000000509007"+accept(), "(900000000000509007"+accept()+" 900000000000508004"+accept()+")"+accept())
	case 5:
		return "id " + g.equality() + " " + g.pick("1000010", "(1000031 1000051)")
	}
	return g.common(depth)
}

func (g textGenerator) memberFilter(depth int) string {
	switch g.number(0, 5) {
	case 5:
		return "mapGroup " + g.equality() + " " + g.pick("true", "false")
	case 0:
		return "targetComponentId " + g.equality() + " " + g.sub(0)
	case 1:
		return "mapGroup " + g.comparison() + " #" + g.pick("0", "1", "2")
	case 2:
		return "mapTarget " + g.equality() + " " + g.terms()
	case 3:
		return "referencedComponentId " + g.equality() + " " + g.sub(0)
	}
	return g.common(depth)
}

func (g textGenerator) refinement(depth int) string {
	part := func() string {
		switch {
		case g.chance(3):
			return g.count() + "{ " + g.attributes(depth) + " }"
		case depth > 0 && g.chance(6):
			return "(" + g.refinement(depth-1) + ")"
		}
		return g.attribute(depth)
	}
	s, op := part(), g.pick(", ", " OR ")
	for g.chance(3) {
		s += op + part()
	}
	return s
}

func (g textGenerator) attributes(depth int) string {
	s, op := g.attribute(depth), g.pick(", ", " OR ")
	for g.chance(2) {
		if depth > 0 && g.chance(6) {
			s += op + "(" + g.attributes(depth-1) + ")"
			continue
		}
		s += op + g.attribute(depth)
	}
	return s
}

func (g textGenerator) count() string {
	if !g.chance(3) {
		return ""
	}
	least := g.number(0, 2)
	if g.chance(3) {
		return "[" + strconv.Itoa(least) + "..*] "
	}
	return "[" + strconv.Itoa(least) + ".." + strconv.Itoa(least+g.number(0, 2)) + "] "
}

func (g textGenerator) name(depth int) string {
	return g.pick("100001", "100002", "100003", "100003", "100004", "*", "(100001 OR 100002)", "116680003", "<< 100001", g.sub(0))
}

func (g textGenerator) attribute(depth int) string {
	if g.chance(6) {
		return g.count() + "R " + g.name(depth) + " " + g.equality() + " " + g.sub(depth-1)
	}
	s := g.count() + g.name(depth) + " "
	switch g.number(0, 7) {
	case 0:
		return s + g.comparison() + " #" + g.pick("0", "1", "-1", "1.5")
	case 1:
		return s + g.equality() + " " + g.terms()
	case 2:
		return s + g.equality() + " " + g.pick("true", "false")
	case 3:
		return s + g.equality() + " *"
	}
	return s + g.equality() + " " + g.sub(depth-1)
}

// TestEvaluation compares plans with the naive evaluation, as sets and for each concept.
func TestEvaluation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		x := w.index(t)
		for range 12 {
			text := textGenerator{t, w}.expression(3)
			e, err := Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			n := &naive{w: w}
			var want []string
			for c := range n.eval(e.root) {
				want = append(want, c.code)
			}
			slices.Sort(want)
			plan, err := Compile(x, e)
			if err != nil {
				// What is wrong is found even where evaluation would not get there.
				if n.err == nil && sentinelOf(err) == nil {
					t.Fatalf("%s: %v", text, err)
				}
				continue
			}
			if n.err != nil {
				t.Fatalf("%s: no error, want %v", text, n.err)
			}
			set, err := plan.Set(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			var got []string
			for _, o := range set.ToArray() {
				got = append(got, x.Code(o))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s:\n got %v\nwant %v", text, got, want)
			}
			fresh, err := Compile(x, e)
			if err != nil {
				t.Fatal(err)
			}
			for o := range uint32(x.Len()) {
				in, err := fresh.Contains(context.Background(), o)
				if err != nil || in != set.Contains(o) {
					t.Fatalf("%s: contains %s: %v %v", text, x.Code(o), in, err)
				}
			}
			stopped := contexttest.After(context.Background(), rapid.IntRange(0, 20).Draw(t, "looks"))
			if _, err := Evaluate(stopped, x, e); stopped.Seen() != errors.Is(err, context.Canceled) {
				t.Fatalf("%s, stopped: %v", text, err)
			}
			if fresh, err = Compile(x, e); err != nil {
				t.Fatal(err)
			}
			stopped = contexttest.After(context.Background(), rapid.IntRange(0, 9).Draw(t, "looks"))
			if _, err := fresh.Contains(stopped, uint32(rapid.IntRange(0, x.Len()-1).Draw(t, "concept"))); stopped.Seen() != errors.Is(err, context.Canceled) {
				t.Fatalf("%s, stopped for a concept: %v", text, err)
			}
			again, err := Parse(e.String())
			if err != nil || again.String() != e.String() {
				t.Fatalf("%s: %s: %v %v", text, e, again, err)
			}
		}
	})
}

// TestManyConcepts compares attributes of more concepts than are tested one by one with the naive
// evaluation.
func TestManyConcepts(t *testing.T) {
	w := fuzzWorld()
	for i := range 2 * fewConcepts {
		c := &worldConcept{code: strconv.Itoa(200000 + i), parents: w.concepts[:1]}
		for j := range i % 4 {
			c.rels = append(c.rels, worldRel{"100001", "Code", strconv.Itoa(100003 + j), j % 2})
		}
		c.rels = append(c.rels, c.rels...) // repeated within a group, they count once
		w.concepts = append(w.concepts, c)
	}
	x := w.index(t)
	for _, count := range []string{"", "[0..0]", "[0..1]", "[0..*]", "[1..1]", "[1..*]", "[2..3]"} {
		for _, text := range []string{"* : %s 100001 = *", "* : %s R 100001 = *", "* : %s 100001 = 100004", "* : %s { 100001 = * }", "* : { %s 100001 = * }", "(<< 100003) : %s 100001 = *"} {
			text = fmt.Sprintf(text, count)
			e, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			want := (&naive{w: w}).eval(e.root)
			got, err := Evaluate(context.Background(), x, e)
			if err != nil || int(got.GetCardinality()) != len(want) {
				t.Errorf("%s: %d concepts, %v, want %d", text, got.GetCardinality(), err, len(want))
				continue
			}
			for c := range want {
				if o, _ := x.Find(c.code); !got.Contains(o) {
					t.Errorf("%s: %s is missing", text, c.code)
				}
			}
		}
	}
}
