package diagram

import "slices"

// A Box has a size.
type Box struct{ Width, Height float64 }

// A Line leads from a box down to another one, by their numbers.
type Line struct{ From, To int }

// A Graph has boxes with lines.
type Graph struct {
	Boxes []Box
	Lines []Line
}

// A Point is a place. X grows to the right and Y downwards.
type Point struct{ X, Y float64 }

// A Layout has the places of a graph.
type Layout struct {
	Width, Height float64
	// Boxes are the centres of the boxes.
	Boxes []Point
	// Lines are the points of the lines: the lower edge of a box, the layers on the way, and the upper
	// edge of a box.
	Lines [][]Point
}

// Gaps are the distances between boxes of a layer, and between layers.
type Gaps struct{ X, Y float64 }

// Layered places a graph. A box is as far down as the boxes below it permit, so those directly above
// the lowest ones are near them.
func Layered(g Graph, gaps Gaps) Layout {
	d := draw(g)
	d.order()
	xs := d.place(gaps.X)
	ys, height := d.levels(gaps.Y)
	left, right := 0.0, 0.0
	for i, x := range xs {
		if i == 0 || x-d.nodes[i].width/2 < left {
			left = x - d.nodes[i].width/2
		}
		if i == 0 || x+d.nodes[i].width/2 > right {
			right = x + d.nodes[i].width/2
		}
	}
	layout := Layout{Width: right - left, Height: height, Boxes: make([]Point, len(g.Boxes)), Lines: make([][]Point, len(d.lines))}
	for i := range g.Boxes {
		layout.Boxes[i] = Point{xs[i] - left, ys[d.nodes[i].layer]}
	}
	for i, chain := range d.lines {
		for k, n := range chain {
			p := Point{xs[n] - left, ys[d.nodes[n].layer]}
			switch {
			case k == 0:
				p.Y += d.nodes[n].height / 2
			case k == len(chain)-1:
				p.Y -= d.nodes[n].height / 2
			}
			layout.Lines[i] = append(layout.Lines[i], p)
		}
	}
	return layout
}

// A node is a box, or the place where a line passes a layer.
type node struct {
	width, height float64
	layer         int // from the top
	above, below  []int
	passing       bool
}

// A drawing is a graph in layers.
type drawing struct {
	nodes  []node
	layers [][]int
	lines  [][]int // the nodes of each line, from the top; nil for one that leads upwards
}

// draw puts the boxes of a graph in layers.
func draw(g Graph) *drawing {
	d := &drawing{nodes: make([]node, len(g.Boxes)), lines: make([][]int, len(g.Lines))}
	for i, b := range g.Boxes {
		d.nodes[i] = node{width: b.Width, height: b.Height}
	}
	heights := heightsOf(g)
	top := 0
	for _, h := range heights {
		top = max(top, h)
	}
	d.layers = make([][]int, top+1)
	for i, h := range heights {
		d.nodes[i].layer = top - h
		d.layers[top-h] = append(d.layers[top-h], i)
	}
	for i, line := range g.Lines {
		from, to := d.nodes[line.From].layer, d.nodes[line.To].layer
		if from >= to {
			continue
		}
		chain := []int{line.From}
		for layer := from + 1; layer < to; layer++ {
			n := len(d.nodes)
			d.nodes = append(d.nodes, node{layer: layer, passing: true})
			d.layers[layer] = append(d.layers[layer], n)
			chain = append(chain, n)
		}
		chain = append(chain, line.To)
		for k := 1; k < len(chain); k++ {
			d.nodes[chain[k-1]].below = append(d.nodes[chain[k-1]].below, chain[k])
			d.nodes[chain[k]].above = append(d.nodes[chain[k]].above, chain[k-1])
		}
		d.lines[i] = chain
	}
	return d
}

// heightsOf returns for each box the length of the longest way down from it.
func heightsOf(g Graph) []int {
	below := make([][]int, len(g.Boxes))
	for _, line := range g.Lines {
		below[line.From] = append(below[line.From], line.To)
	}
	heights := make([]int, len(g.Boxes))
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(g.Boxes))
	var visit func(i int) int
	visit = func(i int) int {
		switch state[i] {
		case done:
			return heights[i]
		case open:
			return -1 // a cycle
		}
		state[i] = open
		for _, next := range below[i] {
			heights[i] = max(heights[i], visit(next)+1)
		}
		state[i] = done
		return heights[i]
	}
	for i := range g.Boxes {
		if state[i] == unseen {
			visit(i)
		}
	}
	return heights
}

// levels returns the middle of each layer, and the height of all.
func (d *drawing) levels(gap float64) (ys []float64, height float64) {
	for i, layer := range d.layers {
		tallest := 0.0
		for _, n := range layer {
			tallest = max(tallest, d.nodes[n].height)
		}
		if i > 0 {
			height += gap
		}
		ys = append(ys, height+tallest/2)
		height += tallest
	}
	return ys, height
}

// sweeps is the number of times that the layers are ordered, and placed.
const sweeps = 12

// order orders the layers so that lines cross rarely: by the middle of the neighbours of each node,
// downwards and upwards in turn, then by swapping neighbours. The best order is kept.
func (d *drawing) order() {
	best := copied(d.layers)
	least := d.crossings()
	for sweep := 0; sweep < sweeps && least > 0; sweep++ {
		if sweep%2 == 0 {
			for i := 1; i < len(d.layers); i++ {
				d.sort(d.layers[i], d.layers[i-1], true)
			}
		} else {
			for i := len(d.layers) - 2; i >= 0; i-- {
				d.sort(d.layers[i], d.layers[i+1], false)
			}
		}
		d.swap()
		if n := d.crossings(); n < least {
			best, least = copied(d.layers), n
		}
	}
	d.layers = best
}

func copied(layers [][]int) [][]int {
	c := make([][]int, len(layers))
	for i := range layers {
		c[i] = slices.Clone(layers[i])
	}
	return c
}

// positions returns the place of each node in a layer.
func positions(layer []int) map[int]int {
	at := make(map[int]int, len(layer))
	for i, n := range layer {
		at[n] = i
	}
	return at
}

// neighbours returns the nodes that lines lead to in the layer above or below.
func (n *node) neighbours(above bool) []int {
	if above {
		return n.above
	}
	return n.below
}

// sort orders a layer by the middle of the neighbours in a fixed one. Nodes without neighbours keep
// their places.
func (d *drawing) sort(layer, fixed []int, above bool) {
	at := positions(fixed)
	own := positions(layer)
	middle := make(map[int]float64, len(layer))
	for _, n := range layer {
		list := d.nodes[n].neighbours(above)
		if len(list) == 0 {
			middle[n] = float64(own[n])
			continue
		}
		sum := 0
		for _, m := range list {
			sum += at[m]
		}
		middle[n] = float64(sum) / float64(len(list))
	}
	slices.SortStableFunc(layer, func(a, b int) int {
		switch {
		case middle[a] < middle[b]:
			return -1
		case middle[a] > middle[b]:
			return 1
		}
		return 0
	})
}

// swap swaps neighbours as long as that lessens crossings, a bounded number of times.
func (d *drawing) swap() {
	for range 4 {
		better := false
		for i, layer := range d.layers {
			var above, below map[int]int
			if i > 0 {
				above = positions(d.layers[i-1])
			}
			if i+1 < len(d.layers) {
				below = positions(d.layers[i+1])
			}
			for k := 1; k < len(layer); k++ {
				a, b := &d.nodes[layer[k-1]], &d.nodes[layer[k]]
				now := crossed(a.above, b.above, above) + crossed(a.below, b.below, below)
				then := crossed(b.above, a.above, above) + crossed(b.below, a.below, below)
				if then < now {
					layer[k-1], layer[k] = layer[k], layer[k-1]
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// crossed counts the crossings of the lines of a node with those of the node to its right.
func crossed(left, right []int, at map[int]int) int {
	n := 0
	for _, a := range left {
		for _, b := range right {
			if at[a] > at[b] {
				n++
			}
		}
	}
	return n
}

// crossings counts the crossings of all lines.
func (d *drawing) crossings() int {
	n := 0
	for i := 1; i < len(d.layers); i++ {
		above := positions(d.layers[i-1])
		layer := d.layers[i]
		for a := range layer {
			for b := a + 1; b < len(layer); b++ {
				n += crossed(d.nodes[layer[a]].above, d.nodes[layer[b]].above, above)
			}
		}
	}
	return n
}

// place returns where the nodes are from left to right: each one near the middle of its neighbours, in
// the order of its layer and at least a gap apart.
func (d *drawing) place(gap float64) []float64 {
	xs := make([]float64, len(d.nodes))
	for _, layer := range d.layers {
		at := 0.0
		for _, n := range layer {
			xs[n] = at + d.nodes[n].width/2
			at += d.nodes[n].width + gap
		}
	}
	for sweep := range sweeps {
		for i := range d.layers {
			layer := d.layers[i]
			if sweep%2 == 0 {
				layer = d.layers[len(d.layers)-1-i]
			}
			d.settle(layer, xs, gap)
		}
	}
	return xs
}

// settle moves the nodes of a layer to where their neighbours want them, as near as their order and
// their distances permit (least squares; pool adjacent violators).
func (d *drawing) settle(layer []int, xs []float64, gap float64) {
	type block struct {
		sum, weight float64
		count       int
	}
	var blocks []block
	offset := 0.0 // of a node if all stood as near to each other as they may
	offsets := make([]float64, len(layer))
	for i, n := range layer {
		if i > 0 {
			offset += d.nodes[layer[i-1]].width/2 + gap + d.nodes[n].width/2
		}
		offsets[i] = offset
		want, weight := d.wanted(n, xs)
		blocks = append(blocks, block{(want - offset) * weight, weight, 1})
		for len(blocks) > 1 {
			last, before := blocks[len(blocks)-1], &blocks[len(blocks)-2]
			if before.sum/before.weight <= last.sum/last.weight {
				break
			}
			before.sum, before.weight, before.count = before.sum+last.sum, before.weight+last.weight, before.count+last.count
			blocks = blocks[:len(blocks)-1]
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.count {
			xs[layer[i]] = b.sum/b.weight + offsets[i]
			i++
		}
	}
}

// wanted returns the middle of the neighbours of a node, and how much it counts: long lines are to be
// straight.
func (d *drawing) wanted(n int, xs []float64) (x, weight float64) {
	node := &d.nodes[n]
	count := len(node.above) + len(node.below)
	if count == 0 {
		return xs[n], 0.1
	}
	sum := 0.0
	for _, m := range node.above {
		sum += xs[m]
	}
	for _, m := range node.below {
		sum += xs[m]
	}
	weight = 1
	if node.passing {
		weight = 4
	}
	return sum / float64(count), weight
}
