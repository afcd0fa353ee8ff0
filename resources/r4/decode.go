package r4

import (
	"encoding/json"
	"errors"
	"strings"
)

// Check reports the first error of a JSON document.
func Check(data []byte, lim Limits) error {
	if !json.Valid(data) {
		var v any
		err := json.Unmarshal(data, &v)
		return &SyntaxError{Line: 1, Column: 1, Msg: "not valid JSON: " + err.Error(), Code: "structure"}
	}
	return nil
}

func decode[T any](data []byte, typ string) (*T, error) {
	if err := Check(data, DefaultLimits); err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(data, v); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			return nil, &SyntaxError{Line: 1, Column: 1, Offset: te.Offset, Expression: typ + "." + te.Field, Msg: err.Error(), Code: "structure"}
		}
		return nil, &SyntaxError{Line: 1, Column: 1, Msg: err.Error(), Code: "structure"}
	}
	return v, nil
}

// DecodeHeader reads the header of any resource.
func DecodeHeader(data []byte) (*Header, error) { return decode[Header](data, "Resource") }

// DecodeCodeSystem reads the header of a CodeSystem.
func DecodeCodeSystem(data []byte) (*CodeSystem, error) {
	return decode[CodeSystem](data, "CodeSystem")
}

// DecodeValueSet reads a ValueSet.
func DecodeValueSet(data []byte) (*ValueSet, error) { return decode[ValueSet](data, "ValueSet") }

// DecodeConceptMap reads a ConceptMap.
func DecodeConceptMap(data []byte) (*ConceptMap, error) {
	return decode[ConceptMap](data, "ConceptMap")
}

// DecodeParameters reads a Parameters resource.
func DecodeParameters(data []byte) (*Parameters, error) {
	var raw struct {
		ID        string
		Parameter []map[string]json.RawMessage
	}
	p, err := decode[struct {
		ID        string
		Parameter []map[string]json.RawMessage
	}](data, "Parameters")
	if err != nil {
		return nil, err
	}
	raw = *p
	list, err := stubParameters(raw.Parameter)
	if err != nil {
		return nil, err
	}
	return &Parameters{ID: raw.ID, Parameter: list}, nil
}

func stubParameters(in []map[string]json.RawMessage) ([]Parameter, error) {
	var out []Parameter
	for _, m := range in {
		var p Parameter
		for k, v := range m {
			switch {
			case k == "name":
				if err := json.Unmarshal(v, &p.Name); err != nil {
					return nil, &SyntaxError{Msg: err.Error(), Expression: "Parameters.parameter.name", Code: "structure"}
				}
			case k == "resource":
				p.Resource = v
			case k == "part":
				var parts []map[string]json.RawMessage
				if err := json.Unmarshal(v, &parts); err != nil {
					return nil, &SyntaxError{Msg: err.Error(), Expression: "Parameters.parameter.part", Code: "structure"}
				}
				var err error
				if p.Part, err = stubParameters(parts); err != nil {
					return nil, err
				}
			case strings.HasPrefix(k, "value"):
				p.Value.Type = k[5:]
				var err error
				switch {
				case p.Value.Type == "Coding":
					err = json.Unmarshal(v, &p.Value.Coding)
				case p.Value.Type == "CodeableConcept":
					err = json.Unmarshal(v, &p.Value.Concept)
				case v[0] == '"':
					err = json.Unmarshal(v, &p.Value.Text)
				case v[0] == '{':
					p.Value.Raw = v
				default:
					p.Value.Text = string(v)
				}
				if err != nil {
					return nil, &SyntaxError{Msg: err.Error(), Expression: "Parameters.parameter." + k, Code: "structure"}
				}
			}
		}
		out = append(out, p)
	}
	return out, nil
}
