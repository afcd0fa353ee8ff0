package uiadapter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// A Field is a search parameter in a form.
type Field struct {
	// Code is the name of the parameter, and Kind its type.
	Code, Kind string
	// Value is what it has, or From and To are the ends of a range; Unit is that of a quantity, and How
	// the modifier.
	Value, From, To, Unit, How string
	// Targets are the types that a reference may lead to.
	Targets []string
	// Choices are the codes of a closed list.
	Choices []FieldChoice
	// Concepts is true if the field takes codes of code systems, which people find by words.
	Concepts bool
	// Hits are concepts that words in the field may mean.
	Hits []Picked

	param *definitions.SearchParam
}

// A FieldChoice is a code of a closed list.
type FieldChoice struct {
	Code, Text string
	Chosen     bool
}

// Given reports whether the field has something.
func (f *Field) Given() bool {
	return f.Value != "" || f.From != "" || f.To != "" || f.How == "missing"
}

// Placeholder returns an example of what the field takes.
func (f *Field) Placeholder() string {
	switch f.Kind {
	case "date":
		return "2024-05-31"
	case "reference":
		if len(f.Targets) == 0 {
			return "Patient/123"
		}
		return f.Targets[0] + "/123"
	}
	return ""
}

// hows are the modifiers that a form offers, by kind.
var hows = map[string][]string{
	"token":  {"below", "not", "text", "missing"},
	"string": {"contains", "exact", "missing"},
	"uri":    {"below", "missing"},
	"date":   {"missing"}, "reference": {"missing"}, "quantity": {"missing"}, "number": {"missing"},
}

// Hows returns the modifiers that the form offers for the field.
func (f *Field) Hows() []string {
	if len(f.Choices) > 0 {
		return []string{"not", "missing"}
	}
	return hows[f.Kind]
}

// Ranged reports whether the field has two ends.
func (f *Field) Ranged() bool { return f.Kind == "date" || f.Kind == "number" || f.Kind == "quantity" }

// mostChoices is the number of codes of the longest list that is a menu.
const mostChoices = 80

// fields returns the parameters that the server declares for a type, with what the request has for
// them: those of the type, then those of all types.
func (p *Page) fields(typ string) []*Field {
	n := p.namer()
	var list []*Field
	for _, param := range p.h.tables.SearchParams(typ) {
		if !search.Searchable(param) {
			continue
		}
		f := &Field{
			Code: param.Code, Kind: param.Kind.String(), Targets: param.Targets, param: param,
			Value: p.Query("p." + param.Code), From: p.Query("ge." + param.Code), To: p.Query("le." + param.Code), Unit: p.Query("u." + param.Code),
		}
		if codes := p.h.boundTo(param); codes != nil && len(codes.Codes()) <= mostChoices {
			for _, code := range codes.Codes() {
				f.Choices = append(f.Choices, FieldChoice{Code: code, Text: n.concept(codes.System(code), code, "").Text, Chosen: code == f.Value})
			}
		}
		f.Concepts = len(f.Choices) == 0 && p.h.hasConcepts(param)
		if how := p.Query("how." + param.Code); slices.Contains(f.Hows(), how) {
			f.How = how
		}
		list = append(list, f)
	}
	sortBy(list, func(a, b *Field) int { return rankOfField(a) - rankOfField(b) })
	return list
}

// firstFields are the parameters that people search by first.
var firstFields = [...]string{
	"code", "vaccine-code", "name", "family", "given", "gender", "birthdate", "patient", "subject", "date", "onset-date", "authoredon", "status", "clinical-status", "category", "class", "type", "value-quantity", "encounter", "identifier",
}

// Main reports whether people often search by the field.
func (f *Field) Main() bool { return rankOfField(f) < len(firstFields) }

func rankOfField(f *Field) int {
	if i := slices.Index(firstFields[:], f.Code); i >= 0 {
		return i
	}
	if strings.HasPrefix(f.Code, "_") {
		return len(firstFields) + 1
	}
	return len(firstFields)
}

// criteria returns the parameters of FHIR that a field stands for: none, one, or two for a range.
func (f *Field) criteria() []criterion {
	switch {
	case f.How == "missing":
		return []criterion{{f.Code + ":missing", "true"}}
	case f.Ranged() && (f.From != "" || f.To != ""):
		var list []criterion
		for _, end := range [...]criterion{{"ge", f.From}, {"le", f.To}} {
			if end.value == "" {
				continue
			}
			value := end.name + end.value
			if f.Unit != "" {
				value += "||" + search.Escape(f.Unit)
			}
			list = append(list, criterion{f.Code, value})
		}
		return list
	case f.Value == "":
		return nil
	}
	name, value := f.Code, f.Value
	if f.How != "" {
		name += ":" + f.How
	}
	if f.Kind == "string" || f.How == "text" {
		value = search.Escape(value)
	}
	return []criterion{{name, value}}
}

// cast is the part of an expression that chooses the type of a value.
var cast = regexp.MustCompile(`^\(?([A-Za-z]+(?:\.[A-Za-z]+)+?)(?:\.as\(([A-Za-z]+)\)| as ([A-Za-z]+))?\)?$`)

// pathOf returns the names in JSON that lead to the codes of a parameter, and the last element; nil
// for one that has others or whose expression is no path.
func (h *Handler) pathOf(param *definitions.SearchParam) ([]string, *definitions.Element) {
	part, _, _ := strings.Cut(param.Expression, " | ")
	m := cast.FindStringSubmatch(part)
	if param.Kind != definitions.Token || m == nil {
		return nil, nil
	}
	names := strings.Split(m[1], ".")
	typ, path := h.tables.Type(names[0]), []string(nil)
	var element *definitions.Element
	for i, name := range names[1:] {
		if typ == nil {
			return nil, nil
		}
		if i == len(names)-2 && m[2]+m[3] != "" {
			as := m[2] + m[3]
			name += strings.ToUpper(as[:1]) + as[1:]
		}
		if element = typ.Element(name); element == nil {
			return nil, nil
		}
		path, typ = append(path, name), element.Type
	}
	return path, element
}

// boundTo returns the closed list of codes of a parameter, nil if there is none.
func (h *Handler) boundTo(param *definitions.SearchParam) *definitions.CodeList {
	if _, element := h.pathOf(param); element != nil {
		return element.Binding
	}
	return nil
}

// hasConcepts reports whether a parameter is about concepts, which have a code system.
func (h *Handler) hasConcepts(param *definitions.SearchParam) bool {
	_, element := h.pathOf(param)
	return element != nil && (element.TypeCode == "CodeableConcept" || element.TypeCode == "Coding")
}
