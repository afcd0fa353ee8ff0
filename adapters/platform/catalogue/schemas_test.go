package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const schemasDoc = `{"schemas":[
 {"name":"userRole","singular":"userRole","plural":"userRoles","klass":"a.b.user.UserRole","apiEndpoint":"/api/userRoles","metadata":true,"properties":[
  {"name":"authority","fieldName":"authoritys","propertyType":"COLLECTION","itemPropertyType":"TEXT","itemKlass":"java.lang.String","collection":true,"klass":"java.util.Set"},
  {"name":"user","fieldName":"users","propertyType":"COLLECTION","itemPropertyType":"REFERENCE","itemKlass":"a.b.user.User","collection":true},
  {"name":"name","fieldName":"_name","propertyType":"TEXT","required":true,"description":" What it is called. "},
  {"name":"name","propertyType":"TEXT"}]},
 {"name":"dataElement","singular":"dataElement","plural":"dataElements","klass":"a.b.dataelement.DataElement","apiEndpoint":"/api/dataElements","metadata":true,"properties":[
  {"name":"valueType","fieldName":"valueType","propertyType":"CONSTANT","required":true,"constants":["NUMBER","TEXT"],"klass":"a.b.common.ValueType"},
  {"name":"i","propertyType":"INTEGER"},{"name":"n","propertyType":"NUMBER"},{"name":"b","propertyType":"BOOLEAN"},{"name":"d","propertyType":"DATE"},
  {"name":"id","propertyType":"IDENTIFIER"},{"name":"u","propertyType":"URL"},{"name":"e","propertyType":"EMAIL"},{"name":"p","propertyType":"PHONENUMBER"},
  {"name":"c","propertyType":"COLOR"},{"name":"pw","propertyType":"PASSWORD"},
  {"name":"access","propertyType":"COMPLEX","klass":"a.b.security.acl.Access"},
  {"name":"categoryCombo","propertyType":"REFERENCE","klass":"a.b.category.CategoryCombo"},
  {"name":"level","fieldName":"aggregationLevels","propertyType":"COLLECTION","itemPropertyType":"INTEGER","collection":true},
  {"name":"odd"}, 5, {"propertyType":"TEXT"}]},
 {"name":"categoryCombo","klass":"a.b.category.CategoryCombo","properties":[{"name":"category","fieldName":"categorys","propertyType":"COLLECTION","itemPropertyType":"REFERENCE","itemKlass":"a.Category","collection":true}]},
 {"name":"x","klass":"a.DataElement","plural":7},
 {"klass":""}
]}`

// Platform toolkit, section 4.4.
// Rows of docs/platform.md: 4.23, T4.4.
func TestFromSchemas(t *testing.T) {
	types, err := FromSchemas([]byte(schemasDoc))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"CategoryCombo  : categories list[Category]",
		"DataElement dataElements /api/dataElements: valueType! ValueType (NUMBER, TEXT); i int; n float; b bool; d datetime; " +
			"id str; u str; e str; p str; c str; pw str; access Access; categoryCombo CategoryCombo; aggregationLevels list[int]; odd any",
		"UserRole userRoles /api/userRoles: authorities list[str]; users list[User]; name! str (What it is called.)",
	}
	if got := written(types); !slices.Equal(got, want) {
		t.Errorf("types:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func written(types []Type) []string {
	var lines []string
	for _, typ := range types {
		var fields []string
		for _, f := range typ.Fields {
			mark, text := "", ""
			if f.Required {
				mark = "!"
			}
			if f.Description != nil {
				text = " (" + *f.Description + ")"
			}
			fields = append(fields, f.Name+mark+" "+f.Type+text)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", typ.Name, typ.Plural, typ.Endpoint, strings.Join(fields, "; ")))
	}
	return lines
}

func TestRefusedDocuments(t *testing.T) {
	for name, read := range map[string]func([]byte) ([]Type, error){"schemas": FromSchemas, "oas": FromOpenAPI} {
		for _, doc := range []string{"", "<html>", "[]", "null", `{"schemas":{}}`, `{"schemas":[{"klass":"T"}`, `{"components":{"schemas":[]}}`} {
			if _, err := read([]byte(doc)); err == nil || errors.Is(err, ErrLimit) {
				t.Errorf("%s of %q: %v", name, doc, err)
			}
		}
		if _, err := read(make([]byte, maxDocument+1)); !errors.Is(err, ErrLimit) {
			t.Errorf("%s of a long document: %v", name, err)
		}
	}
}

func FuzzFromSchemas(f *testing.F) {
	f.Add([]byte(schemasDoc))
	f.Add([]byte(`{"schemas":[{"klass":"A","properties":[{"name":"a","propertyType":"CONSTANT","klass":"b.","constants":["",null]}]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) { checkMapping(t, FromSchemas, Schemas, doc) })
}

// checkMapping holds the laws of both mappings: the same types each time, in order, named,
// and the same again after they were packed.
func checkMapping(t *testing.T, read func([]byte) ([]Type, error), source Source, doc []byte) {
	types, err := read(doc)
	again, err2 := read(doc)
	if (err == nil) != (err2 == nil) || !slices.EqualFunc(types, again, sameType) {
		t.Fatalf("twice the same document: %v, %v, then %v, %v", types, err, again, err2)
	}
	if err != nil {
		return
	}
	for i, typ := range types {
		if !named(typ.Name) || typ.Fields == nil || i > 0 && types[i-1].Name >= typ.Name {
			t.Fatalf("type %d: %+v", i, typ)
		}
		for _, field := range typ.Fields {
			if !named(field.Name) || field.Type == "" || len(field.Type) > 2*maxText {
				t.Fatalf("%s: %+v", typ.Name, field)
			}
		}
	}
	packed, err := (&Catalogue{Version: "v42", RawVersion: "2.42", Source: source, Types: types}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Decode(packed); err != nil || !slices.EqualFunc(c.Types, types, sameType) {
		t.Fatalf("unpacked: %v, %v", c, err)
	}
}
