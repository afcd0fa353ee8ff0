package codesystem

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// reference answers filters from the concepts themselves.
type reference struct {
	shape     shape
	above     []map[int]bool
	concepts  []Concept
	sensitive bool
	loinc     bool // LOINC compares displays of Codings too, and texts by the case rule
	meaning   string
}

// filtered draws a system with hierarchy and properties.
func filtered() *rapid.Generator[*reference] {
	return rapid.Custom(func(t *rapid.T) *reference {
		r := &reference{
			shape:     shapes().Draw(t, "hierarchy"),
			sensitive: rapid.Bool().Draw(t, "case-sensitive"),
			loinc:     rapid.Bool().Draw(t, "LOINC"),
			meaning:   rapid.SampledFrom([]string{"", "is-a", "part-of"}).Draw(t, "meaning"),
		}
		r.above = r.shape.ancestors()
		values := rapid.SampledFrom(filterValues)
		for i, parents := range r.shape.parents {
			c := Concept{Code: r.shape.code(i), Parent: -1}
			if rapid.Bool().Draw(t, "texts") {
				c.Display, c.Definition = fmt.Sprint("D", i%3), strings.Repeat("x", i%2)
			}
			for _, p := range parents {
				c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(r.shape.code(p))})
			}
			for range rapid.IntRange(0, 4).Draw(t, "properties") {
				c.Properties = append(c.Properties, values.Draw(t, "property"))
			}
			r.concepts = append(r.concepts, c)
		}
		return r
	})
}

var filterValues = []Property{
	{Code: "inactive", Value: r4.Boolean(true)},
	{Code: "inactive", Value: r4.Boolean(false)},
	{Code: "deprecated", Value: r4.Boolean(true)},
	{Code: "notSelectable", Value: r4.Boolean(true)},
	{Code: "status", Value: r4.Code("retired")},
	{Code: "status", Value: r4.Code("active")},
	{Code: "n", Value: r4.Value{Type: "Decimal", Text: "1.50"}},
	{Code: "n", Value: r4.Value{Type: "Decimal", Text: "15e-1"}},
	{Code: "n", Value: r4.Value{Type: "Integer", Text: "2"}},
	{Code: "n", Value: r4.String("1.5")},
	{Code: "p", Value: r4.Code("a")},
	{Code: "p", Value: r4.Code("A")},
	{Code: "p", Value: r4.String("A")},
	{Code: "p", Value: r4.Code("b")},
	{Code: "q", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: "s", Code: "c1"}}},
	{Code: "q", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: "s|2", Code: "c2", Display: "x"}}},
	{Code: "q", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{Code: "c1"}}},
	{Code: "parent", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: "elsewhere", Code: "c1"}}},
	{Code: "d", Value: r4.Value{Type: "DateTime", Text: "2020-01"}},
}

func (r *reference) index(t rapid.TB) *Index {
	h := header("http://example.org/filtered")
	if r.loinc {
		h.URL = urlLOINC
	}
	h.HierarchyMeaning = r.meaning
	h.CaseSensitive = new(r.sensitive)
	h.Property = []r4.CodeSystemProperty{{Code: "declared", Type: "string"}}
	b := NewBuilder(h)
	for i := range r.concepts {
		if _, err := b.Add(&r.concepts[i]); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, b, nil)
}

func (r *reference) same(a, b string) bool {
	return a == b || !r.sensitive && strings.EqualFold(a, b)
}

func (r *reference) find(code string) int {
	return slices.IndexFunc(r.concepts, func(c Concept) bool { return r.same(c.Code, code) })
}

// values returns the values of a property of a concept: Code for what compares by the
// case rule, String for what compares exactly.
func (r *reference) values(i int, property string) (values []r4.Value) {
	c := &r.concepts[i]
	stated := func(name string) (v []r4.Value) {
		for _, p := range c.Properties {
			if p.Code == name && (name != "parent" || p.Value.Type != "Code") {
				v = append(v, p.Value)
			}
		}
		return v
	}
	flag := func(name string) bool {
		return slices.ContainsFunc(stated(name), func(v r4.Value) bool { return v.Text == "true" })
	}
	inactive := flag("inactive") || slices.ContainsFunc(stated("status"), func(v r4.Value) bool { return v.Text == "retired" })
	switch property {
	case "code", "concept":
		return []r4.Value{r4.Code(c.Code)}
	case "display":
		if c.Display != "" {
			return []r4.Value{r4.String(c.Display)}
		}
		return nil
	case "definition":
		if c.Definition != "" {
			return []r4.Value{r4.String(c.Definition)}
		}
		return nil
	case "parent":
		values = stated(property)
		for _, p := range r.shape.parents[i] {
			values = append(values, r4.Code(r.concepts[p].Code))
		}
		return values
	case "child":
		for j, parents := range r.shape.parents {
			if slices.Contains(parents, i) {
				values = append(values, r4.Code(r.concepts[j].Code))
			}
		}
		return values
	case "inactive":
		return []r4.Value{r4.Boolean(inactive)}
	case "abstract":
		return stated("notSelectable")
	case "deprecated":
		return []r4.Value{r4.Boolean(flag("deprecated"))}
	case "status":
		if values = stated(property); len(values) > 0 {
			return values
		}
		for _, p := range c.Properties {
			if (p.Code == "inactive" || p.Code == "deprecated") && p.Value.Text == "true" {
				return []r4.Value{r4.String(p.Code)}
			}
		}
	}
	return stated(property)
}

func (r *reference) used(property string) bool {
	for i := range r.concepts {
		for _, p := range r.concepts[i].Properties {
			if p.Code == property {
				return true
			}
		}
	}
	return false
}

func (r *reference) equal(v r4.Value, want string) bool {
	switch v.Type {
	case "Coding":
		return v.Coding.Code == want || v.Coding.System+"|"+v.Coding.Code == want ||
			r.loinc && (r.same(v.Coding.Code, want) || r.same(v.Coding.Display, want))
	case "String":
		return v.Text == want || r.loinc && r.same(v.Text, want)
	case "Code":
		return r.same(v.Text, want)
	case "Integer", "Decimal":
		a, _ := new(big.Rat).SetString(v.Text)
		b, ok := new(big.Rat).SetString(want)
		return ok && a.Cmp(b) == 0
	}
	return v.Text == want
}

// matches answers a filter for one concept; f is known to be a good one.
func (r *reference) matches(i int, f r4.Filter) bool {
	at := r.find(f.Value)
	children := false
	for _, parents := range r.shape.parents {
		children = children || slices.Contains(parents, i)
	}
	values := r.values(i, f.Property)
	anyOf := func(test func(v r4.Value) bool) bool { return slices.ContainsFunc(values, test) }
	in := func() bool {
		return anyOf(func(v r4.Value) bool {
			return slices.ContainsFunc(strings.Split(f.Value, ","), func(s string) bool { return r.equal(v, strings.TrimSpace(s)) })
		})
	}
	switch f.Op {
	case "is-a":
		return i == at || r.above[i][at]
	case "descendent-of":
		return r.above[i][at]
	case "is-not-a":
		return i != at && !r.above[i][at]
	case "generalizes":
		return i == at || r.above[at][i]
	case "child-of":
		return slices.Contains(r.shape.parents[i], at)
	case "descendent-leaf":
		return r.above[i][at] && !children
	case "=":
		return anyOf(func(v r4.Value) bool { return r.equal(v, f.Value) })
	case "in":
		return in()
	case "not-in":
		return !in()
	case "exists":
		if r.used(f.Property) && (f.Property == "inactive" || f.Property == "deprecated") {
			values = nil
			for _, p := range r.concepts[i].Properties {
				if p.Code == f.Property {
					values = append(values, p.Value)
				}
			}
		}
		return (len(values) > 0) == (f.Value == "true")
	}
	flags := ""
	if !r.sensitive && (r.loinc || f.Property == "code" || f.Property == "concept" || f.Property == "parent" || f.Property == "child") {
		flags = "(?i)"
	}
	re := regexp.MustCompile(flags + "^(?:" + f.Value + ")$")
	return anyOf(func(v r4.Value) bool {
		if v.Coding != nil {
			return re.MatchString(v.Coding.Code) || r.loinc && v.Coding.Display != "" && re.MatchString(v.Coding.Display)
		}
		return re.MatchString(v.Text)
	})
}

func (r *reference) filter() *rapid.Generator[r4.Filter] {
	return rapid.Custom(func(t *rapid.T) r4.Filter {
		f := r4.Filter{
			Property: rapid.SampledFrom([]string{
				"code", "concept", "display", "definition", "parent", "child", "inactive", "deprecated", "abstract", "notSelectable", "status",
				"n", "p", "q", "d", "declared", "unheard",
			}).Draw(t, "property"),
			Op: rapid.SampledFrom(FilterOperators()).Draw(t, "op"),
		}
		code := rapid.SampledFrom([]string{"c0", "c1", "C1", "c2", "c3", "c30", "none"})
		value := rapid.SampledFrom([]string{
			"a", "A", "b", "1.5", "1.50", "2", "2.0", "s|c1", "s|2|c2", "|c1", "c1", "D1", "d1", "x", "X", "true", "false", "active", "retired", "inactive", "Inactive", "deprecated", "2020-01", "c2",
		})
		switch f.Op {
		case "exists":
			f.Value = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "value")
		case "in", "not-in":
			f.Value = strings.Join(rapid.SliceOfN(rapid.OneOf(value, code), 1, 4).Draw(t, "values"), rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma"))
		case "regex":
			f.Value = rapid.SampledFrom([]string{"c.*", "[aA]", "C1|c2", ".", "1.*", "true|x", "a|b", "(?i)D1", "ret.*", ".*"}).Draw(t, "value")
		case "=":
			f.Value = rapid.OneOf(value, code).Draw(t, "value")
		default:
			f.Value = code.Draw(t, "value")
		}
		return f
	})
}

// wants returns the error that a filter must meet, nil for a good one.
func (r *reference) wants(f r4.Filter) error {
	hierarchical := slices.Contains([]string{"is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf"}, f.Op)
	boolean := f.Property == "inactive" || f.Property == "deprecated"
	switch known := []string{"code", "concept", "display", "definition", "parent", "child", "status", "declared", "abstract", "notSelectable"}; {
	case !boolean && !slices.Contains(known, f.Property) && !r.used(f.Property):
		return ErrUnknownProperty
	case hierarchical && f.Property != "code" && f.Property != "concept" && f.Property != "parent":
		return ErrUnknownOperator
	case hierarchical && r.meaning == "part-of" && f.Op != "child-of":
		return ErrNotSubsumptive
	case hierarchical && r.find(f.Value) < 0:
		return ErrUnknownCode
	case boolean && slices.Contains([]string{"=", "in", "not-in"}, f.Op):
		for s := range strings.SplitSeq(f.Value, ",") {
			if s = strings.TrimSpace(s); s != "true" && s != "false" {
				return ErrBadFilterValue
			}
		}
	}
	return nil
}

// Every filter selects what the definition says, as a set and concept by concept.
func TestFilterParity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := filtered().Draw(t, "system")
		x := r.index(t)
		for range 20 {
			f := r.filter().Draw(t, "filter")
			checkFilter(t, r, x, f)
		}
		for _, coding := range []string{"s|c1", "s|2|c2", "|c1"} {
			checkFilter(t, r, x, r4.Filter{Property: "q", Op: "=", Value: coding})
		}
	})
}

func checkFilter(t rapid.TB, r *reference, x *Index, f r4.Filter) {
	t.Helper()
	ctx := context.Background()
	got, err := x.Filter(ctx, f)
	if want := r.wants(f); !errors.Is(err, want) || want == nil && err != nil {
		t.Fatalf("%v: %v, want %v", f, err, want)
	}
	if err != nil {
		if _, again := x.MatchFilter(ctx, f, 0); again == nil || again.Error() != err.Error() {
			t.Fatalf("%v: MatchFilter gives %v, Filter %v", f, again, err)
		}
		return
	}
	want := roaring.New()
	for i := range r.concepts {
		o, _ := x.Find(r.concepts[i].Code)
		member := r.matches(i, f)
		if member {
			want.Add(o)
		}
		if found, err := x.MatchFilter(ctx, f, o); err != nil || found != member {
			t.Fatalf("%v of %s: %v, %v, want %v", f, x.Code(o), found, err, member)
		}
	}
	if !got.Equals(want) {
		t.Fatalf("%v: %v, want %v", f, got, want)
	}
	if !x.All().Equals(roaring.Or(x.All(), got)) || x.InactiveSet().GetCardinality() > uint64(x.Len()) {
		t.Fatalf("%v: concepts that are not there", f)
	}
}

func TestFilterErrors(t *testing.T) {
	x := sample(t, nil)
	partOf := sample(t, func(h *r4.CodeSystem) { h.HierarchyMeaning = "part-of" })
	for _, test := range []struct {
		x      *Index
		filter r4.Filter
		want   error
		text   string
	}{
		{x, r4.Filter{Property: "colour", Op: "=", Value: "x"}, ErrUnknownProperty, `filter: unknown property "colour"`},
		{x, r4.Filter{Property: "food", Op: "like", Value: "x"}, ErrUnknownOperator, `filter food like: unsupported filter operator "like"`},
		{x, r4.Filter{Property: "food", Op: "is-a", Value: "bird"}, ErrUnknownOperator, `filter food is-a: unsupported filter operator on this property`},
		{x, r4.Filter{Property: "concept", Op: "is-a", Value: "dragon"}, ErrUnknownCode, `filter concept is-a "dragon": unknown code`},
		{partOf, r4.Filter{Property: "concept", Op: "is-a", Value: "bird"}, ErrNotSubsumptive, `filter concept is-a "bird": hierarchy is not one of subsumption`},
		{x, r4.Filter{Property: "food", Op: "=", Value: ""}, ErrBadFilterValue, `filter food = "": bad filter value: no value`},
		{x, r4.Filter{Property: "food", Op: "in", Value: " , "}, ErrBadFilterValue, `filter food in " , ": bad filter value: an empty list`},
		{x, r4.Filter{Property: "food", Op: "exists", Value: "yes"}, ErrBadFilterValue, `filter food exists "yes": bad filter value: want true or false`},
		{x, r4.Filter{Property: "inactive", Op: "=", Value: "1"}, ErrBadFilterValue, `filter inactive = "1": bad filter value: want true or false`},
		{x, r4.Filter{Property: "code", Op: "regex", Value: "("}, ErrBadFilterValue, "filter code regex \"(\": bad filter value: error parsing regexp: missing closing ): `(`"},
		{x, r4.Filter{Property: "code", Op: "regex", Value: "a)|(b"}, ErrBadFilterValue, "filter code regex \"a)|(b\": bad filter value: error parsing regexp: unexpected ): `a)|(b`"},
		{x, r4.Filter{Property: "code", Op: "regex", Value: "((a{100}){10}){10}b{1000}"}, ErrBadFilterValue, ""},
		{x, r4.Filter{Property: "code", Op: "regex", Value: strings.Repeat("x", 3000)}, ErrBadFilterValue, ""},
	} {
		_, err := test.x.Filter(context.Background(), test.filter)
		if !errors.Is(err, test.want) || test.text != "" && err.Error() != test.text {
			t.Errorf("%v: %v\nwant %s", test.filter, err, test.text)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Filter(cancelled, r4.Filter{Property: "display", Op: "=", Value: "Bird"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Exactly the filters that filtersOf lists are supported.
func TestFiltersAreAnswered(t *testing.T) {
	partOf := sample(t, func(h *r4.CodeSystem) { h.HierarchyMeaning = "part-of" })
	for _, x := range []*Index{sample(t, nil), partOf, flat(t, []Concept{{Code: "bird", Parent: -1}})} {
		for _, promised := range filtersOf(x) {
			for _, op := range FilterOperators() {
				value := "bird"
				if op == "exists" || slices.Contains([]string{"inactive", "deprecated", "abstract", "notSelectable"}, promised.Code) {
					value = "true"
				}
				_, err := x.Filter(context.Background(), r4.Filter{Property: promised.Code, Op: op, Value: value})
				if slices.Contains(promised.Operator, op) != (err == nil) && x.Hierarchical() {
					t.Errorf("%s %s: promised %v, %v", promised.Code, op, promised.Operator, err)
				}
			}
		}
	}
	want := []string{"concept", "code", "display", "definition", "inactive", "deprecated", "notSelectable", "abstract", "status", "parent", "child", "ancestor", "descendant", "food", "weight"}
	if diff := cmp.Diff(want, filterNames(sample(t, nil))); diff != "" {
		t.Error(diff)
	}
}

// Filters over many holders use lists and bitmaps; all agree with a scan.
func TestFilterLarge(t *testing.T) {
	b := NewBuilder(header("http://example.org/large"))
	const n = 6_000
	for i := range n {
		c := Concept{Code: fmt.Sprint(i), Parent: -1, Properties: []Property{
			{Code: "half", Value: r4.Boolean(i%2 == 0)}, {Code: "mod", Value: r4.Value{Type: "Integer", Text: fmt.Sprint(i % 80)}}, {Code: "own", Value: r4.String(fmt.Sprint("v", i))},
		}}
		if i%300 < 64 {
			c.Properties = append(c.Properties, Property{Code: "list", Value: r4.Code(fmt.Sprint("l", i%300/16, "-", i/300))}, Property{Code: "list", Value: r4.Code("all")})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	for _, f := range []r4.Filter{
		{Property: "half", Op: "=", Value: "true"},
		{Property: "half", Op: "in", Value: "true,false"},
		{Property: "half", Op: "not-in", Value: "true"},
		{Property: "mod", Op: "in", Value: "1,2,3.0,79"},
		{Property: "mod", Op: "regex", Value: "1.*"},
		{Property: "own", Op: "regex", Value: "v1.*7"},
		{Property: "own", Op: "=", Value: "v77"},
		{Property: "own", Op: "exists", Value: "true"},
		{Property: "list", Op: "exists", Value: "false"},
		{Property: "list", Op: "=", Value: "l0-3"},
		{Property: "list", Op: "in", Value: "l0-3, l1-4,all"},
		{Property: "code", Op: "regex", Value: ".*99"},
		{Property: "list", Op: "regex", Value: "l[12]-.*"},
	} {
		c, err := x.CompileFilter(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Set(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for o := range uint32(n) {
			if got.Contains(o) != c.Contains(o) {
				t.Fatalf("%v of %s: set %v, alone %v", f, x.Code(o), got.Contains(o), c.Contains(o))
			}
		}
		if got.IsEmpty() {
			t.Errorf("%v: empty", f)
		}
	}
}

func FuzzFilter(f *testing.F) {
	x := sample(f, nil)
	folded := sample(f, insensitive)
	for _, op := range FilterOperators() {
		for _, value := range []string{"bird", "true", "krill,fish", ".*", "12.5", "("} {
			for _, property := range []string{"concept", "food", "weight", "inactive", "parent"} {
				f.Add(property, op, value)
			}
		}
	}
	f.Fuzz(func(t *testing.T, property, op, value string) {
		filter := r4.Filter{Property: property, Op: op, Value: value}
		for _, x := range []*Index{x, folded} {
			set, err := x.Filter(context.Background(), filter)
			if err != nil {
				if !slices.ContainsFunc([]error{ErrUnknownProperty, ErrUnknownOperator, ErrBadFilterValue, ErrUnknownCode, ErrNotSubsumptive},
					func(want error) bool { return errors.Is(err, want) }) {
					t.Errorf("%v: %v", filter, err)
				}
				continue
			}
			for o := range uint32(x.Len()) {
				if one, err := x.MatchFilter(context.Background(), filter, o); err != nil || one != set.Contains(o) {
					t.Errorf("%v of %s: %v, %v; set says %v", filter, x.Code(o), one, err, set.Contains(o))
				}
			}
		}
	})
}

func ExampleIndex_Filter() {
	b := NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/birds"}})
	for _, c := range []Concept{
		{Code: "bird", Parent: -1},
		{Code: "penguin", Parent: 0, Properties: []Property{{Code: "food", Value: r4.Code("fish")}}},
		{Code: "emu", Parent: 0, Properties: []Property{{Code: "food", Value: r4.Code("seeds")}}},
	} {
		if _, err := b.Add(&c); err != nil {
			fmt.Println(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range []r4.Filter{
		{Property: "concept", Op: "is-a", Value: "bird"},
		{Property: "food", Op: "in", Value: "fish,krill"},
		{Property: "food", Op: "exists", Value: "false"},
	} {
		set, err := x.Filter(context.Background(), f)
		fmt.Println(f.Property, f.Op, f.Value, set, err)
	}
	// Output:
	// concept is-a bird {0,1,2} <nil>
	// food in fish,krill {1} <nil>
	// food exists false {0} <nil>
}
