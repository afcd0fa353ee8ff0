package classify

import (
	"slices"
	"sort"
)

// A pair is an expression that follows where another one is present too.
type pair struct{ other, result uint32 }

// An entry is what there is to know about an expression, side by side as the workers need it.
type entry struct {
	told     []uint32 // above the expression, as stated
	joins    []pair   // its conjunctions with other expressions
	someOf   []pair   // restrictions to it on the left of an axiom: role, restriction
	disjoint []uint32 // numbers of axioms with it
	args     []uint32
	context  uint32 // of a restriction: the expression that its role leads to
	kind     kind
}

// A rules is an ontology as the workers need it.
type rules struct {
	exprs []entry
	joint joint // the conjunctions of two expressions by both of them

	above     [][]bool // by role: the roles it implies, itself included
	reflexive []bool
	chained   [][]pair   // by role: the roles that continue it, and where both lead
	before    [][]uint32 // by role: the roles that it continues
	useTop    bool
}

// compile prepares the rules.
func (o *Ontology) compile() *rules {
	n := len(o.kinds)
	r := &rules{exprs: make([]entry, n)}
	for e := range n {
		r.exprs[e].kind, r.exprs[e].args = o.kinds[e], o.args[e]
	}
	r.roles(o)
	for _, a := range o.axioms {
		if a[0] != a[1] && a[0] != Bottom {
			up := &r.exprs[a[0]].told
			*up = append(*up, uint32(a[1]))
		}
	}
	left := o.negative()
	for i, list := range o.disjoint {
		for _, e := range list {
			r.exprs[e].disjoint = append(r.exprs[e].disjoint, uint32(i))
		}
	}
	r.conjunctions(left)
	ranges := make([][]Expr, len(r.above))
	for _, x := range o.ranges {
		for role := range r.above {
			if r.above[role][x[0]] {
				ranges[role] = append(ranges[role], Expr(x[1]))
			}
			if r.above[role][x[0]] && r.reflexive[role] {
				r.exprs[Top].told = append(r.exprs[Top].told, x[1])
			}
		}
	}
	for e := range n {
		if r.exprs[e].kind != existential {
			continue
		}
		role, filler := r.exprs[e].args[0], r.exprs[e].args[1]
		if left[e] {
			r.exprs[filler].someOf = append(r.exprs[filler].someOf, pair{role, uint32(e)})
		}
		r.exprs[e].context = filler
		if ranges[role] != nil {
			r.exprs[e].context = r.conjunction(append(slices.Clip(ranges[role]), Expr(filler)))
		}
	}
	r.useTop = r.exprs[Top].told != nil || r.exprs[Top].someOf != nil || r.exprs[Top].disjoint != nil
	return r
}

// negative marks the expressions that occur on the left of an axiom: those to be recognized.
func (o *Ontology) negative() []bool {
	left := make([]bool, len(o.kinds))
	var mark func(e uint32)
	mark = func(e uint32) {
		if left[e] {
			return
		}
		left[e] = true
		switch o.kinds[e] {
		case conjunction:
			for _, a := range o.args[e] {
				mark(a)
			}
		case existential:
			mark(o.args[e][1])
		}
	}
	for _, a := range o.axioms {
		mark(uint32(a[0]))
	}
	for _, list := range o.disjoint {
		for _, e := range list {
			mark(uint32(e))
		}
	}
	return left
}

// conjunction adds a conjunction that the ontology does not have.
func (r *rules) conjunction(list []Expr) uint32 {
	var args []uint32
	for _, e := range list {
		args = append(args, uint32(e))
	}
	return r.add(conjunction, args)
}

func (r *rules) add(k kind, args []uint32) uint32 {
	r.exprs = append(r.exprs, entry{kind: k, args: args})
	return uint32(len(r.exprs) - 1)
}

// conjunctions splits the conjunctions to be recognized into steps of two, rare operands first, so
// that a frequent one is only joined with what is rare.
func (r *rules) conjunctions(left []bool) {
	uses := make([]int, len(r.exprs))
	for e := range r.exprs {
		if r.exprs[e].kind == conjunction && left[e] {
			for _, a := range r.exprs[e].args {
				uses[a]++
			}
		}
	}
	var list []uint32
	for e := range r.exprs {
		if r.exprs[e].kind == conjunction && left[e] {
			list = append(list, uint32(e))
		}
	}
	// The shortest first, so that a conjunction is found where it is a step of another one.
	sort.SliceStable(list, func(i, j int) bool { return len(r.exprs[list[i]].args) < len(r.exprs[list[j]].args) })
	steps := map[[2]uint32]uint32{}
	for _, e := range list {
		args := slices.Clone(r.exprs[e].args)
		sort.Slice(args, func(i, j int) bool {
			if a, b := uses[args[i]], uses[args[j]]; a != b {
				return a < b
			}
			return args[i] < args[j]
		})
		at := args[0]
		for i, a := range args[1:] {
			key := [2]uint32{min(at, a), max(at, a)}
			step, ok := steps[key]
			if !ok {
				if step = e; i < len(args)-2 {
					step = r.add(named, nil) // nothing to decompose
				}
				steps[key] = step
				r.exprs[at].joins = append(r.exprs[at].joins, pair{a, step})
				r.exprs[a].joins = append(r.exprs[a].joins, pair{at, step})
			}
			at = step
		}
	}
	r.joint = newJoint(steps)
}

// roles closes the hierarchy of roles. A chain with a reflexive role is an inclusion.
func (r *rules) roles(o *Ontology) {
	n := len(o.roleNames)
	r.above, r.reflexive = make([][]bool, n), make([]bool, n)
	for i := range n {
		r.above[i] = make([]bool, n)
		r.above[i][i] = true
	}
	for _, role := range o.reflexive {
		r.reflexive[role] = true
	}
	hierarchy := slices.Clone(o.hierarchy)
	for grown := true; grown; {
		grown = false
		for _, h := range hierarchy {
			for i := range n {
				if r.above[i][h[0]] && !r.above[i][h[1]] {
					grown = true
					for j, up := range r.above[h[1]] {
						r.above[i][j] = r.above[i][j] || up
					}
				}
			}
			if r.reflexive[h[0]] && !r.reflexive[h[1]] {
				r.reflexive[h[1]], grown = true, true
			}
		}
		for _, c := range o.chains {
			for i := range 2 {
				if r.reflexive[c[i]] && !r.above[c[1-i]][c[2]] {
					hierarchy, grown = append(hierarchy, [2]Role{c[1-i], c[2]}), true
				}
			}
		}
	}
	r.chained, r.before = make([][]pair, n), make([][]uint32, n)
	for first := range n {
		results := map[uint32][]uint32{}
		for _, c := range o.chains {
			if !r.above[first][c[0]] {
				continue
			}
			for second := range n {
				if r.above[second][c[1]] {
					results[uint32(second)] = append(results[uint32(second)], uint32(c[2]))
				}
			}
		}
		for second, list := range results {
			r.before[second] = append(r.before[second], uint32(first))
			for i, super := range list {
				if !slices.ContainsFunc(list, func(x uint32) bool { // implied by another
					return x != super && r.above[x][super] && !r.above[super][x]
				}) && !slices.Contains(list[:i], super) {
					r.chained[first] = append(r.chained[first], pair{second, super})
				}
			}
		}
		list := r.chained[first]
		sort.Slice(list, func(i, j int) bool {
			a, b := list[i], list[j]
			return a.other < b.other || a.other == b.other && a.result < b.result
		})
	}
}
