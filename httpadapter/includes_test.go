package httpadapter

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
)

// TestDeclaredIncludes checks that every include and reverse include of the metadata finds a resource,
// and that chains and _has follow the same references.
func TestDeclaredIncludes(t *testing.T) {
	var planted *resources.Service // the resources are as small as can be, not valid
	c := newClient(t, func(config *Config) {
		planted = resources.NewService(memory.New(), config.Engine, resources.WithoutValidation())
		config.Resources = planted
	})
	tables := definitions.R4()
	rest := c.get("/metadata").want(t, 200)
	declared := 0
	check := func(query, want string) {
		declared++
		if got := modes(t, c.get("/"+query, "Prefer", "handling=strict").want(t, 200), "http://example.com"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	store := func(typ string, doc map[string]any) {
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planted.Update(t.Context(), typ, doc["id"].(string), body, resources.UpdateOptions{}); err != nil {
			t.Fatalf("%s\n%v", body, err)
		}
	}
	for i := 0; at(rest, "rest", 0, "resource", i) != nil; i++ {
		typ, _ := at(rest, "rest", 0, "resource", i, "type").(string)
		for _, reverse := range []bool{false, true} {
			list, _ := at(rest, "rest", 0, "resource", i, map[bool]string{false: "searchInclude", true: "searchRevInclude"}[reverse]).([]any)
			for j := range list {
				include := list[j].(string)
				from, code, found := strings.Cut(include, ":")
				if !found {
					continue // *
				}
				param := tables.SearchParam(from, code)
				to := "Library"
				switch {
				case reverse:
					to = typ
				case param.Targets != nil:
					to = param.Targets[j%len(param.Targets)]
				}
				id := fmt.Sprintf("%s%d-%d", map[bool]string{false: "f", true: "r"}[reverse], i, j)
				p := planter{tables}
				target := p.minimal(tables.Type(to))
				target["id"], target["resourceType"] = id+"-to", to
				canonical := "http://plant.example/" + id
				if tables.SearchParam(to, "url") != nil && to != "Device" {
					target["url"], target["version"] = canonical, "2"
				}
				if reverse {
					canonical += "|2"
				}
				source := p.minimal(tables.Type(from))
				source["id"], source["resourceType"] = id+"-from", from
				p.plant(source, tables.Type(from), param.Expression, func(e *definitions.Element) any {
					switch e.TypeCode {
					case "Reference":
						return map[string]any{"reference": to + "/" + id + "-to"}
					case "Resource":
						return target
					case "uri":
						return strings.TrimSuffix(canonical, "|2")
					}
					return canonical
				})
				store(to, target)
				store(from, source)
				if reverse {
					check(to+"?_id="+id+"-to&_revinclude="+url.QueryEscape(include), id+"-to +"+id+"-from")
					check(to+"?_has:"+include+":_id="+id+"-from", id+"-to")
				} else {
					check(from+"?_id="+id+"-from&_include="+url.QueryEscape(include), id+"-from +"+id+"-to")
					check(from+"?"+code+":"+to+"._id="+id+"-to", id+"-from")
				}
			}
		}
	}
	if declared < 1500 {
		t.Errorf("only %d searches", declared)
	}
}

// A planter makes valid resources from the definitions of their types.
type planter struct{ tables *definitions.Tables }

// minimal returns an object with the required elements of a type, or with one if none is required.
func (p planter) minimal(t *definitions.Type) map[string]any {
	object := map[string]any{}
	if t.Name == "Reference" {
		object["display"] = "x"
	}
	for _, e := range t.Required() {
		object[e.JSON] = p.many(e, p.value(e))
	}
	for _, e := range t.Elements {
		if len(object) == 0 && t.Kind != definitions.ResourceType && e.Name != "id" && e.Type.Kind == definitions.PrimitiveType && e.Max != 0 {
			object[e.JSON] = p.many(e, p.value(e))
		}
	}
	return object
}

func (p planter) many(e *definitions.Element, v any) any {
	if e.Repeats() {
		return []any{v}
	}
	return v
}

func (p planter) value(e *definitions.Element) any {
	if e.Type.Kind != definitions.PrimitiveType {
		if e.TypeCode == "Resource" {
			return map[string]any{"resourceType": "Basic", "code": map[string]any{"text": "x"}}
		}
		return p.minimal(e.Type)
	}
	if e.Binding != nil {
		return e.Binding.Codes()[0]
	}
	switch e.Type.Name {
	case "boolean":
		return true
	case "integer", "positiveInt", "unsignedInt", "decimal":
		return 1
	case "date", "dateTime":
		return "2024-01-01"
	case "instant":
		return "2024-01-01T00:00:00Z"
	case "time":
		return "10:00:00"
	case "base64Binary":
		return "eA=="
	case "uri", "url", "canonical":
		return "http://x.example/x"
	case "xhtml":
		return `<div xmlns="http://www.w3.org/1999/xhtml">x</div>`
	}
	return "x"
}

// plant sets the value at the first path of the expression of a search parameter.
func (p planter) plant(object map[string]any, t *definitions.Type, expression string, value func(*definitions.Element) any) {
	path, _, _ := strings.Cut(expression, " | ")
	if strings.HasPrefix(path, "(") {
		path = strings.Trim(path, "()")
	}
	if before, as, found := strings.Cut(path, " as "); found {
		path = before + ".as(" + as + ")"
	}
	steps := steps(path)[1:]
	for len(steps) > 0 {
		name, _, _ := strings.Cut(steps[0], "[")
		steps = steps[1:]
		e := t.Element(name)
		condition := ""
		if quoted, is := strings.CutPrefix(name, "extension('"); is {
			e, condition = t.Element("extension"), "url='"+quoted
		}
		if e == nil {
			choice := "Reference"
			for _, s := range steps {
				if open := strings.IndexByte(s, '('); open > 0 && (s[:open] == "as" || s[:open] == "ofType") {
					choice = s[open+1 : len(s)-1]
				}
			}
			for _, c := range t.Choices(name + "[x]") {
				delete(object, c.JSON)
				if c.TypeCode == choice || e == nil && c.TypeCode == "canonical" {
					e = c
				}
			}
		}
		for len(steps) > 0 && strings.HasSuffix(steps[0], ")") && !strings.HasPrefix(steps[0], "extension(") {
			if c, is := strings.CutPrefix(steps[0], "where("); is {
				condition = c
			}
			steps = steps[1:]
		}
		if len(steps) == 0 {
			object[e.JSON] = p.many(e, value(e))
			return
		}
		inner, _ := at(object, e.JSON).(map[string]any)
		if list, is := object[e.JSON].([]any); is {
			inner, _ = list[0].(map[string]any)
		}
		if inner == nil {
			inner = p.minimal(e.Type)
		}
		if quoted := strings.Split(condition, "'"); len(quoted) > 2 {
			if strings.HasPrefix(condition, "extension(") {
				inner["extension"] = []any{map[string]any{"url": quoted[1], "valueBoolean": true}}
			} else {
				inner[strings.TrimSuffix(quoted[0], "=")] = quoted[1]
			}
		}
		object[e.JSON] = p.many(e, inner)
		object, t = inner, e.Type
	}
}

// steps splits a path at the dots outside of parentheses.
func steps(path string) []string {
	depth, start := 0, 0
	var list []string
	for i, c := range path {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '.' && depth == 0:
			list, start = append(list, path[start:i]), i+1
		}
	}
	return append(list, path[start:])
}
