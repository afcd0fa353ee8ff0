package valueset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// core is a Source with the code systems and value sets of the R4 specification.
type core struct {
	systems   map[string]*codesystem.Index
	valueSets map[string]*r4.ValueSet
}

// coreSink fills a core.
type coreSink struct{ *core }

func (s coreSink) CodeSystem(x *codesystem.Index, _ fhir.Origin) error {
	s.systems[x.URL()] = x
	return nil
}

func (s coreSink) Document(kind string, _ *r4.Header, body []byte, _ fhir.Origin) error {
	if kind != "ValueSet" {
		return nil
	}
	vs, err := r4.DecodeValueSet(body)
	if err == nil {
		s.valueSets[vs.URL] = vs
	}
	return err
}

func (c *core) CodeSystem(_ context.Context, url, _ string) (*codesystem.Index, error) {
	if x, ok := c.systems[url]; ok {
		return x, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownSystem, url)
}

func (c *core) definition(canonical string) (*r4.ValueSet, error) {
	url, _, _ := strings.Cut(canonical, "|")
	if vs, ok := c.valueSets[url]; ok {
		return vs, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownValueSet, canonical)
}

func (c *core) ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	vs, err := c.definition(canonical)
	if err != nil {
		return nil, err
	}
	return Compile(ctx, c, vs, visiting)
}

func loadCore(t testing.TB) *core {
	t.Helper()
	dir := sharedtest.Path(t, "data/r4-core")
	c := &core{systems: map[string]*codesystem.Index{}, valueSets: map[string]*r4.ValueSet{}}
	for _, file := range []string{"codesystems.ndjson.gz", "valuesets.ndjson.gz"} {
		if err := fhir.Load(context.Background(), filepath.Join(dir, file), fhir.Options{}, coreSink{c}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// members lists a value set by evaluating its definition naively, as the reference for totals. ok
// is false if a required system or value set is missing.
func (c *core) members(vs *r4.ValueSet) (codes map[[2]string]bool, ok bool) {
	codes = map[[2]string]bool{}
	for _, list := range [][]r4.Include{vs.Compose.Include, vs.Compose.Exclude} {
		for i := range list {
			one, ok := c.included(&list[i])
			if !ok {
				return nil, false
			}
			for k := range one {
				if &list[0] == &vs.Compose.Include[0] {
					codes[k] = true
				} else {
					delete(codes, k)
				}
			}
		}
	}
	return codes, true
}

func (c *core) included(inc *r4.Include) (map[[2]string]bool, bool) {
	codes := map[[2]string]bool{}
	x, loaded := c.systems[inc.System]
	loaded = loaded && (x.Len() > 0 || x.Header().Content != "not-present")
	switch {
	case len(inc.Concept) > 0:
		for _, ref := range inc.Concept {
			if !loaded {
				codes[[2]string{inc.System, ref.Code}] = true
			} else if o, ok := x.Find(ref.Code); ok {
				codes[[2]string{inc.System, x.Code(o)}] = true
			} else if !closed(x) {
				codes[[2]string{inc.System, ref.Code}] = true
			}
		}
	case inc.System != "" && !loaded:
		return nil, false
	case inc.System != "":
		for o := range codesystem.Ord(x.Len()) {
			all := true
			for _, f := range inc.Filter {
				all = all && slowly(x, o, f)
			}
			if all {
				codes[[2]string{inc.System, x.Code(o)}] = true
			}
		}
	}
	for i, canonical := range inc.ValueSet {
		vs, err := c.definition(canonical)
		if err != nil {
			return nil, false
		}
		other, ok := c.members(vs)
		switch {
		case !ok:
			return nil, false
		case i == 0 && inc.System == "":
			codes = other
		}
		for k := range codes {
			if !other[k] {
				delete(codes, k)
			}
		}
	}
	return codes, true
}

// slowly tests a filter on a concept by its parents and properties.
func slowly(x *codesystem.Index, o codesystem.Ord, f r4.Filter) bool {
	switch f.Op {
	case "is-a", "is-not-a", "descendent-of":
		below := false
		var up func(codesystem.Ord)
		up = func(o codesystem.Ord) {
			for _, p := range x.Parents(o) {
				below = below || x.Code(p) == f.Value
				up(p)
			}
		}
		up(o)
		self := x.Code(o) == f.Value
		return f.Op == "is-a" && (self || below) || f.Op == "is-not-a" && !self && !below || f.Op == "descendent-of" && below
	case "regex":
		return regexp.MustCompile("^(?:" + f.Value + ")$").MatchString(x.Code(o))
	}
	if f.Property == "parent" {
		for _, p := range x.Parents(o) {
			if x.Code(p) == f.Value {
				return true
			}
		}
	}
	for p := range x.Properties(o) {
		if p.Code == f.Property && valueText(p.Value) == f.Value {
			return true
		}
	}
	return false
}

// Every value set of the specification compiles with the reference total, or fails with a reason
// that names what is missing.
func TestValueSetsOfR4(t *testing.T) {
	c := loadCore(t)
	compiled, failed := 0, 0
	for url, vs := range c.valueSets {
		set, err := Compile(context.Background(), c, vs, nil)
		if err != nil {
			failed++
			if !c.explains(err, vs) {
				t.Errorf("%s: %v", url, err)
			}
			continue
		}
		compiled++
		want, ok := c.members(vs)
		if !ok || set.Len() != len(want) {
			t.Errorf("%s: %d codes, want %d (%v)", url, set.Len(), len(want), ok)
		}
		listed := 0
		if _, err := set.Page(context.Background(), PageRequest{Count: -1}, func(e *Entry) error {
			listed++
			if !want[[2]string{e.System, e.Code}] {
				t.Errorf("%s: %s is not a member", url, nameOfEntry(e))
			}
			return nil
		}); err != nil || listed != len(want) {
			t.Errorf("%s: %d listed, want %d, %v", url, listed, len(want), err)
		}
	}
	t.Logf("%d value sets compiled, %d name what they miss", compiled, failed)
	if compiled < 1000 {
		t.Errorf("only %d value sets compiled", compiled)
	}
}

// explains reports whether an error names the missing system, value set or code.
func (c *core) explains(err error, vs *r4.ValueSet) bool {
	switch {
	case errors.Is(err, ErrUnknownSystem), errors.Is(err, ErrUnknownValueSet):
		return strings.Contains(err.Error(), "http") || strings.Contains(err.Error(), "urn:")
	case errors.Is(err, codesystem.ErrUnknownCode), errors.Is(err, codesystem.ErrUnknownProperty):
		return strings.Contains(err.Error(), "filter")
	}
	return false
}
