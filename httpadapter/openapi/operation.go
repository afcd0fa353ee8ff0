package openapi

import (
	"encoding/json"
	"strings"

	"github.com/roget-health/roget/engine/operation"
)

// Query returns the parameters of a GET of an operation of the table. The name, such as
// ValueSetExpand, is that of its components.
func (b *Builder) Query(name string, op *operation.Operation) []*Parameter {
	var list []*Parameter
	for i := range op.In {
		p := &op.In[i]
		if p.Refused || b.isResource(p) {
			continue
		}
		list = append(list, b.Parameter(name+"."+p.Name, func() *Parameter { return b.query(op, p) }))
	}
	return list
}

// Request returns the body of a POST of an operation: Parameters, a resource if the operation has exactly
// one parameter of its type, or a form.
func (b *Builder) Request(name string, op *operation.Operation) *RequestBody {
	return b.Body(name, func() *RequestBody { return b.body(name, op) })
}

// Answer returns the response of an operation: a resource, or Parameters.
func (b *Builder) Answer(name string, op *operation.Operation) *Response {
	return b.Response(name, func() *Response { return b.answer(name, op) })
}

// isResource reports whether the values of a parameter are resources.
func (b *Builder) isResource(p *operation.Param) bool {
	return p.Type == "Resource" || b.tables.IsResource(p.Type)
}

// required reports whether a parameter is required at all levels of an operation. An instance
// replaces parameters that are required on the type.
func required(op *operation.Operation, p *operation.Param) bool { return p.Min > 0 && !op.Instance }

// query returns a parameter of a GET.
func (b *Builder) query(op *operation.Operation, p *operation.Param) *Parameter {
	q := &Parameter{Name: p.Name, In: "query", Description: p.Doc, Required: required(op, p), Schema: b.textSchema(p)}
	if form := shortForm(p); form != "" {
		q.Description += " Written as JSON, or as " + form + "."
	}
	var values []any
	for _, a := range op.Example {
		if a.Name == p.Name {
			values = append(values, exampleText(p, a.Value))
		}
	}
	switch {
	case p.Many && len(values) > 0:
		q.Example = values
	case len(values) > 0:
		q.Example = values[0]
	}
	return q
}

// shortForm describes how a complex value is written in a query, "" for a primitive one.
func shortForm(p *operation.Param) string {
	switch {
	case p.Type == "Coding" || p.Type == "CodeableConcept":
		return "system|code or system|version|code"
	case p.Type == "" && len(p.Part) > 1:
		return p.Part[0].Name + "=" + p.Part[1].Name
	}
	return ""
}

// textSchema returns the schema of a parameter in a query or form.
func (b *Builder) textSchema(p *operation.Param) *Schema {
	one := &Schema{Type: "string"}
	if shortForm(p) == "" {
		one = b.primitiveValue(p)
	}
	if p.Many {
		return ArrayOf(one)
	}
	if p.Default != "" {
		one.Default = exampleText(p, p.Default)
	}
	return one
}

// primitiveValue returns the schema of a value of a primitive parameter.
func (b *Builder) primitiveValue(p *operation.Param) *Schema {
	if len(p.Codes) > 0 {
		return &Schema{Type: "string", Enum: p.Codes}
	}
	return b.Type(p.Type)
}

// form returns the schema of the parameters as a form.
func (b *Builder) form(op *operation.Operation) *Schema {
	s := &Schema{Type: "object"}
	for i := range op.In {
		p := &op.In[i]
		if p.Refused || b.isResource(p) {
			continue
		}
		if required(op, p) {
			s.Required = append(s.Required, p.Name)
		}
		s.Properties.Add(p.Name, b.textSchema(p))
	}
	return s
}

// body makes what Request refers to.
func (b *Builder) body(name string, op *operation.Operation) *RequestBody {
	schema := b.Schema(name+"Request", func() *Schema { return b.parameters(op.In, true) })
	lone := map[string]int{}
	for i := range op.In {
		if p := &op.In[i]; b.isResource(p) && !p.Many {
			lone[p.Type]++
		}
	}
	var all []*Schema
	for i := range op.In {
		if typ := op.In[i].Type; lone[typ] == 1 && !op.In[i].Many && typ != "Parameters" {
			all = append(all, b.Type(typ))
		}
	}
	if len(all) > 0 {
		schema = &Schema{AnyOf: append([]*Schema{schema}, all...)}
	}
	body := &RequestBody{Description: op.Doc, Content: b.Content(schema)}
	if len(op.Example) > 0 {
		body.Content[0].Value.Examples = Map[Example]{{"type", Example{"A request that the samples answer", exampleParameters(op)}}}
	}
	if form := b.form(op); len(form.Properties) > 0 {
		body.Content.Add(mediaForm, Media{Schema: form})
	}
	return body
}

// answer makes what Answer refers to.
func (b *Builder) answer(name string, op *operation.Operation) *Response {
	if len(op.Out) == 1 && op.Out[0].Type == "Binary" { // a table
		text := Media{Schema: &Schema{Type: "string"}}
		return &Response{Description: op.Out[0].Doc, Content: Map[Media]{{"application/json", Media{Schema: ArrayOf(&Schema{Type: "object"})}}, {"text/csv", text}, {"application/x-ndjson", text}}}
	}
	if len(op.Out) == 1 && op.Out[0].Name == "return" {
		return &Response{Description: op.Out[0].Doc, Content: b.Content(b.Type(op.Out[0].Type))}
	}
	schema := b.Schema(name+"Response", func() *Schema { return b.parameters(op.Out, false) })
	return &Response{Description: "The answer.", Content: b.Content(schema)}
}

// parameters returns the schema of Parameters with certain parameters.
func (b *Builder) parameters(list []operation.Param, in bool) *Schema {
	whole := &Schema{Type: "object", Required: []string{"resourceType"}, Properties: Map[*Schema]{
		{"resourceType", &Schema{Type: "string", Const: "Parameters"}},
		{"id", b.Type("id")},
		{"meta", b.Type("Meta")},
	}}
	if items := b.items(list, in); items != nil {
		whole.Properties.Add("parameter", ArrayOf(items))
	}
	return whole
}

// items returns the schema of one of the parameters of a list, nil for an empty list.
func (b *Builder) items(list []operation.Param, in bool) *Schema {
	var all []*Schema
	for i := range list {
		if !list[i].Refused {
			all = append(all, b.item(&list[i], in))
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &Schema{AnyOf: all}
}

// item returns the schema of a parameter. A parameter of an answer may have its value in another type
// than the declared one, as a property of a concept has.
func (b *Builder) item(p *operation.Param, in bool) *Schema {
	s := &Schema{
		Title: p.Name, Description: p.Doc, Cardinality: cardinality(p), Type: "object", Required: []string{"name"},
		Properties: Map[*Schema]{{"name", &Schema{Type: "string", Const: p.Name}}},
	}
	member, value := b.member(p, in)
	if !in {
		s.ValueType = p.Type
		s.AllOf = []*Schema{b.Type("Parameters.parameter")}
		if len(p.Codes) == 0 && len(p.Part) == 0 {
			return s
		}
	} else {
		s.Required = append(s.Required, member)
	}
	s.Properties.Add(member, value)
	return s
}

// member returns the name and the schema of the member with the value of a parameter.
func (b *Builder) member(p *operation.Param, in bool) (string, *Schema) {
	switch {
	case p.Type == "":
		items := b.items(p.Part, in)
		if items == nil {
			items = b.Type("Parameters.parameter")
		}
		return "part", ArrayOf(items)
	case b.isResource(p):
		return "resource", b.Type(p.Type)
	case p.Type == "Coding" || p.Type == "CodeableConcept":
		return valueMember(p), b.Type(p.Type)
	}
	return valueMember(p), b.primitiveValue(p)
}

// valueMember returns the name of value[x] for the type of a parameter.
func valueMember(p *operation.Param) string {
	return "value" + strings.ToUpper(p.Type[:1]) + p.Type[1:]
}

func cardinality(p *operation.Param) string {
	low, high := "0", "1"
	if p.Min > 0 {
		low = "1"
	}
	if p.Many {
		high = "*"
	}
	return low + ".." + high
}

// exampleText returns a value of a parameter in a query as JSON: a number, a boolean or a string.
func exampleText(p *operation.Param, text string) any {
	switch p.Type {
	case "boolean":
		return text == "true"
	case "integer", "positiveInt", "unsignedInt", "decimal":
		return json.Number(text)
	}
	return text
}

// exampleParameters returns the example of an operation as Parameters.
func exampleParameters(op *operation.Operation) any {
	var list []any
	for _, a := range op.Example {
		if p, found := op.Param(a.Name); found {
			list = append(list, exampleParameter(p, a.Value))
		}
	}
	return Map[any]{{"resourceType", "Parameters"}, {"parameter", list}}
}

// exampleParameter returns a value of a parameter, which is in one of the forms that operation.Input.Add
// reads, as one of Parameters.
func exampleParameter(p *operation.Param, text string) Map[any] {
	out := Map[any]{{"name", p.Name}}
	whole := text[0] == '{' || text[0] == '['
	switch {
	case whole && p.Type == "":
		out.Add("part", json.RawMessage(text))
	case whole && p.Type != "Coding" && p.Type != "CodeableConcept":
		out.Add("resource", json.RawMessage(text))
	case whole:
		out.Add(valueMember(p), json.RawMessage(text))
	case p.Type == "":
		first, second, _ := strings.Cut(text, "=")
		out.Add("part", []any{exampleParameter(&p.Part[0], first), exampleParameter(&p.Part[1], second)})
	case p.Type == "Coding":
		out.Add(valueMember(p), exampleCoding(text))
	case p.Type == "CodeableConcept":
		out.Add(valueMember(p), Map[any]{{"coding", []any{exampleCoding(text)}}})
	default:
		out.Add(valueMember(p), exampleText(p, text))
	}
	return out
}

// exampleCoding returns system|code as a Coding.
func exampleCoding(text string) any {
	system, code, _ := strings.Cut(text, "|")
	return Map[any]{{"system", system}, {"code", code}}
}
