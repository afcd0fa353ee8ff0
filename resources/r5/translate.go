package r5

import (
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// TranslateRequest returns the Parameters of a request for $translate, converted to R4 already, with
// the dependencies in the form of R4: a CodeableConcept named concept instead of a value of any type,
// and element instead of attribute. The other parameters keep their names, which differ from those
// of R4.
func TranslateRequest(parameters []byte) ([]byte, error) {
	return eachParameter(parameters, "dependency", func(e *document.Editor, part document.Value) {
		switch name := part.Get("name"); {
		case name.Is("attribute"):
			e.Replace(name, quoted("element"))
		case name.Is("value"):
			e.Replace(part, dependencyValue(part))
		}
	})
}

// dependencyValue returns the part with the value of a dependency as a CodeableConcept.
func dependencyValue(part document.Value) []byte {
	var concept []byte
	for member := range part.Members() {
		switch name := member.Name(); {
		case name == "valueCodeableConcept":
			concept = member.Raw()
		case name == "valueCoding":
			concept = []byte(`{"coding":[` + string(member.Raw()) + `]}`)
		case strings.HasPrefix(name, "value") && member.Kind() != document.Object && member.Kind() != document.Array:
			var m members
			m.set("text", quoted(member.Text()))
			concept = m.append(nil)
		}
	}
	var m members
	m.set("name", quoted("concept"))
	m.set("valueCodeableConcept", concept)
	return m.append(nil)
}

// TranslateAnswer returns the Parameters of an answer to $translate in R4 in the form of R5: the
// relationship instead of the equivalence, originMap instead of source, and attribute and value
// instead of element and concept of a product.
func TranslateAnswer(parameters []byte) ([]byte, error) {
	return eachParameter(parameters, "match", func(e *document.Editor, part document.Value) {
		name := part.Get("name")
		switch name.Text() {
		case "equivalence":
			e.Replace(name, quoted("relationship"))
			if v := part.Get("valueCode"); v.Exists() {
				e.Replace(v, quoted(Relationship(v.Text())))
			}
		case "source":
			if uri := part.Get("valueUri"); uri.Exists() {
				e.Replace(part, []byte(`{"name":"originMap","valueCanonical":`+string(uri.Raw())+`}`))
			}
		case "product":
			for inner := range part.Get("part").Items() {
				switch name := inner.Get("name"); name.Text() {
				case "element":
					e.Replace(name, quoted("attribute"))
				case "concept":
					e.Replace(name, quoted("value"))
				}
			}
		}
	})
}

// eachParameter edits the parts of the parameters with a name.
func eachParameter(parameters []byte, name string, edit func(e *document.Editor, part document.Value)) ([]byte, error) {
	doc, err := document.Parse(parameters, r4.DefaultLimits())
	if err != nil {
		return nil, err
	}
	e := doc.Edit()
	for p := range doc.Root().Get("parameter").Items() {
		if p.Get("name").Is(name) {
			for part := range p.Get("part").Items() {
				edit(e, part)
			}
		}
	}
	return e.Bytes()
}
