package classify

// Unstated lists the direct parents that follow and were not stated: a node and a node above it,
// where no chain of stated superclasses leads from one to the other. The conjuncts of a definition
// are stated superclasses.
func (t *Taxonomy) Unstated() [][2]Expr {
	o := t.o
	told := make([][]Expr, len(o.kinds))
	for _, a := range o.axioms {
		if o.kinds[a[0]] != named {
			continue
		}
		if o.kinds[a[1]] == conjunction {
			for _, part := range o.args[a[1]] {
				told[a[0]] = append(told[a[0]], Expr(part))
			}
		} else {
			told[a[0]] = append(told[a[0]], a[1])
		}
	}
	var list [][2]Expr
	seen := make([]Expr, len(o.kinds)) // by the node from which it was reached
	for _, node := range t.Nodes() {
		todo := append([]Expr(nil), t.Members(node)...)
		for len(todo) > 0 {
			e := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[e] != node {
				seen[e] = node
				todo = append(todo, told[e]...)
			}
		}
		for _, p := range t.parents[node] {
			stated := p == Top
			for _, m := range t.Members(p) {
				stated = stated || seen[m] == node
			}
			if !stated {
				list = append(list, [2]Expr{node, p})
			}
		}
	}
	return list
}
