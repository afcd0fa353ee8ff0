package catalogue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// The request for the schemas. Platform toolkit, section 4.4.
const (
	schemasPath   = "/api/schemas"
	schemasFields = "name,singular,plural,displayName,klass,apiEndpoint,metadata,properties[name,fieldName,propertyType," +
		"itemPropertyType,klass,itemKlass,collection,required,writable,readable,persisted,owner,unique,constants,min,max,description]"
)

func schemasQuery() url.Values { return url.Values{"fields": {schemasFields}} }

type schema struct {
	Name        string           `json:"name"`
	Singular    string           `json:"singular"`
	Plural      string           `json:"plural"`
	Klass       string           `json:"klass"`
	APIEndpoint string           `json:"apiEndpoint"`
	Metadata    bool             `json:"metadata"`
	Properties  []schemaProperty `json:"properties"`
}

type schemaProperty struct {
	Name             string   `json:"name"`
	FieldName        string   `json:"fieldName"`
	PropertyType     string   `json:"propertyType"`
	ItemPropertyType string   `json:"itemPropertyType"`
	Klass            string   `json:"klass"`
	ItemKlass        string   `json:"itemKlass"`
	Collection       bool     `json:"collection"`
	Required         bool     `json:"required"`
	Constants        []string `json:"constants"`
	Description      string   `json:"description"`
}

// respelt maps field names in schemas to different names on the wire.
var respelt = map[string]string{
	"userRole authoritys":     "authorities",
	"categoryCombo categorys": "categories",
}

// FromSchemas converts a response of /api/schemas of at most 64 MiB. Members of an unexpected kind count as
// absent. Platform toolkit, section 4.4.
func FromSchemas(doc []byte) ([]Type, error) {
	if err := checkSize(doc, maxDocument); err != nil {
		return nil, err
	}
	var envelope struct {
		Schemas []schema `json:"schemas"`
	}
	if err := lenient(doc, &envelope); err != nil {
		return nil, fmt.Errorf("catalogue: the schemas of the server are not JSON: %w", err)
	}
	if envelope.Schemas == nil {
		return nil, errors.New(`catalogue: the response of /api/schemas has no list "schemas"`)
	}
	types := make([]Type, 0, len(envelope.Schemas))
	for _, s := range envelope.Schemas {
		t := Type{
			Name: lastSegment(cmp.Or(s.Klass, s.Name)), Plural: s.Plural, Endpoint: s.APIEndpoint,
			Metadata: s.Metadata, Fields: make([]Field, 0, len(s.Properties)),
		}
		if !strings.EqualFold(s.Singular, t.Name) {
			t.Singular = s.Singular
		}
		seen := map[string]bool{}
		for _, p := range s.Properties {
			f := p.field(s.Name)
			if named(f.Name) && !seen[f.Name] {
				seen[f.Name] = true
				t.Fields = append(t.Fields, f)
			}
		}
		types = append(types, t)
	}
	return normalise(types)
}

func (p *schemaProperty) field(schema string) Field {
	f := Field{Name: p.Name, Type: short(p.rendered()), Required: p.Required, Description: described(p.Description)}
	if p.Collection || p.PropertyType == "COLLECTION" {
		f.Name = cmp.Or(p.FieldName, p.Name)
	}
	if name := respelt[schema+" "+f.Name]; name != "" {
		f.Name = name
	}
	return f
}

func (p *schemaProperty) rendered() string {
	if p.PropertyType == "COLLECTION" {
		return "list[" + scalar(p.ItemPropertyType, p.ItemKlass, p.Constants) + "]"
	}
	return scalar(p.PropertyType, p.Klass, p.Constants)
}

// scalar renders a type that is not a collection.
func scalar(kind, klass string, constants []string) string {
	switch kind {
	case "TEXT", "IDENTIFIER", "URL", "EMAIL", "PHONENUMBER", "COLOR", "PASSWORD", "USERNAME":
		return "str"
	case "INTEGER":
		return "int"
	case "NUMBER":
		return "float"
	case "BOOLEAN":
		return "bool"
	case "DATE":
		return "datetime"
	case "CONSTANT":
		return enumeration(cmp.Or(lastSegment(klass), "enum"), constants)
	}
	return cmp.Or(lastSegment(klass), "any")
}

// enumeration renders a type with its values.
func enumeration(name string, values []string) string {
	if len(values) == 0 {
		return name
	}
	return name + " (" + short(strings.Join(values, ", ")) + ")"
}

// lastSegment returns the last part of a class name, such as DataElement of a.b.DataElement.
func lastSegment(klass string) string { return klass[strings.LastIndexAny(klass, ".$")+1:] }

func described(text string) *string {
	text = short(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	return &text
}

// lenient reads JSON and skips values of an unexpected kind.
func lenient(doc []byte, into any) error {
	err := json.Unmarshal(doc, into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}
