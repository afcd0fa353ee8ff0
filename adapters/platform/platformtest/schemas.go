package platformtest

import (
	"net/http"
	"strings"
)

// schemaPaths are the paths of the schemas and of the OpenAPI document.
var schemaPaths = map[string]handler{
	"GET /api/schemas":              func(p *Platform, r *request) answer { return p.listed(r, "schemas", p.schemas) },
	"GET /api/schemas/{id}":         (*Platform).schema,
	"GET /api/openapi/openapi.json": (*Platform).openAPI,
	"GET /api/openapi.json":         (*Platform).openAPI,
}

// listed returns a list without pages.
func (p *Platform) listed(r *request, key string, objects []Object) answer {
	fields, err := parseFields(either(strings.Join(r.URL.Query()["fields"], ","), "*"))
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	list := make([]any, 0, len(objects))
	for _, o := range objects {
		list = append(list, p.members(o, fields))
	}
	return found(Object{key: list})
}

func (p *Platform) schema(r *request) answer {
	for _, schema := range p.schemas {
		if id := r.PathValue("id"); schema["name"] == id || schema["plural"] == id {
			return found(schema)
		}
	}
	return missing("Schema", r.PathValue("id"))
}

// describe returns the schemas of all types.
func describe() []Object {
	var schemas []Object
	for _, t := range types {
		properties := []any{}
		for _, f := range t.fields {
			properties = append(properties, f.describe())
		}
		schemas = append(schemas, Object{
			"name": t.singular, "klass": t.klass(), "singular": t.singular, "plural": t.plural, "displayName": t.name(),
			"apiEndpoint": "/api/" + t.plural, "metadata": true, "shareable": t.shareable, "dataShareable": false, "properties": properties,
		})
	}
	// A schema that is not metadata and has no endpoint.
	return append(schemas, Object{"name": "sharing", "klass": "org.hisp.dhis.user.sharing.Sharing", "singular": "sharing", "plural": "sharings", "metadata": false, "properties": []any{}})
}

func (f property) describe() Object {
	o := Object{
		"name": f.name, "fieldName": f.name, "propertyType": f.propertyType, "required": f.required, "collection": f.propertyType == "COLLECTION",
		"writable": true, "readable": true, "persisted": true, "owner": true, "unique": f.name == "id" || f.name == "code",
	}
	switch {
	case f.propertyType == "COLLECTION" && f.of == "":
		o["itemPropertyType"], o["itemKlass"] = "TEXT", "java.lang.String"
	case f.propertyType == "COLLECTION":
		o["name"] = strings.TrimSuffix(f.name, "s")
		o["itemPropertyType"], o["itemKlass"] = "REFERENCE", f.of
	case f.of != "":
		o["klass"] = f.of
	}
	if f.values != nil {
		o["constants"] = f.values
	}
	if f.description != "" {
		o["description"] = f.description
	}
	return o
}

// openAPI returns the OpenAPI document. Major 41 has it only at the old path.
func (p *Platform) openAPI(r *request) answer {
	if (r.URL.Path == "/api/openapi.json") != (p.options.Major == 41) {
		return p.nowhere(r)
	}
	schemas := Object{}
	for _, t := range types {
		properties, required := Object{}, []any{}
		for _, f := range t.fields {
			properties[strings.Replace(f.name, "authoritys", "authorities", 1)] = f.openAPI()
			if f.required {
				required = append(required, f.name)
			}
		}
		schemas[t.name()] = Object{"type": "object", "properties": properties, "required": required}
	}
	schemas["WebMessage"] = Object{"type": "object", "required": []any{"status"}, "properties": Object{
		"httpStatusCode": Object{"type": "integer", "format": "int32"}, "status": Object{"type": "string", "enum": []any{"OK", "WARNING", "ERROR"}},
		"message": Object{"type": "string"}, "response": Object{"oneOf": []any{ref("ObjectReport"), ref("ImportReport")}},
	}}
	schemas["ObjectReport"] = Object{"type": "object", "properties": Object{"uid": Object{"type": "string"}, "klass": Object{"type": "string"}}}
	return found(Object{"openapi": "3.0.0", "info": Object{"title": "API", "version": p.options.Version}, "paths": Object{}, "components": Object{"schemas": schemas}})
}

func ref(name string) Object { return Object{"$ref": "#/components/schemas/" + name} }

// openAPI returns the schema of a member.
func (f property) openAPI() Object {
	o := Object{"type": "string"}
	last := f.of[strings.LastIndexByte(f.of, '.')+1:]
	switch f.propertyType {
	case "INTEGER":
		o = Object{"type": "integer", "format": "int32"}
	case "NUMBER":
		o = Object{"type": "number", "format": "double"}
	case "BOOLEAN":
		o = Object{"type": "boolean"}
	case "DATE":
		o = Object{"type": "string", "format": "date-time"}
	case "CONSTANT":
		o = Object{"type": "string", "enum": f.values}
	case "REFERENCE", "COMPLEX":
		return ref(last)
	case "COLLECTION":
		items := Object{"type": "string"}
		if last != "" {
			items = ref(last)
		}
		o = Object{"type": "array", "items": items}
	}
	if f.description != "" {
		o["description"] = f.description
	}
	return o
}
