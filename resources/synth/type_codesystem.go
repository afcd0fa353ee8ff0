package synth

// Sizes of code systems. maxDepth follows from the nesting limit of stored R4 resources: 8,192
// levels of JSON, two for each concept.
const (
	defaultConcepts = 50
	maxConcepts     = 1_000_000
	maxDepth        = 4_000
)

// codeSystem writes a CodeSystem (section 2.21): a hierarchy with the number of concepts and
// levels that the options set.
func codeSystem(d *draft) {
	count := d.g.numbers["concepts"]
	depth := min(d.g.numbers["depth"], count)
	at := d.published()
	d.canonical("CodeSystem")
	d.text("version", version(d.number))
	d.machineName("SyntheticCodes")
	d.numberedTitle("Synthetic codes")
	d.text("status", "active")
	d.boolean("experimental", true)
	d.publisher(at)
	d.text("description", "A code system that was made up.")
	d.boolean("caseSensitive", true)
	if depth > 1 {
		d.text("hierarchyMeaning", "is-a")
	}
	d.text("content", "complete")
	d.integer("count", count)
	d.list("concept")
	d.hierarchy(count, depth, d.g.numbers["branching"])
	d.end()
}

// hierarchy writes concepts in preorder. Each has branching children until there are enough
// concepts or the hierarchy is too deep; roots are added as needed. A branching of 0 stands for
// the smallest one that needs no more roots than that.
func (d *draft) hierarchy(count, depth, branching int) {
	if branching == 0 {
		branching = branchingOf(count, depth)
	}
	names := d.conceptNames(d.number)
	open := make([]int, 0, depth) // for each level the index of the open child
	for i := range count {
		switch {
		case len(open) < depth:
			if len(open) > 0 {
				d.list("concept")
			}
			open = append(open, 0)
		default:
			d.end() // the concept
			for len(open) > 1 && open[len(open)-1]+1 == branching {
				open = open[:len(open)-1]
				d.ends(2) // the list and its parent concept
			}
			open[len(open)-1]++
		}
		d.object("")
		d.describe(names, i)
	}
	for len(open) > 0 {
		d.end()
		if open = open[:len(open)-1]; len(open) > 0 {
			d.end()
		}
	}
}

// branchingOf returns the number of children per concept that lets count concepts fit into a tree
// of a depth.
func branchingOf(count, depth int) int {
	for b := 1; ; b++ {
		room, level := 0, 1
		for range depth {
			level *= b
			if room += level; room >= count {
				return b
			}
		}
	}
}

// describe writes the members of concept i.
func (d *draft) describe(names stream, i int) {
	d.conceptCode(i)
	name := d.conceptDisplay(names, i)
	if i%3 == 0 {
		d.join("definition", "What is called ", name.quality, " ", name.thing, " ", name.place, ".")
	}
}

// conceptCode writes the code of concept i.
func (d *draft) conceptCode(i int) {
	d.member("code")
	d.buf = append(appendDigits(append(d.buf, '"', 'C'), i, 7), '"')
}

// conceptName is the parts of a concept's display.
type conceptName struct{ quality, thing, place string }

// conceptNames returns the stream that determines the displays of code system n.
func (d *draft) conceptNames(n uint64) stream {
	return newStream(d.g.seed, hash("CodeSystem.concept"), n)
}

// conceptDisplay writes the display of concept i: words, and a number that makes it unique.
func (d *draft) conceptDisplay(names stream, i int) conceptName {
	names.state += uint64(i) * 0x9e3779b97f4a7c15 // the stream's i-th number
	x := names.next()
	name := conceptName{
		qualities[x%uint64(len(qualities))], things[x>>16%uint64(len(things))], places[x>>32%uint64(len(places))],
	}
	d.join("display", name.quality, " ", name.thing, " ", name.place, " ")
	d.buf = append(appendInt(d.buf[:len(d.buf)-1], i), '"')
	return name
}

var (
	qualities = []string{
		"Acute", "Chronic", "Mild", "Severe", "Recurrent", "Hidden", "Early", "Late",
		"Simple", "Complicated", "Partial", "Complete", "Open", "Closed", "Rare", "Common",
	}
	things = []string{
		"swelling", "injury", "infection", "weakness", "growth", "fracture", "bleeding", "rash",
		"cramp", "deficiency", "obstruction", "scar", "ulcer", "narrowing", "dislocation", "irritation",
	}
	places = []string{
		"of the hand", "of the foot", "of the knee", "of the shoulder", "of the neck", "of the back", "of the hip", "of the jaw",
		"of the eye", "of the ear", "of the nose", "of the skin", "of the stomach", "of the liver", "of the lung", "of the heart",
	}
)
