package synth

// Clinic returns the code system Clinic as a CodeSystem resource in JSON. Each concept is on its
// own line, with its parent as a property. The document is one of the built-in samples
// (examples/samples).
func Clinic() []byte {
	count := 0
	for _, terms := range clinicTerms() {
		count += len(terms)
	}
	var w writer
	w.object("")
	w.text("resourceType", "CodeSystem")
	w.text("id", "clinic")
	w.text("url", ClinicURL)
	w.text("version", "1.0.0")
	w.text("name", "Clinic")
	w.text("title", "Clinic")
	w.text("status", "active")
	w.boolean("experimental", true)
	w.text("date", "2026-11-22")
	w.text("publisher", "Roget")
	w.text("description", "What synthetic resources are about: diseases, tests, treatments, services and more, in a hierarchy.")
	w.text("language", "en")
	w.boolean("caseSensitive", true)
	w.text("valueSet", valueSets+"clinic")
	w.text("hierarchyMeaning", "is-a")
	w.text("content", "complete")
	w.integer("count", count)
	w.list("property")
	w.object("")
	w.text("code", "parent")
	w.text("uri", "http://hl7.org/fhir/concept-properties#parent")
	w.text("description", "A wider concept.")
	w.text("type", "code")
	w.ends(2)
	w.list("concept")
	for _, terms := range clinicTerms() {
		for i := range terms {
			w.term(&terms[i])
		}
	}
	w.buf = append(w.buf, '\n')
	w.ends(2)
	return append(w.buf, '\n')
}

// term writes a concept on its own line.
func (w *writer) term(t *term) {
	w.member("")
	w.buf = append(w.buf, "\n  {"...)
	w.close = append(w.close, '}')
	w.text("code", t.code)
	w.text("display", t.display)
	if t.parent != "" {
		w.list("property")
		w.object("")
		w.text("code", "parent")
		w.text("valueCode", t.parent)
		w.ends(2)
	}
	w.end()
}
