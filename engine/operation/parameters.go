package operation

import (
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/resources/r4"
)

// DecodeParameters reads the Parameters body of a POST. With strict, a parameter that the
// operation does not have is an error; otherwise it is ignored.
//
// The type of a value must fit the type of the parameter. The types uri, url, canonical, code, id,
// string, markdown, oid and uuid are interchangeable; so are the integer types, and date, dateTime
// and instant. An integer may be used for a decimal. Without strict, any primitive may also be a
// string, a parameter without a value counts as absent, as HAPI sends the system of a coding that has
// none, and the last of several values of a setting applies: some clients send their configuration
// beside the parameters of the request.
func (in *Input) DecodeParameters(p *r4.Parameters, strict bool) error {
	for i := range p.Parameter {
		if err := in.parameter(&p.Parameter[i], strict); err != nil {
			return err
		}
	}
	return nil
}

func (in *Input) parameter(q *r4.Parameter, strict bool) error {
	p, ok := in.Op.Param(q.Name)
	switch {
	case !ok && q.Name == paramProfile && q.Resource != nil:
		return in.profile(q.Resource, strict)
	case !ok && (in.control(q.Name, q.Value.Text) || !strict && !in.Op.Exact):
		return nil
	case !ok:
		return in.unknown(q.Name)
	}
	if !strict && isEmpty(q) {
		in.empty = append(in.empty, p)
		return nil
	}
	k := kindOf(p.Type)
	if k >= kindCoding {
		v, err := complexOf(p, k, q)
		if err != nil {
			return err
		}
		return in.put(arg{param: p, more: &v})
	}
	if got, ok := valueKind(q.Value.Type); !ok || got != k && !widens(got, k) && (strict || !standsFor(got, k)) {
		return mismatch(p, q)
	}
	if q.Value.Type == "Reference" {
		var value struct{ Reference string }
		if err := json.Unmarshal(q.Value.Raw, &value); err != nil || value.Reference == "" {
			return mismatch(p, q)
		}
		return in.put(arg{param: p, text: value.Reference})
	}
	if q.Value.Text == "" {
		in.empty = append(in.empty, p)
		return nil
	}
	if err := checkPrimitive(p, k, q.Value.Text); err != nil {
		return err
	}
	a := arg{param: p, text: q.Value.Text}
	if !strict && isSetting(p) {
		return in.set(a)
	}
	return in.put(a)
}

// isEmpty reports whether a parameter has neither a value, a resource nor parts.
func isEmpty(q *r4.Parameter) bool {
	return q.Value.Type == "" && q.Resource == nil && len(q.Part) == 0
}

// widens reports whether every value of one kind is also a value of another.
func widens(got, want kind) bool { return got == kindInteger && want == kindDecimal }

// standsFor reports whether a value of one kind may be used for another, if its text has the form
// of the other.
func standsFor(got, want kind) bool {
	return got == kindText || got == kindDecimal && want == kindInteger
}

// mismatch returns the error of a value of the wrong type.
func mismatch(p *Param, q *r4.Parameter) error {
	got := "no value"
	switch {
	case q.Value.Type != "":
		got = "value" + q.Value.Type
	case q.Resource != nil:
		got = "a resource"
	case len(q.Part) > 0:
		got = "parts"
	}
	want := p.Type
	if kindOf(p.Type) == kindParts {
		want = "parts"
	}
	return invalid(p.Name, fmt.Sprintf("%s, where %s is expected", got, want))
}
