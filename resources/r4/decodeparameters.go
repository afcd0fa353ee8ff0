package r4

import "strings"

// DecodeParameters decodes a Parameters resource: values of all FHIR R4 types, resources as their
// JSON, and nested parts.
func DecodeParameters(data []byte) (*Parameters, error) {
	p := new(Parameters)
	var resourceType string
	err := decodeResource(data, "Parameters", &resourceType, func(s *Scanner, name []byte) {
		switch string(name) {
		case "resourceType":
			readText(s, &resourceType)
		case "id":
			readText(s, &p.ID)
		case "parameter":
			readList(s, &p.Parameter, readParameter)
		default:
			s.Skip()
		}
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func readParameter(s *Scanner, p *Parameter) {
	if !s.Object() {
		return
	}
	for s.Member() {
		name := s.Name()
		switch string(name) {
		case "name":
			readText(s, &p.Name)
		case "resource":
			if s.want(KindObject) {
				readRaw(s, &p.Resource)
			}
		case "part":
			readList(s, &p.Part, readParameter)
		default:
			suffix, isValue := strings.CutPrefix(string(name), "value")
			switch {
			case !isValue:
				s.Skip()
			case !p.Value.IsZero():
				s.Fail("structure", "the parameter already has a value: value%s", p.Value.Type)
			default:
				ReadValue(s, []byte(suffix), &p.Value)
			}
		}
	}
	if p.Name == "" {
		s.Fail("required", "the parameter has no name")
	}
}
