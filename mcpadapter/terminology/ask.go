package terminology

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/resources/r4"
)

// parameters are those of an operation.
type parameters []map[string]any

// text adds a parameter unless its value is empty.
func (p parameters) text(name, value string) parameters {
	if value == "" {
		return p
	}
	return append(p, map[string]any{"name": name, "valueString": value})
}

func (p parameters) number(name string, value int) parameters {
	return append(p, map[string]any{"name": name, "valueInteger": value})
}

// yes adds a parameter that is true, unless it is false.
func (p parameters) yes(name string, value bool) parameters {
	if !value {
		return p
	}
	return append(p, map[string]any{"name": name, "valueBoolean": true})
}

func (p parameters) resource(name string, value any) parameters {
	return append(p, map[string]any{"name": name, "resource": value})
}

// operate runs an operation and returns the resource that answers it.
func (t *Tools) operate(ctx context.Context, typ, name string, p parameters) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"resourceType": "Parameters", "parameter": p})
	if err != nil {
		return nil, err
	}
	return t.source.Operate(ctx, typ, name, body)
}

// ask runs an operation whose answer is a Parameters resource.
func (t *Tools) ask(ctx context.Context, typ, name string, p parameters) (*answered, error) {
	doc, err := t.operate(ctx, typ, name, p)
	if err != nil {
		return nil, err
	}
	read, err := r4.DecodeParameters(doc)
	if err != nil {
		return nil, fmt.Errorf("%s/$%s did not answer with Parameters: %w", typ, name, err)
	}
	return &answered{read.Parameter}, nil
}

// answered are the parameters of an answer, or the parts of one.
type answered struct{ list []r4.Parameter }

func (a *answered) find(name string) *r4.Parameter {
	for i := range a.list {
		if a.list[i].Name == name {
			return &a.list[i]
		}
	}
	return nil
}

// all returns the parts of every parameter of a name.
func (a *answered) all(name string) []answered {
	var list []answered
	for i := range a.list {
		if a.list[i].Name == name {
			list = append(list, answered{a.list[i].Part})
		}
	}
	return list
}

func (a *answered) text(name string) string {
	if p := a.find(name); p != nil {
		return p.Value.Text
	}
	return ""
}

func (a *answered) is(name string) bool { return a.text(name) == "true" }

func (a *answered) coding(name string) r4.Coding {
	if p := a.find(name); p != nil && p.Value.Coding != nil {
		return *p.Value.Coding
	}
	return r4.Coding{}
}

// valueText returns a value as text: the code of a Coding with its system.
func valueText(v r4.Value) (text, display string) {
	switch {
	case v.Coding != nil:
		return v.Coding.Code, v.Coding.Display
	case v.Concept != nil:
		return v.Concept.Text, ""
	case len(v.Raw) > 0:
		return string(v.Raw), ""
	}
	return v.Text, ""
}

// expansion is an expanded value set.
type expansion struct {
	Total    *int
	Contains []member
}

// member is a code of an expansion.
type member struct {
	System, Version, Code, Display string
	Inactive, Abstract             bool
	Designation                    []struct{ Language, Value string }

	near string // the designation that is spelled nearly as a text, if the display is not
}

// expanded runs $expand.
func (t *Tools) expanded(ctx context.Context, p parameters) (*expansion, error) {
	doc, err := t.operate(ctx, "ValueSet", "expand", p)
	if err != nil {
		return nil, err
	}
	var vs struct{ Expansion *expansion }
	if err := json.Unmarshal(doc, &vs); err != nil || vs.Expansion == nil {
		return nil, fmt.Errorf("$expand did not answer with an expansion")
	}
	return vs.Expansion, nil
}

func (e *expansion) total() int {
	if e.Total != nil {
		return *e.Total
	}
	return len(e.Contains)
}
