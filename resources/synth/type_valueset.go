package synth

// valueSet writes a ValueSet (section 2.21) based on the CodeSystem with the same number: all of
// it, or a list of its codes with displays.
func valueSet(d *draft) {
	d.canonical("ValueSet")
	d.text("version", version(d.number))
	d.machineName("SyntheticCodes")
	d.numberedTitle("Synthetic codes to choose from")
	d.text("status", "active")
	d.boolean("experimental", true)
	d.publisher(d.published())
	d.text("description", "A value set that was made up.")
	d.object("compose")
	d.list("include")
	d.object("")
	d.noteReference("CodeSystem", d.number)
	d.join("system", syntheticURL, "CodeSystem/", d.g.id(d.number))
	first, count := 0, d.g.numbers["concepts"]
	if d.g.texts["concepts"] == "" && d.percent(50) {
		count = d.between(1, defaultConcepts/2)
		first = d.below(defaultConcepts - count)
	}
	if count > 0 {
		d.list("concept")
		names := d.conceptNames(d.number)
		for i := first; i < first+count; i++ {
			d.object("")
			d.conceptCode(i)
			d.conceptDisplay(names, i)
			d.end()
		}
		d.end()
	}
	d.ends(3)
}
