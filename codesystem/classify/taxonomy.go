package classify

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// Options control a classification. The zero Options use one worker.
type Options struct {
	// Workers is the number of goroutines.
	Workers int
	// Progress, when not nil, is called from time to time with the number of classes whose part of
	// the work began, and their total.
	Progress func(done, total int)
}

// A Taxonomy is the inferred hierarchy of the classes of an ontology. Classes that are equivalent
// form a node, named by the one that the ontology mentioned first. Its lists of classes are in the
// order in which the ontology mentioned them.
type Taxonomy struct {
	// Classes are all classes, except those of everything and of nothing.
	Classes []Expr
	// Unsatisfiable are the classes that have no instance.
	Unsatisfiable []Expr

	o       *Ontology
	node    []Expr          // by expression: the node of a class
	parents [][]Expr        // by expression: the direct parents of a node
	members map[Expr][]Expr // of nodes of several classes
}

// Name returns the name of a class.
func (t *Taxonomy) Name(c Expr) string { return t.o.names[c] }

// Node returns the class that names the node of a class: Bottom if it is unsatisfiable, and Top if
// everything is in it.
func (t *Taxonomy) Node(c Expr) Expr { return t.node[c] }

// Members returns the classes of a node: itself alone, or all that are equivalent. Top and Bottom
// themselves are not among theirs.
func (t *Taxonomy) Members(node Expr) []Expr {
	if m, ok := t.members[node]; ok || node <= Bottom {
		return m
	}
	return []Expr{node}
}

// Parents returns the nodes that are directly above a node; only Top where there is no other one.
func (t *Taxonomy) Parents(node Expr) []Expr { return t.parents[node] }

// Nodes returns the nodes other than Top and Bottom.
func (t *Taxonomy) Nodes() []Expr {
	var list []Expr
	for _, c := range t.Classes {
		if t.node[c] == c {
			list = append(list, c)
		}
	}
	return list
}

// Classify returns the inferred hierarchy. The only error is that of the context.
func (o *Ontology) Classify(ctx context.Context, opts Options) (*Taxonomy, error) {
	t := &Taxonomy{o: o, members: map[Expr][]Expr{}}
	roots := []uint32{uint32(Top)}
	for e := Bottom + 1; int(e) < len(o.kinds); e++ {
		if o.kinds[e] == named {
			t.Classes, roots = append(t.Classes, e), append(roots, uint32(e))
		}
	}
	progress := func(done int) {
		if opts.Progress != nil {
			opts.Progress(done, len(t.Classes))
		}
	}
	workers := max(opts.Workers, 1)
	sets, err := o.compile().saturate(ctx, roots, workers, progress)
	if err != nil {
		return nil, err
	}
	progress(len(t.Classes))
	t.reduce(ctx, sets, workers)
	return t, context.Cause(ctx)
}

// reduce makes the nodes and their direct parents of the contexts.
func (t *Taxonomy) reduce(ctx context.Context, sets []*set, workers int) {
	top := t.above(sets, Top)
	above := make([][]Expr, len(t.o.kinds))
	t.node, t.parents = make([]Expr, len(above)), make([][]Expr, len(above))
	t.node[Bottom] = Bottom
	if sets[Top].dead {
		t.node[Top] = Bottom
	}
	share(workers, t.Classes, func(list []Expr) {
		for _, c := range list {
			if sets[Top].dead || sets[c].dead {
				t.node[c] = Bottom
				continue
			}
			above[c] = t.above(sets, c)
			sets[c].push, sets[c].ahead, sets[c].back = nil, nil, table[uint64]{}
		}
	})
	// What is equivalent has the same classes above it, so only those of equal number are compared.
	share(workers, t.Classes, func(list []Expr) {
		for _, c := range list {
			if t.node[c] == Bottom {
				continue
			}
			t.node[c] = c
			if len(above[c]) == len(top) { // each of them is above everything
				t.node[c] = Top
				continue
			}
			for _, a := range above[c] {
				if a >= c {
					break
				}
				if len(above[a]) == len(above[c]) {
					t.node[c] = a
					break
				}
			}
		}
	})
	for _, c := range t.Classes {
		switch n := t.node[c]; {
		case n == Bottom:
			t.Unsatisfiable = append(t.Unsatisfiable, c)
			t.members[n] = append(t.members[n], c)
		case n == Top:
			t.members[n] = append(t.members[n], c)
		case n != c:
			if t.members[n] == nil {
				t.members[n] = []Expr{n}
			}
			t.members[n] = append(t.members[n], c)
		}
	}
	share(workers, t.Nodes(), func(list []Expr) {
		covered := make([]Expr, len(above)) // by the class whose parents are sought
		var found []Expr
		for _, c := range list {
			if ctx.Err() != nil {
				return
			}
			found = found[:0]
			for _, a := range above[c] {
				if t.node[a] == a && a != c {
					found = append(found, a)
				}
			}
			// The more specific, the more there is above it: what comes later cannot be below.
			sort.Slice(found, func(i, j int) bool {
				a, b := found[i], found[j]
				return len(above[a]) > len(above[b]) || len(above[a]) == len(above[b]) && a < b
			})
			var parents []Expr
			for _, a := range found {
				if covered[a] == c {
					continue
				}
				parents = append(parents, a)
				for _, b := range above[a] {
					covered[b] = c
				}
			}
			if parents == nil {
				parents = []Expr{Top}
			}
			slices.Sort(parents)
			t.parents[c] = parents
		}
	})
}

// above lists the classes above a class, itself included, except Top.
func (t *Taxonomy) above(sets []*set, c Expr) []Expr {
	var list []Expr
	for _, v := range sets[c].subs.slots {
		if e := Expr(v>>1) - 1; v != 0 && e > Bottom && int(e) < len(t.o.kinds) && t.o.kinds[e] == named {
			list = append(list, e)
		}
	}
	slices.Sort(list)
	return slices.Clip(list)
}

// share has workers deal with parts of a list.
func share(workers int, list []Expr, work func([]Expr)) {
	var all sync.WaitGroup
	for part := range slices.Chunk(list, max(1, (len(list)+workers-1)/workers)) {
		all.Go(func() { work(part) })
	}
	all.Wait()
}
