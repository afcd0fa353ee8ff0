package expansion

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Extensions that represent the expansion properties of R5 in R4: the values of each code, and
// their declarations.
const (
	propertyExtension         = "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.property"
	containsPropertyExtension = "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property"
	conceptProperties         = "http://hl7.org/fhir/concept-properties#"
	extensionOfFHIR           = "http://hl7.org/fhir/StructureDefinition/"
)

// fromExtensions are properties that come from extensions of a concept in its code system or, with
// precedence, in the value set.
var fromExtensions = []struct {
	system, valueSet string // names of the extensions
	code, uri, typ   string
}{
	{"codesystem-label", "valueset-label", "label", conceptProperties + "label", "String"},
	{"codesystem-conceptOrder", "valueset-conceptOrder", "order", conceptProperties + "order", "Decimal"},
	{"itemWeight", "itemWeight", "weight", conceptProperties + "itemWeight", "Decimal"},
}

// Extensions that are copied from the code system and its supplements, and from the value set.
var (
	copiedFromSystem   = []string{"coding-sctdescid", "rendering-style", "rendering-xhtml", "codesystem-alternate"}
	copiedFromValueSet = []string{
		"valueset-supplement", "valueset-deprecated", "structuredefinition-standards-status", "valueset-concept-definition",
		"coding-sctdescid", "rendering-style", "rendering-xhtml",
	}
)

// expansionProperties collects the properties and extensions of codes in an expansion.
type expansionProperties struct {
	wanted   []string // by the request
	declared []declaredProperty
	entries  map[int]*entryDetails // by place; usually few codes have any
	scratch  entryDetails          // of the current entry
}

// A declaredProperty is an entry of expansion.property in R5.
type declaredProperty struct{ code, uri string }

// entryDetails has the properties and extensions of one code.
type entryDetails struct {
	properties []codesystem.Property
	extensions r4.Extensions
}

// add collects the properties and extensions of an entry.
func (p *expansionProperties) add(place int, e *valueset.Entry, supplements []*codesystem.Index) {
	if e.Index == nil && len(e.Extensions()) == 0 {
		return
	}
	d := &p.scratch
	if e.Index != nil {
		p.ofSystem(d, e, supplements)
	}
	p.ofExtensions(d, e.Extensions(), true)
	if len(p.wanted) > 0 && e.Index != nil {
		p.ofRequest(d, e, supplements)
	}
	if len(d.properties) == 0 && len(d.extensions) == 0 {
		return
	}
	if p.entries == nil {
		p.entries = map[int]*entryDetails{}
	}
	found := *d
	p.entries[place], *d = &found, entryDetails{}
}

// ofSystem adds the status and the extensions of a concept from its code system and supplements.
func (p *expansionProperties) ofSystem(d *entryDetails, e *valueset.Entry, supplements []*codesystem.Index) {
	status := e.Index.Status(e.Concept)
	if strings.EqualFold(status, "active") && e.Index.Deprecated(e.Concept) {
		status = "deprecated"
	}
	if status != "" && !strings.EqualFold(status, "active") {
		p.set(d, declaredProperty{"status", conceptProperties + "status"}, r4.Code(status))
	}
	p.ofExtensions(d, e.Index.Extensions(e.Concept), false)
	for _, x := range supplements {
		if o, ok := x.Find(e.Code); ok {
			p.ofExtensions(d, x.Extensions(o), false)
		}
	}
}

// ofExtensions adds what the extensions of a concept in its code system or the value set say.
func (p *expansionProperties) ofExtensions(d *entryDetails, list r4.Extensions, inValueSet bool) {
	copied := copiedFromSystem
	if inValueSet {
		copied = copiedFromValueSet
	}
	for i := range list {
		x := &list[i]
		name, ours := strings.CutPrefix(x.URL, extensionOfFHIR)
		if !ours {
			continue
		}
		for _, f := range fromExtensions {
			if name == f.system && !inValueSet || name == f.valueSet && inValueSet {
				p.set(d, declaredProperty{f.code, f.uri}, r4.Value{Type: f.typ, Text: x.Value.Text})
			}
		}
		switch {
		case slices.Contains(copied, name):
			d.extensions = append(d.extensions, *x)
		case x.URL == issue.StandardsStatus:
			p.set(d, declaredProperty{"status", conceptProperties + "status"}, r4.Code(x.Value.Text))
		}
	}
}

// ofRequest adds the requested properties.
func (p *expansionProperties) ofRequest(d *entryDetails, e *valueset.Entry, supplements []*codesystem.Index) {
	for _, wanted := range p.wanted {
		if wanted == "definition" {
			if text := e.Index.Definition(e.Concept); text != "" {
				p.set(d, declaredProperty{wanted, conceptProperties + wanted}, r4.String(text))
			}
			continue
		}
		p.stated(d, e.Index, e.Concept, wanted)
		for _, x := range supplements {
			if o, ok := x.Find(e.Code); ok {
				p.stated(d, x, o, wanted)
			}
		}
	}
}

// stated adds the values of a property of a concept, or of all its properties for *.
func (p *expansionProperties) stated(d *entryDetails, x *codesystem.Index, o codesystem.Ord, wanted string) {
	found := false
	for property := range x.Properties(o) {
		if property.Code != wanted && wanted != "*" || property.Value.IsZero() {
			continue
		}
		found = true
		p.append(d, declaredProperty{property.Code, propertyURI(x, property.Code)}, property.Value)
	}
	if !found && (wanted == "parent" || wanted == "child") {
		for _, v := range x.PropertyValues(o, wanted, nil) {
			p.append(d, declaredProperty{wanted, conceptProperties + wanted}, v)
		}
	}
}

// propertyURI returns the uri of a property of a code system.
func propertyURI(x *codesystem.Index, code string) string {
	for i := range x.Header().Property {
		if property := &x.Header().Property[i]; property.Code == code {
			return property.URI
		}
	}
	return ""
}

// set sets the only value of a property.
func (p *expansionProperties) set(d *entryDetails, as declaredProperty, v r4.Value) {
	code := p.declare(as)
	for i := range d.properties {
		if d.properties[i].Code == code {
			d.properties[i].Value = v
			return
		}
	}
	d.properties = append(d.properties, codesystem.Property{Code: code, Value: v})
}

// append adds a value to a property.
func (p *expansionProperties) append(d *entryDetails, as declaredProperty, v r4.Value) {
	code := p.declare(as)
	for i := range d.properties {
		if had := &d.properties[i]; had.Code == code && had.Value.Type == v.Type && comparedText(had.Value) == comparedText(v) {
			return
		}
	}
	d.properties = append(d.properties, codesystem.Property{Code: code, Value: v})
}

func comparedText(v r4.Value) string {
	if v.Coding != nil {
		return v.Coding.System + "|" + v.Coding.Code
	}
	return v.Text
}

// declare adds a property to the declarations and returns its code. Properties with the same uri
// or the same code are the same property.
func (p *expansionProperties) declare(as declaredProperty) string {
	for i := range p.declared {
		had := &p.declared[i]
		if had.code != as.code && (as.uri == "" || had.uri != as.uri) {
			continue
		}
		if had.uri == "" {
			had.uri = as.uri
		}
		return had.code
	}
	p.declared = append(p.declared, as)
	return as.code
}
