package uiadapter

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// TestRollUpLaw compares counts with those of plain sets on random graphs.
func TestRollUpLaw(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		n := 2 + random.IntN(40)
		b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", Status: "active", URL: "http://example.org/random"}, Content: "complete"})
		above := make([]map[int]bool, n)
		for i := range n {
			above[i] = map[int]bool{i: true}
			c := codesystem.Concept{Code: fmt.Sprint(i), Parent: -1}
			for range random.IntN(4) {
				if i > 0 {
					parent := random.IntN(i)
					if !above[i][parent] || parent == i {
						c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(fmt.Sprint(parent))})
					}
					for a := range above[parent] {
						above[i][a] = true
					}
				}
			}
			if _, err := b.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		x, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tally := &systemTally{codes: map[string]*codeTally{}, resources: roaring.New()}
		resources, patients, own := make([]map[int]bool, n), make([]map[int]bool, n), make([]int, n)
		for i := range n {
			resources[i], patients[i] = map[int]bool{}, map[int]bool{}
		}
		for r := range random.IntN(60) {
			who := random.IntN(9)
			for code := range map[int]bool{random.IntN(n): true, random.IntN(n): true} {
				c := tally.codes[fmt.Sprint(code)]
				if c == nil {
					c = &codeTally{resources: roaring.New(), patients: roaring.New()}
					tally.codes[fmt.Sprint(code)] = c
				}
				c.resources.AddInt(r)
				c.patients.AddInt(who)
				tally.resources.AddInt(r)
				own[code]++
				for a := range above[code] {
					resources[a][r], patients[a][who] = true, true
				}
			}
		}
		r := tally.rollUp(&System{x: x})
		for i := range n {
			o, found := x.Find(fmt.Sprint(i))
			if !found {
				t.Fatalf("seed %d: %d is not there", seed, i)
			}
			if got, want := r.of(o), (counts{len(resources[i]), len(patients[i]), own[i]}); got != want {
				t.Fatalf("seed %d: concept %d has %+v, want %+v", seed, i, got, want)
			}
		}
	}
}

// TestFitLaw requires of boxes that none is lower than it may be, that all of them with the box of the
// rest are within the height, and that none has more than its share of the total.
func TestFitLaw(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var sizes []int
		for range random.IntN(50) {
			sizes = append(sizes, 1+random.IntN(1+random.IntN(1000)))
		}
		slices.SortFunc(sizes, func(a, b int) int { return b - a })
		total, height, least := random.IntN(3000), float64(random.IntN(700)), float64(leastBox*(1+random.IntN(2)))
		drawn, unit := fit(sizes, total, height, least)
		used := 0.0
		for _, size := range sizes[:drawn] {
			h := unit * float64(size)
			used += h
			if h < least || h > height*float64(size)/float64(max(total, 1))+1e-6 {
				t.Fatalf("%v of %d in %g: a box of %d has %g", sizes, total, height, size, h)
			}
		}
		if drawn > 0 && drawn < len(sizes) {
			used += leastBox
		}
		if used > height+1e-6 {
			t.Fatalf("%v of %d in %g: %d boxes need %g", sizes, total, height, drawn, used)
		}
	}
}

// TestTicksLaw requires of an axis that it has the range, in even steps of a round number.
func TestTicksLaw(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		low := (random.Float64() - 0.5) * float64(int(1)<<random.IntN(40))
		high := low + random.Float64()*float64(int(1)<<random.IntN(30))*float64(random.IntN(2))
		most := 2 + random.IntN(8)
		list, step := ticks(low, high, most)
		if len(list) < 2 || len(list) > most+3 || list[0] > low || list[len(list)-1] < high || step <= 0 {
			t.Fatalf("ticks of %g to %g, %d at most: %v", low, high, most, list)
		}
	}
}

func TestMoment(t *testing.T) {
	for text, want := range map[string]string{
		"2024": "2024-01-01T00:00:00Z", "2024-05": "2024-05-01T00:00:00Z", "2024-05-06": "2024-05-06T00:00:00Z", "2024-05-06T07:08:09.5+02:00": "2024-05-06T05:08:09Z", "": "", "May": "", "2024-13": "",
	} {
		at, ok := moment(text)
		if got := at.UTC().Format("2006-01-02T15:04:05Z"); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %s %v, want %s", text, got, ok, want)
		}
	}
}

// FuzzNodes requires that any JSON is shown without a panic and within bounds, and that what is no JSON
// is an error.
func FuzzNodes(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"Patient","id":"a","name":[{"family":"x"},{}],"contact":[]}`, `{"code":{"coding":[{"system":"s","code":"c"}],"text":"t"}}`,
		`{"a":[[[[1,true,null]]]]}`, `[]`, `{"reference":"Patient/1","display":"x"}`, `{"value":1.50,"unit":"kg"}`, `{"start":"2020"}`, `{"a":{`,
	} {
		f.Add([]byte(seed))
	}
	h := newTestHandler(f, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		p := &Page{h: h, r: httptest.NewRequest(http.MethodGet, "/ui/resource", http.NoBody)}
		list, _, err := p.namer().nodes(body)
		if o, wrong := readObject(body); wrong == nil && o != nil && err != nil {
			t.Fatalf("%q is an object, but: %v", body, err)
		}
		made := 0
		var count func(list []Node, depth int)
		count = func(list []Node, depth int) {
			made += len(list)
			if depth > deepestNode+2 {
				t.Fatalf("%d levels", depth)
			}
			for i := range list {
				count(list[i].Nodes, depth+1)
			}
		}
		count(list, 0)
		if made > mostNodes {
			t.Fatalf("%d elements", made)
		}
	})
}
