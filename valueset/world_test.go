package valueset

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// concept is a concept of a test system, in source order.
type concept struct {
	code, display string
	parents       []string
	color         string
	inactive      bool
	abstract      bool
}

// system is a code system as plain data, with its index.
type system struct {
	url, version, content string
	insensitive           bool
	concepts              []concept
	index                 *codesystem.Index
}

func (s *system) key(code string) string {
	if s.insensitive {
		return strings.ToLower(code)
	}
	return code
}

func (s *system) find(code string) *concept {
	for i := range s.concepts {
		if s.key(s.concepts[i].code) == s.key(code) {
			return &s.concepts[i]
		}
	}
	return nil
}

// ancestors returns the proper ancestors of a code.
func (s *system) ancestors(code string) map[string]bool {
	out := map[string]bool{}
	var up func(code string)
	up = func(code string) {
		for _, p := range s.find(code).parents {
			if !out[p] {
				out[p] = true
				up(p)
			}
		}
	}
	up(s.find(code).code)
	return out
}

func (s *system) children(code string) []string {
	var out []string
	for i := range s.concepts {
		if slices.Contains(s.concepts[i].parents, code) {
			out = append(out, s.concepts[i].code)
		}
	}
	return out
}

func (s *system) build(t testing.TB) *system {
	t.Helper()
	sensitive := !s.insensitive
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header: r4.Header{ResourceType: "CodeSystem", URL: s.url, Version: s.version}, CaseSensitive: &sensitive, Content: s.content,
		Property: []r4.CodeSystemProperty{
			{Code: "parent", Type: "code"},
			{Code: "color", Type: "string"},
			{Code: "inactive", Type: "boolean"},
			{Code: "abstract", Type: "boolean"},
		},
	})
	for _, c := range s.concepts {
		one := codesystem.Concept{Code: c.code, Display: c.display, Parent: -1}
		for _, p := range c.parents {
			one.Properties = append(one.Properties, codesystem.Property{Code: "parent", Value: r4.Code(p)})
		}
		if c.color != "" {
			one.Properties = append(one.Properties, codesystem.Property{Code: "color", Value: r4.String(c.color)})
		}
		if c.inactive {
			one.Properties = append(one.Properties, codesystem.Property{Code: "inactive", Value: r4.Boolean(true)})
		}
		if c.abstract {
			one.Properties = append(one.Properties, codesystem.Property{Code: "abstract", Value: r4.Boolean(true)})
		}
		if _, err := b.Add(&one); err != nil {
			t.Fatalf("add %s: %v", c.code, err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatalf("build %s: %v", s.url, err)
	}
	s.index = x
	return s
}

// world is a Source of plain data. The first version of a system is the default one.
type world struct {
	systems   []*system
	valueSets []*r4.ValueSet
}

func (w *world) CodeSystem(_ context.Context, url, version string) (*codesystem.Index, error) {
	s, err := w.system(url, version)
	if err != nil {
		return nil, err
	}
	return s.index, nil
}

func (w *world) system(url, version string) (*system, error) {
	known := false
	for _, s := range w.systems {
		if s.url == url {
			known = true
			if version == "" || version == s.version {
				return s, nil
			}
		}
	}
	if known {
		return nil, fmt.Errorf("%w: %s|%s", ErrUnknownVersion, url, version)
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownSystem, url)
}

func (w *world) ValueSetDefinition(_ context.Context, canonical string) (*r4.ValueSet, error) {
	for _, vs := range w.valueSets {
		if canonical == vs.URL || canonical == canonicalOf(&vs.Header) {
			return vs, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownValueSet, canonical)
}

func (w *world) ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	vs, err := w.ValueSetDefinition(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return Compile(ctx, w, vs, visiting)
}

func valueSet(url string, compose r4.Compose) *r4.ValueSet {
	return &r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: url}, Compose: &compose}
}

func refs(codes ...string) []r4.ConceptReference {
	var out []r4.ConceptReference
	for _, c := range codes {
		out = append(out, r4.ConceptReference{Code: c})
	}
	return out
}

// codesOf lists a whole set as system|version#code, without the version if there is none.
func codesOf(t testing.TB, s *Set, r PageRequest) []string {
	t.Helper()
	out := []string{}
	total, err := s.Page(context.Background(), r, func(e *Entry) error {
		out = append(out, nameOfEntry(e))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Count < 0 && r.Offset == 0 && total != len(out) {
		t.Fatalf("total %d, %d listed", total, len(out))
	}
	return out
}

func nameOfEntry(e *Entry) string {
	if e.Version != "" {
		return e.System + "|" + e.Version + "#" + e.Code
	}
	return e.System + "#" + e.Code
}

// zoo is a small system for readable tests.
func zoo(t testing.TB) *system {
	return (&system{
		url: "http://zoo", version: "1", concepts: []concept{
			{code: "animal", display: "Animal", abstract: true},
			{code: "mammal", display: "Mammal", parents: []string{"animal"}},
			{code: "cat", display: "Cat", parents: []string{"mammal"}, color: "black"},
			{code: "dog", display: "Dog", parents: []string{"mammal"}, color: "brown"},
			{code: "bird", display: "Bird", parents: []string{"animal"}},
			{code: "dodo", display: "Dodo", parents: []string{"bird"}, color: "grey", inactive: true},
			{code: "bat", display: "Bat", parents: []string{"mammal", "flier"}, color: "black"},
			{code: "flier", display: "Flying thing"},
		},
	}).build(t)
}

// drawSystem draws a random system: an acyclic hierarchy in random source order.
func drawSystem(t *rapid.T, tb testing.TB, url, version string) *system {
	s := &system{url: url, version: version, insensitive: rapid.Bool().Draw(t, "insensitive")}
	s.content = rapid.SampledFrom([]string{"complete", "", "fragment"}).Draw(t, "content")
	n := rapid.IntRange(1, 14).Draw(t, "concepts")
	words := []string{"Red apple", "green Apple", "pear", "Élan", "apple tart", "tartan", ""}
	for i := range n {
		c := concept{code: "C" + strconv.Itoa(i), display: rapid.SampledFrom(words).Draw(t, "display")}
		c.color = rapid.SampledFrom([]string{"", "red", "green", "blue"}).Draw(t, "color")
		c.inactive = rapid.IntRange(0, 3).Draw(t, "inactive") == 0
		c.abstract = rapid.IntRange(0, 5).Draw(t, "abstract") == 0
		for range rapid.IntRange(0, 3).Draw(t, "parents") {
			if i == 0 {
				break
			}
			p := "C" + strconv.Itoa(rapid.IntRange(0, i-1).Draw(t, "parent"))
			if !slices.Contains(c.parents, p) {
				c.parents = append(c.parents, p)
			}
		}
		s.concepts = append(s.concepts, c)
	}
	if rapid.Bool().Draw(t, "shuffle") {
		s.concepts = rapid.Permutation(s.concepts).Draw(t, "order")
	}
	return s.build(tb)
}

// drawWorld draws systems (one in two versions, one that is never loaded) and value sets that
// import earlier ones.
func drawWorld(t *rapid.T, tb testing.TB) *world {
	w := &world{systems: []*system{
		drawSystem(t, tb, "http://a", "2"), drawSystem(t, tb, "http://a", "1"), drawSystem(t, tb, "http://b", ""),
	}}
	for i := range rapid.IntRange(0, 3).Draw(t, "imports") {
		vs := valueSet("http://vs/"+strconv.Itoa(i), drawCompose(t, i))
		vs.Version = rapid.SampledFrom([]string{"", "7"}).Draw(t, "version")
		w.valueSets = append(w.valueSets, vs)
	}
	return w
}

func drawCompose(t *rapid.T, imports int) r4.Compose {
	var c r4.Compose
	if rapid.IntRange(0, 11).Draw(t, "whole systems") == 0 {
		for range rapid.IntRange(1, 3).Draw(t, "systems") {
			c.Include = append(c.Include, r4.Include{System: rapid.SampledFrom([]string{"http://a", "http://b"}).Draw(t, "system")})
		}
		return c
	}
	for range rapid.IntRange(1, 4).Draw(t, "includes") {
		c.Include = append(c.Include, drawInclude(t, imports))
	}
	for range rapid.IntRange(0, 2).Draw(t, "excludes") {
		c.Exclude = append(c.Exclude, drawInclude(t, imports))
	}
	if rapid.IntRange(0, 3).Draw(t, "versionsMatch") == 0 {
		c.Extension = r4.Extensions{VersionsMatch(rapid.Bool().Draw(t, "match"))}
	}
	if rapid.IntRange(0, 3).Draw(t, "inactive") == 0 {
		no := rapid.Bool().Draw(t, "value")
		c.Inactive = &no
	}
	return c
}

func drawCode(t *rapid.T) string {
	return rapid.SampledFrom([]string{"C", "C", "C", "c"}).Draw(t, "case") + strconv.Itoa(rapid.IntRange(0, 15).Draw(t, "code"))
}

func drawInclude(t *rapid.T, imports int) (inc r4.Include) {
	for range rapid.IntRange(0, min(imports, 2)).Draw(t, "valueSets") {
		inc.ValueSet = append(inc.ValueSet, "http://vs/"+strconv.Itoa(rapid.IntRange(0, imports-1).Draw(t, "import")))
	}
	if len(inc.ValueSet) > 0 && rapid.Bool().Draw(t, "importOnly") {
		return inc
	}
	inc.System = rapid.SampledFrom([]string{"http://a", "http://a", "http://b", "http://missing"}).Draw(t, "system")
	if inc.System == "http://a" {
		inc.Version = rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "systemVersion")
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
	case 1:
		for range rapid.IntRange(1, 6).Draw(t, "codes") {
			ref := r4.ConceptReference{Code: drawCode(t)}
			if rapid.IntRange(0, 2).Draw(t, "label") == 0 {
				ref.Display = rapid.SampledFrom([]string{"own apple", "Own tart"}).Draw(t, "own")
			}
			if rapid.IntRange(0, 5).Draw(t, "designation") == 0 {
				ref.Designation = []r4.Designation{{Language: "de", Value: "Apfel tarte"}}
			}
			inc.Concept = append(inc.Concept, ref)
		}
	default:
		for range rapid.IntRange(1, 2).Draw(t, "filters") {
			inc.Filter = append(inc.Filter, drawFilter(t))
		}
	}
	if inc.System == "http://missing" && rapid.IntRange(0, 9).Draw(t, "fails") > 0 {
		inc.Filter = nil
		if len(inc.Concept) == 0 {
			inc.Concept = refs(drawCode(t), drawCode(t))
		}
	}
	return inc
}

func drawFilter(t *rapid.T) r4.Filter {
	switch rapid.IntRange(0, 5).Draw(t, "property") {
	case 0:
		op := rapid.SampledFrom([]string{"=", "in", "not-in"}).Draw(t, "op")
		value := rapid.SampledFrom([]string{"red", "green", "none"}).Draw(t, "value")
		if op != "=" && rapid.Bool().Draw(t, "two") {
			value += ",blue"
		}
		return r4.Filter{Property: "color", Op: op, Value: value}
	case 1:
		return r4.Filter{Property: "color", Op: "exists", Value: rapid.SampledFrom([]string{"true", "false"}).Draw(t, "value")}
	case 2:
		return r4.Filter{Property: "code", Op: "regex", Value: rapid.SampledFrom([]string{"C1.*", "C[0-4]", ".*"}).Draw(t, "value")}
	}
	op := rapid.SampledFrom([]string{"is-a", "is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf"}).Draw(t, "op")
	return r4.Filter{Property: "concept", Op: op, Value: "C" + strconv.Itoa(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "value"))}
}
