package fhir

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
)

// codeSystem reads a CodeSystem into a builder. Elements of the header may come before and after
// the concepts: the builder first gets the part before them, and the whole header at the end.
func (l *reader) codeSystem(lenient bool) *resource {
	s := l.scanner
	header := new(r4.CodeSystem)
	var builder *codesystem.Builder
	var added members
	s.Object()
	for s.Member() {
		if string(s.Name()) != "concept" {
			if name := string(s.Name()); r5.Added("CodeSystem", name) {
				added.add(name, s.Raw(l.limits.MaxDocument))
			} else {
				header.ReadMember(s)
			}
			continue
		}
		early := *header
		l.declared = kindsDeclared(header.Property)
		builder = codesystem.NewBuilder(&early)
		l.concepts(builder, 0, nil)
	}
	switch {
	case s.Err() != nil:
		return nil
	case header.ResourceType == "" && lenient:
		return nil
	case header.ResourceType == "":
		s.Fail("required", "the element resourceType is missing")
		return nil
	case header.ResourceType != "CodeSystem":
		l.reading.Count(0, 0, 1)
		return nil
	}
	if err := added.extend(header); err != nil {
		s.FailWith("structure", err)
		return nil
	}
	if builder == nil {
		builder = codesystem.NewBuilder(header)
	} else {
		builder.SetHeader(header)
	}
	return &resource{builder: builder}
}

// kindsDeclared returns the type of value[x] for the code of each property, according to its
// declaration (R4 CodeSystem.property.type).
func kindsDeclared(list []r4.CodeSystemProperty) map[string]string {
	kinds := make(map[string]string, len(list))
	for _, p := range list {
		switch p.Type {
		case "code":
			kinds[p.Code] = "Code"
		case "Coding":
			kinds[p.Code] = "Coding"
		case "string":
			kinds[p.Code] = "String"
		case "integer":
			kinds[p.Code] = "Integer"
		case "boolean":
			kinds[p.Code] = "Boolean"
		case "dateTime":
			kinds[p.Code] = "DateTime"
		case "decimal":
			kinds[p.Code] = "Decimal"
		}
	}
	return kinds
}
