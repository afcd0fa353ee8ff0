package classify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive returns whether each expression is below each other one, by rules that are applied to
// everything until nothing changes.
func naive(o *Ontology) [][]bool {
	n, roles := len(o.kinds), len(o.roleNames)
	below := make([][]bool, n)
	links := make([][][]bool, roles) // role, from, to
	for e := range below {
		below[e] = make([]bool, n)
		below[e][e], below[e][Top] = true, true
	}
	for r := range links {
		links[r] = make([][]bool, n)
		for e := range links[r] {
			links[r][e] = make([]bool, n)
		}
	}
	changed := true
	set := func(b *bool, v bool) {
		if v && !*b {
			*b, changed = true, true
		}
	}
	for changed {
		changed = false
		for e := range n {
			for _, a := range o.axioms {
				set(&below[e][a[1]], below[e][a[0]])
			}
			for _, list := range o.disjoint {
				for i, a := range list {
					for _, b := range list[:i] {
						set(&below[e][Bottom], below[e][a] && below[e][b])
					}
				}
			}
			for f, k := range o.kinds {
				switch k {
				case conjunction:
					all := true
					for _, a := range o.args[f] {
						all = all && below[e][a]
						set(&below[e][a], below[e][f])
					}
					set(&below[e][f], all)
				case existential:
					r, filler := o.args[f][0], o.args[f][1]
					set(&links[r][e][filler], below[e][f])
					for to := range n {
						set(&below[e][f], links[r][e][to] && below[to][filler])
					}
				}
				set(&below[e][f], below[e][Bottom])
			}
			for _, r := range o.reflexive {
				set(&links[r][e][e], true)
			}
			for to := range n {
				for r := range roles {
					set(&below[e][Bottom], links[r][e][to] && below[to][Bottom])
				}
				for _, h := range o.hierarchy {
					set(&links[h[1]][e][to], links[h[0]][e][to])
				}
				for _, c := range o.chains {
					for last := range n {
						set(&links[c[2]][e][last], links[c[0]][e][to] && links[c[1]][to][last])
					}
				}
			}
		}
	}
	return below
}

// random draws an ontology with every kind of axiom.
func random(t *rapid.T) *Ontology {
	o := New()
	class := rapid.Custom(func(t *rapid.T) Expr {
		if k := rapid.IntRange(0, 19).Draw(t, "class"); k > 1 {
			return o.Class(fmt.Sprint("C", k%7))
		} else {
			return Expr(k)
		}
	})
	role := rapid.Custom(func(t *rapid.T) Role { return o.Role(fmt.Sprint("r", rapid.IntRange(0, 3).Draw(t, "role"))) })
	var expr func(t *rapid.T, depth int) Expr
	expr = func(t *rapid.T, depth int) Expr {
		switch k := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case depth == 0 || k < 2:
			return class.Draw(t, "c")
		case k == 2:
			return o.Some(role.Draw(t, "r"), o.Literal(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")))
		case k == 3:
			return o.And(expr(t, depth-1), expr(t, depth-1), expr(t, depth-1))
		}
		return o.Some(role.Draw(t, "r"), expr(t, depth-1))
	}
	for range rapid.IntRange(1, 12).Draw(t, "axioms") {
		switch k := rapid.IntRange(0, 12).Draw(t, "axiom"); k {
		case 0:
			o.SubRole(role.Draw(t, "super"), role.Draw(t, "sub"))
		case 1, 2:
			o.SubRole(role.Draw(t, "super"), rapid.SliceOfN(role, 2, 3).Draw(t, "chain")...)
		case 3:
			o.Reflexive(role.Draw(t, "reflexive"))
		case 4:
			o.Disjoint(expr(t, 1), expr(t, 1), class.Draw(t, "disjoint"))
		case 5, 6, 7:
			o.Equivalent(class.Draw(t, "defined"), expr(t, 2))
		default:
			o.Sub(expr(t, 2), expr(t, 2))
		}
	}
	return o
}

// leads reports whether a chain of axioms about classes leads from one expression to another.
func (o *Ontology) leads(from, to Expr, seen map[Expr]bool) bool {
	if from == to || seen[from] || o.kinds[from] != named {
		return from == to
	}
	seen[from] = true
	return slices.ContainsFunc(o.axioms, func(a [2]Expr) bool {
		return a[0] == from && (o.leads(a[1], to, seen) ||
			o.kinds[a[1]] == conjunction && slices.ContainsFunc(o.args[a[1]], func(part uint32) bool { return o.leads(Expr(part), to, seen) }))
	})
}

// TestLaw compares with the naive reference: what is below what, what is equivalent, what has no
// instance, that no direct parent is above another, and which parents are not stated.
func TestLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := random(t)
		got, err := o.Classify(t.Context(), Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers")})
		if err != nil {
			t.Fatal(err)
		}
		want := naive(o)
		classes := append([]Expr{Top, Bottom}, got.Classes...)
		for _, a := range classes {
			up := got.reach(a)
			for _, b := range classes {
				if up[got.Node(b)] != (want[a][b] || want[a][Bottom]) {
					t.Fatalf("%s below %s: got %v", got.Name(a), got.Name(b), up[got.Node(b)])
				}
				if equal := got.Node(a) == got.Node(b); equal != (up[got.Node(b)] && got.reach(b)[got.Node(a)]) {
					t.Fatalf("%s equivalent to %s: got %v", got.Name(a), got.Name(b), equal)
				}
			}
			for _, p := range got.Parents(a) {
				for _, q := range got.Parents(a) {
					if p != q && got.reach(p)[q] {
						t.Fatalf("%s has the parents %s and %s, the one above the other", got.Name(a), got.Name(p), got.Name(q))
					}
				}
			}
			if m := got.Members(got.Node(a)); a > Bottom && !slices.Contains(m, a) {
				t.Fatalf("%s is none of %v", got.Name(a), m)
			}
		}
		told, n := got.Unstated(), 0
		for _, node := range got.Nodes() {
			for _, p := range got.Parents(node) {
				if p == Top || slices.ContainsFunc(got.Members(node), func(m Expr) bool {
					return slices.ContainsFunc(got.Members(p), func(q Expr) bool { return o.leads(m, q, map[Expr]bool{}) })
				}) {
					continue
				}
				if n++; len(told) < n || told[n-1] != [2]Expr{node, p} {
					t.Fatalf("%s below %s is not stated; unstated are %v", got.Name(node), got.Name(p), told)
				}
			}
		}
		if n < len(told) {
			t.Fatalf("unstated are %v after %d", told, n)
		}
	})
}

// reach returns the nodes above a class, through direct parents.
func (t *Taxonomy) reach(c Expr) map[Expr]bool {
	up := map[Expr]bool{}
	list := []Expr{t.Node(c), t.Node(Top)}
	if t.Node(c) == Bottom {
		list = append(list, t.Nodes()...)
	}
	for ; len(list) > 0; list = list[1:] {
		up[list[0]] = true
		list = append(list, t.Parents(list[0])...)
	}
	return up
}

// TestChain has what only a chain of roles says.
func TestChain(t *testing.T) {
	o := New()
	o.SubRole(o.Role("c"), o.Role("a"), o.Role("b"))
	o.Sub(o.Class("x"), o.Some(o.Role("a"), o.Some(o.Role("b"), o.Class("z"))))
	o.Sub(o.Some(o.Role("c"), o.Class("z")), o.Class("w"))
	if got, err := o.Classify(t.Context(), Options{}); err != nil || got.Parents(o.Class("x"))[0] != o.Class("w") {
		t.Error(got, err)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := New()
	o.Sub(o.Class("a"), o.Some(o.Role("r"), o.Class("b")))
	cancel()
	if _, err := o.Classify(ctx, Options{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
