package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const openAPIDoc = `{"openapi":"3.0.0","components":{"schemas":{
 "ValueType":{"type":"string","enum":["NUMBER","TEXT",null]},
 "Base":{"type":"object","required":["id"],"properties":{"id":{"type":"string","description":"The uid."},"self":{"$ref":"#/components/schemas/Base"}}},
 "Loop":{"allOf":[{"$ref":"#/components/schemas/Loop"},{"$ref":"#/components/schemas/Ring"}]},
 "Ring":{"allOf":[{"$ref":"#/components/schemas/Loop"}],"properties":{"r":{"type":"integer"}}},
 "DataElement":{"allOf":[{"$ref":"#/components/schemas/Base"},{"properties":{"inline":{"type":"boolean"}},"required":["inline"]}],
  "required":["valueType"],
  "properties":{
   "valueType":{"$ref":"#/components/schemas/ValueType"},
   "gone":{"$ref":"#/components/schemas/Nowhere"},
   "when":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},
   "n":{"type":"number"},"list":{"type":"array","items":{"$ref":"#/components/schemas/ValueType"}},
   "lists":{"type":"array","items":{"type":"array","items":{"type":"string","nullable":true}}},
   "map":{"type":"object","additionalProperties":{"type":"integer"}},"open":{"type":"object"},
   "choice":{"enum":["A","B",3]},
   "one":{"oneOf":[{"$ref":"#/components/schemas/Base"},{"type":"string"},{"type":"string"},{"type":"null"}]},
   "any":{"anyOf":[{"type":"integer"},{"type":"array"}]},
   "all":{"allOf":[{"$ref":"#/components/schemas/Base"}]},
   "several":{"type":["null","string","integer"]},
   "nothing":{},"wrong":[1],"flag":true,"kind":{"type":9,"description":"odd"},"nullable":{"type":"string","nullable":true}}},
 "a.Odd":7,"b.Odd":{}
}}}`

// Platform toolkit, section 4.5.
// Rows of docs/platform.md: 4.23, T4.5.
func TestFromOpenAPI(t *testing.T) {
	types, err := FromOpenAPI([]byte(openAPIDoc))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Base  : id! str (The uid.); self Base | None",
		"DataElement  : all Base | None; any int | list[any] | None; choice enum (A, B, 3) | None; day datetime | None; flag any | None; " +
			"gone Nowhere | None; id! str (The uid.); inline! bool; kind any | None (odd); list list[ValueType (NUMBER, TEXT)] | None; " +
			"lists list[list[str | None]] | None; map dict[str, int] | None; n float | None; nothing any | None; nullable str | None; " +
			"one Base | str | None; open dict | None; self Base | None; several int | str | None; valueType! ValueType (NUMBER, TEXT); " +
			"when datetime | None; wrong any | None",
		"Loop  : r int | None",
		"Ring  : r int | None",
		"ValueType  : ",
		"a.Odd  : ",
		"b.Odd  : ",
	}
	if got := written(types); !slices.Equal(got, want) {
		t.Errorf("types:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestOpenAPILimits(t *testing.T) {
	components := func(list ...string) []byte {
		return []byte(`{"components":{"schemas":{` + strings.Join(list, ",") + `}}}`)
	}
	deep := strings.Repeat(`{"type":"array","items":`, 50) + `{"type":"string"}` + strings.Repeat("}", 50)
	types, err := FromOpenAPI(components(`"T":{"required":["a"],"properties":{"a":` + deep + `}}`))
	if want := strings.Repeat("list[", 17) + "any" + strings.Repeat("]", 17); err != nil || types[0].Fields[0].Type != want {
		t.Errorf("deep: %v, %v", types, err)
	}
	wide := `"W":{"enum":["` + strings.Repeat("x", 100_000) + `"]}`
	types, err = FromOpenAPI(components(wide, `"T":{"properties":{"a":{"$ref":"#/W"}}}`))
	if err != nil || len(types[0].Fields[0].Type) > maxText+100 {
		t.Errorf("wide: %v", err)
	}
	// A few components that all others are made of make too many fields.
	var properties, many []string
	for i := range 30 {
		properties = append(properties, fmt.Sprintf(`"p%d":{}`, i))
		many = append(many, fmt.Sprintf(`"T%d":{"allOf":[{"$ref":"#/B"}]}`, i))
	}
	many = append(many, `"B":{"properties":{`+strings.Join(properties, ",")+`}}`)
	if types, err := fromOpenAPI(components(many...), 30*30); !errors.Is(err, ErrLimit) {
		t.Errorf("%d types of 30 fields each: %v", len(types), err)
	}
	if _, err := fromOpenAPI(components(many...), 40*40); err != nil {
		t.Errorf("within the limit: %v", err)
	}
}

// TestParts: names of types are distinct and few, parts beyond the limit are not rendered, and names have
// their plural.
func TestParts(t *testing.T) {
	for doc, want := range map[string]string{
		`"a"`: "a", `""`: "", `["b","a","b"]`: "a b", `["a","a","a","a","a","a","a","a","b"]`: "a b", `["1","2","3","4","5","6","7","8","9"]`: "1 2 3 4 5 6 7 8", `{}`: "",
	} {
		if got := strings.Join(typeNames([]byte(doc)), " "); got != want {
			t.Errorf("%s: %s", doc, got)
		}
	}
	rendered := 0
	joined(make([]json.RawMessage, maxText), func(json.RawMessage) string {
		rendered++
		return "four"
	}, "|")
	if want := maxText/4 + 1; rendered != want {
		t.Errorf("%d parts are rendered, want %d", rendered, want)
	}
	for word, want := range map[string]string{"DataElement": "dataElements", "Category": "categories", "Access=accesses": "accesses"} {
		if got := nameOnly(word); got.Plural != want || got.Endpoint != "/api/"+want {
			t.Errorf("%s: %+v", word, got)
		}
	}
}

func FuzzFromOpenAPI(f *testing.F) {
	f.Add([]byte(openAPIDoc))
	f.Add([]byte(`{"components":{"schemas":{"A":{"$ref":"#/A"},"":{"allOf":[{"allOf":[{"$ref":"/A"}]}]}}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) { checkMapping(t, FromOpenAPI, OpenAPI, doc) })
}
