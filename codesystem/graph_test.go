package codesystem

import (
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// shape is a hierarchy for tests: the parents of each concept, by position.
type shape struct {
	name    string
	parents [][]int
}

// shapes draws a hierarchy of one of the usual shapes.
func shapes() *rapid.Generator[shape] {
	return rapid.Custom(func(t *rapid.T) shape {
		kind := rapid.SampledFrom([]string{"empty", "one", "chain", "star", "diamonds", "tree", "dense", "random", "forest"}).Draw(t, "shape")
		n := rapid.IntRange(2, 40).Draw(t, "n")
		switch kind {
		case "empty":
			n = 0
		case "one":
			n = 1
		}
		s := shape{name: kind, parents: make([][]int, n)}
		for i := 1; i < n; i++ {
			switch kind {
			case "chain":
				s.parents[i] = []int{i - 1}
			case "star":
				s.parents[i] = []int{0}
			case "diamonds":
				switch i % 3 {
				case 0:
					s.parents[i] = []int{i - 1, i - 2}
				case 1:
					s.parents[i] = []int{i - 1}
				default:
					s.parents[i] = []int{i - 2}
				}
			case "tree":
				s.parents[i] = []int{rapid.IntRange(0, i-1).Draw(t, "parent")}
			case "dense":
				for p := range i {
					if rapid.IntRange(0, 9).Draw(t, "edge") < 6 {
						s.parents[i] = append(s.parents[i], p)
					}
				}
			case "random":
				for range rapid.IntRange(0, 3).Draw(t, "parents") {
					s.parents[i] = append(s.parents[i], rapid.IntRange(0, i-1).Draw(t, "parent"))
				}
			}
		}
		return s.shuffled(rapid.Permutation(positions(n)).Draw(t, "order"))
	})
}

func positions(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// shuffled returns the same hierarchy with its concepts in another order.
func (s shape) shuffled(to []int) shape {
	moved := shape{name: s.name, parents: make([][]int, len(s.parents))}
	for i, ps := range s.parents {
		for _, p := range ps {
			moved.parents[to[i]] = append(moved.parents[to[i]], to[p])
		}
	}
	return moved
}

func (s shape) code(i int) string { return "c" + strconv.Itoa(i) }

// builder adds the concepts of a shape with parent properties.
func (s shape) builder() (*Builder, error) {
	b := NewBuilder(header("http://example.org/" + s.name))
	for i, ps := range s.parents {
		c := Concept{
			Code: s.code(i), Display: fmt.Sprint("Concept ", i), Parent: -1,
			Where: "line " + strconv.Itoa(i+1),
		}
		for _, p := range ps {
			c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(s.code(p))})
		}
		if _, err := b.Add(&c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ancestors is the naive reference: a fixed point over the parents.
func (s shape) ancestors() []map[int]bool {
	all := make([]map[int]bool, len(s.parents))
	for i := range all {
		all[i] = map[int]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i, ps := range s.parents {
			had := len(all[i])
			for _, p := range ps {
				all[i][p] = true
				for a := range all[p] {
					all[i][a] = true
				}
			}
			changed = changed || len(all[i]) > had
		}
	}
	return all
}

func header(url string) *r4.CodeSystem {
	h := &r4.CodeSystem{Content: "complete"}
	h.ResourceType, h.URL, h.Version, h.Status = "CodeSystem", url, "1.0", "active"
	return h
}
