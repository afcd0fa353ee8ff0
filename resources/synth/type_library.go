package synth

// logicOf returns the logic of Library n, which Measure n uses.
func logicOf(n uint64) *logic { return &logics[n%uint64(len(logics))] }

// library writes a Library (section 2.17). It reads the facts at and status.
func library(d *draft) {
	l, version, at := logicOf(d.number), version(d.number/uint64(len(logics))), d.published()
	topic := d.about("Library.topic", branchTopic)
	d.canonical("Library")
	d.text("version", version)
	d.text("name", l.name)
	d.numberedTitle(l.title)
	d.text("subtitle", "Logic for quality of care")
	d.text("status", d.status(&libraryStatus))
	d.boolean("experimental", d.percent(60))
	d.concept("type", d.draw(&libraryType))
	d.subjects()
	d.publisher(at)
	d.contacts("contact")
	d.join("description", "Expressions for a measure: ", l.title, ".")
	d.useContext(topic)
	d.concepts("jurisdiction", d.draw(&jurisdictions))
	d.text("purpose", "To be used by measures.")
	d.text("usage", "Evaluate the expressions for one patient and one period.")
	d.text("copyright", "Free to use.")
	d.reviewed(at)
	d.concepts("topic", topic)
	for _, name := range []string{"author", "editor", "reviewer", "endorser"} {
		if d.percent(60) {
			d.contacts(name)
		}
	}
	d.relatedArtifacts()
	d.libraryParameters()
	d.dataRequirements(l)
	d.libraryContents(l, version)
}

// subjects writes subject[x]: patients, or a group of them.
func (d *draft) subjects() {
	if to := d.peopleGroup(); to != "" && d.percent(25) {
		d.reference("subjectReference", to)
		return
	}
	d.concept("subjectCodeableConcept", patients)
}

// relatedArtifacts writes the origins of the library: earlier libraries and texts.
func (d *draft) relatedArtifacts() {
	d.list("relatedArtifact")
	for _, typ := range []string{"depends-on", "composed-of", "derived-from", "predecessor", "successor"} {
		if d.number > 0 && d.percent(30) {
			d.object("")
			d.text("type", typ)
			d.noteReference("Library", d.number-1)
			d.join("resource", syntheticURL, "Library/", d.g.id(d.number-1))
			d.end()
		}
	}
	d.object("")
	d.text("type", "documentation")
	d.text("display", "How the logic was made")
	d.join("url", syntheticURL, "documentation/", d.facts.id)
	d.ends(2)
}

func (d *draft) libraryParameters() {
	d.list("parameter")
	d.libraryParameter("Measurement Period", "in", "Period")
	for i := range statements {
		if s := &statements[i]; s.kind == existsInValueSet || s.kind == existsOfType {
			d.libraryParameter(s.name, "out", "boolean")
		}
	}
	d.end()
}

func (d *draft) libraryParameter(name, use, typ string) {
	d.object("")
	d.text("name", name)
	d.text("use", use)
	d.integer("min", 0)
	d.text("max", "1")
	d.text("type", typ)
	d.end()
}

// dataRequirements writes the data that the expressions read: conditions in a value set, and
// others with a code.
func (d *draft) dataRequirements(l *logic) {
	d.list("dataRequirement")
	d.object("")
	d.text("type", "Condition")
	d.list("codeFilter")
	d.object("")
	d.text("path", "code")
	d.join("valueSet", valueSets, l.valueSet)
	if d.percent(40) {
		d.end()
		d.object("")
		d.text("path", "code")
		d.list("code")
		d.coding("", d.drawn("Library.dataRequirement.codeFilter.code", branchDisease))
		d.end()
	}
	d.ends(3)
	for _, typ := range []string{l.numerator, l.exclusion, l.exception, l.numeratorExclusion, "Encounter"} {
		d.ids("", "type", typ)
	}
	d.end()
}

// libraryContents writes the logic: CQL, sometimes also ELM, sometimes a URL.
func (d *draft) libraryContents(l *logic, version string) {
	d.list("content")
	d.libraryContent("text/cql", l, version, (*draft).cql)
	if d.percent(60) {
		d.libraryContent("application/elm+json", l, version, (*draft).elmJSON)
	}
	if d.percent(40) {
		d.libraryContent("application/elm+xml", l, version, (*draft).elmXML)
	}
	if d.percent(20) {
		d.object("")
		d.text("contentType", d.code(&libraryContent))
		d.join("url", syntheticURL, "logic/", d.facts.id)
		d.text("title", "The same, elsewhere")
		d.end()
	}
	d.end()
}

func (d *draft) libraryContent(contentType string, l *logic, version string, write func(d *draft, l *logic, version string)) {
	d.object("")
	d.text("contentType", libraryContent.find(contentType).Code)
	d.base64Text("data", l, version, write)
	d.text("title", l.title)
	d.end()
}
