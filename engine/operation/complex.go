package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// complexText reads a complex value from text: JSON or a short form.
func (in *Input) complexText(p *Param, k kind, text string) error {
	var v complexValue
	var err error
	switch {
	case text[0] == '{' || text[0] == '[':
		v, err = complexJSON(p, k, text)
	case k == kindCoding:
		c := codingOf(text)
		v.coding = &c
	case k == kindConcept:
		v.concept = &r4.CodeableConcept{Coding: []r4.Coding{codingOf(text)}}
	case k == kindParts:
		v.part, err = partsOf(p, text)
	default:
		err = invalid(p.Name, fmt.Sprintf("%s is not a %s in JSON", quote(text), p.Type))
	}
	if err != nil {
		return err
	}
	return in.put(arg{param: p, more: &v})
}

// complexJSON reads a complex value from JSON. Coding, CodeableConcept and parts are wrapped in a
// Parameters resource, so that they are read exactly as in a POST.
func complexJSON(p *Param, k kind, text string) (complexValue, error) {
	member := map[kind]string{kindCoding: "valueCoding", kindConcept: "valueCodeableConcept", kindResource: "resource", kindParts: "part"}[k]
	if err := r4.Check([]byte(text), r4.DefaultLimits()); err != nil {
		return complexValue{}, withParameter(p, err)
	}
	body := fmt.Sprintf(`{"resourceType":"Parameters","parameter":[{"name":"value",%q:%s}]}`, member, text)
	doc, err := r4.DecodeParameters([]byte(body))
	if err != nil {
		return complexValue{}, withParameter(p, err)
	}
	if len(doc.Parameter) != 1 {
		return complexValue{}, invalid(p.Name, "no value")
	}
	return complexOf(p, k, &doc.Parameter[0])
}

// withParameter adds the name of the parameter to an error of the codec. Positions in the wrapper
// mean nothing to the user, so only the message is kept.
func withParameter(p *Param, err error) error {
	var syntax *r4.SyntaxError
	if errors.As(err, &syntax) {
		return invalid(p.Name, syntax.Msg)
	}
	return invalid(p.Name, err.Error())
}

// complexOf takes the value of a parameter that is not a primitive.
func complexOf(p *Param, k kind, q *r4.Parameter) (complexValue, error) {
	switch k {
	case kindCoding:
		if q.Value.Coding != nil {
			return complexValue{coding: q.Value.Coding}, nil
		}
	case kindConcept:
		if q.Value.Concept != nil {
			return complexValue{concept: q.Value.Concept}, nil
		}
	case kindResource:
		if q.Resource != nil {
			return complexValue{resource: q.Resource}, checkResource(p, q.Resource)
		}
	case kindParts:
		if len(q.Part) > 0 {
			return complexValue{part: q.Part}, nil
		}
	}
	return complexValue{}, mismatch(p, q)
}

// checkResource returns an error if a resource does not have the type of p.
func checkResource(p *Param, doc json.RawMessage) error {
	if p.Type == "Resource" || p.Name == paramValidation {
		return nil // checked when it is used, so that an error fails one validation only
	}
	typ := resourceType(doc)
	switch typ {
	case p.Type:
		return nil
	case "":
		return invalid(p.Name, "the resource has no resourceType, or one that is not a string")
	}
	return invalid(p.Name, fmt.Sprintf("the resource is a %s, not a %s", quote(typ), p.Type))
}

// resourceType returns the resourceType of a document, "" if it has none. It stops reading there.
func resourceType(doc json.RawMessage) string {
	var s r4.Scanner
	s.ResetBytes(doc, r4.DefaultLimits())
	if s.Object() {
		for s.Member() {
			if string(s.Name()) == "resourceType" {
				return string(s.Text())
			}
			s.Skip()
		}
	}
	return ""
}

// codingOf reads system|code, system|version|code or a code alone.
func codingOf(text string) r4.Coding {
	system, rest, found := strings.Cut(text, "|")
	if !found {
		return r4.Coding{Code: text}
	}
	if version, code, found := strings.Cut(rest, "|"); found {
		return r4.Coding{System: system, Version: version, Code: code}
	}
	return r4.Coding{System: system, Code: rest}
}

// partsOf reads the short form of a parameter of two parts: code=value for parts with these names.
// If the second part is a CodeableConcept, it is written as a Coding is.
func partsOf(p *Param, text string) ([]r4.Parameter, error) {
	first, second := &p.Part[0], &p.Part[1]
	a, b, found := strings.Cut(text, "=")
	if !found || a == "" {
		return nil, invalid(p.Name, fmt.Sprintf("%s is not of the form %s=%s", quote(text), first.Name, second.Name))
	}
	value := r4.String(b)
	if kindOf(second.Type) == kindConcept {
		value = r4.Value{Type: "CodeableConcept", Concept: &r4.CodeableConcept{Coding: []r4.Coding{codingOf(b)}}}
	}
	return []r4.Parameter{
		{Name: first.Name, Value: r4.Code(a)},
		{Name: second.Name, Value: value},
	}, nil
}
