package operation

import (
	"fmt"

	"github.com/roget-health/roget/resources/r4"
)

// DecodeParameters reads the Parameters body of a POST. With strict it refuses
// parameters the operation does not have, else it ignores them.
//
// The type of a value must fit the type of the parameter: uri, url, canonical, code, id,
// string, markdown, oid and uuid stand for each other, and so do the integers, and date,
// dateTime and instant.
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
	if !ok {
		if in.control(q.Name, q.Value.Text) || !strict {
			return nil
		}
		return in.unknown(q.Name)
	}
	k := kindOf(p.Type)
	if k >= kindCoding {
		v, err := complexOf(p, k, q)
		if err != nil {
			return err
		}
		return in.put(arg{param: p, more: &v})
	}
	if got, ok := valueKind(q.Value.Type); !ok || got != k {
		return mismatch(p, q)
	}
	if q.Value.Text == "" {
		return nil
	}
	if err := checkPrimitive(p, k, q.Value.Text); err != nil {
		return err
	}
	return in.put(arg{param: p, text: q.Value.Text})
}

// mismatch is the error of a value of the wrong type.
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
