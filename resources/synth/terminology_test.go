package synth_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// published returns an engine with the resources 0 to count-1 of a type.
func published(t *testing.T, into *engine.Collector, typ string, values map[string]string, count int) {
	t.Helper()
	each(t, typ, synth.Options{Seed: 1, Values: values}, count, func(n int, body []byte) {
		if err := fhir.Read(context.Background(), bytes.NewReader(body), typ+strconv.Itoa(n), fhir.Options{}, into); err != nil {
			t.Fatalf("%s %d: %v", typ, n, err)
		}
	})
}

// deepestOf returns the number of levels of a hierarchy and the largest number of children.
func deepestOf(list document.Value) (depth, most int) {
	for list.Exists() {
		depth++
		var next document.Value
		for c := range list.Items() {
			if below := c.Get("concept"); below.Exists() {
				most = max(most, below.Len())
				if !next.Exists() {
					next = below // in preorder the first concept has the deepest descendants
				}
			}
		}
		list = next
	}
	return depth, most
}

// Code systems have the requested number of concepts, levels and children. An engine accepts
// them, and a value set of the whole system has all its codes.
func TestCodeSystems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		concepts, depth, branching string
		count, levels, most        int
	}{
		{"", "", "", 50, 4, 3},
		{"1", "", "", 1, 1, 0},
		{"3", "7", "", 3, 3, 1},
		{"1000", "1", "", 1000, 1, 0},
		{"1000", "3", "", 1000, 3, 10},
		{"1000", "3", "5", 1000, 3, 5},
		{"5000", "4000", "", 5000, 4000, 2},
		{"100000", "5", "", 100_000, 5, 10},
	} {
		values := map[string]string{}
		for name, value := range map[string]string{"concepts": row.concepts, "depth": row.depth, "branching": row.branching} {
			if value != "" {
				values[name] = value
			}
		}
		each(t, "CodeSystem", synth.Options{Seed: 1, Values: values}, 1, func(_ int, body []byte) {
			root := parse(t, body)
			depth, most := deepestOf(root.Get("concept"))
			if number(t, root.Get("count")) != float64(row.count) || depth != row.levels || most != row.most {
				t.Errorf("%v: count %s, %d levels, at most %d concepts below one", values, root.Get("count").Raw(), depth, most)
			}
			if meaning := root.Get("hierarchyMeaning").Text(); (meaning == "is-a") != (row.levels > 1) {
				t.Errorf("%v: hierarchyMeaning %q", values, meaning)
			}
		})
		var c engine.Collector
		published(t, &c, "CodeSystem", values, 1)
		published(t, &c, "ValueSet", map[string]string{"concepts": "0"}, 1)
		if got := total(t, &c, "1-0"); got != row.count {
			t.Errorf("%v: %d codes in all", values, got)
		}
	}
	for name, value := range map[string]string{"concepts": "1000001", "depth": "4001", "branching": "0"} {
		if _, err := synth.New("CodeSystem", synth.Options{Values: map[string]string{name: value}}); !errors.Is(err, synth.ErrOption) {
			t.Errorf("%s %s: %v", name, value, err)
		}
	}
}

// total publishes the collected resources and counts the codes of a value set.
func total(t *testing.T, c *engine.Collector, id string) int {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(c.Entries...); err != nil {
		t.Fatal(err)
	}
	answer, err := eng.Expand(context.Background(), &engine.ExpandRequest{URL: "https://roget.health/fhir/synthetic/ValueSet/" + id})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Total
}

// Value sets refer to the code systems with the same numbers, which contain the listed codes and
// displays.
func TestValueSets(t *testing.T) {
	displays := map[string]string{}
	each(t, "CodeSystem", synth.Options{Seed: 1}, 20, func(_ int, body []byte) {
		root := parse(t, body)
		var walk func(list document.Value)
		walk = func(list document.Value) {
			for c := range list.Items() {
				displays[root.Get("url").Text()+"|"+c.Get("code").Text()] = c.Get("display").Text()
				walk(c.Get("concept"))
			}
		}
		walk(root.Get("concept"))
	})
	if len(displays) != 20*50 {
		t.Errorf("%d concepts", len(displays))
	}
	var c engine.Collector
	published(t, &c, "CodeSystem", nil, 20)
	published(t, &c, "ValueSet", nil, 20)
	each(t, "ValueSet", synth.Options{Seed: 1}, 20, func(n int, body []byte) {
		root := parse(t, body)
		include := root.Get("compose").Get("include").Index(0)
		system, want := include.Get("system").Text(), 50
		if !strings.HasSuffix(system, "/CodeSystem/"+root.Get("id").Text()) {
			t.Errorf("%d is on %s", n, system)
		}
		if list := include.Get("concept"); list.Exists() {
			want = list.Len()
			for c := range list.Items() {
				if got, there := displays[system+"|"+c.Get("code").Text()]; !there || got != c.Get("display").Text() {
					t.Errorf("%d: %s is %q there", n, c.Raw(), got)
				}
			}
		}
		if got := total(t, &c, root.Get("id").Text()); got != want {
			t.Errorf("%d: %d codes, not %d", n, got, want)
		}
	})
	each(t, "ValueSet", synth.Options{Seed: 1, Values: map[string]string{"concepts": "40"}}, 5, func(n int, body []byte) {
		if got := parse(t, body).Get("compose").Get("include").Index(0).Get("concept").Len(); got != 40 {
			t.Errorf("%d lists %d codes", n, got)
		}
	})
}
