package openapi

// Patterns of primitive types, in the dialect that Go and ECMAScript share
// (https://hl7.org/fhir/R4/datatypes.html#primitive).
const (
	day        = `(0[1-9]|[12][0-9]|3[01])`
	month      = `(0[1-9]|1[0-2])`
	clock      = `([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?`
	zone       = `(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])`
	patternDay = `^[0-9]{4}(-` + month + `(-` + day + `)?)?$`
)

// primitive returns the schema of a primitive type.
func primitive(name string) *Schema {
	text := func(pattern string) *Schema { return &Schema{Type: "string", Pattern: pattern} }
	whole := func(low int) *Schema {
		high := 1<<31 - 1
		return &Schema{Type: "integer", Format: "int32", Minimum: &low, Maximum: &high}
	}
	switch name {
	case "boolean":
		return &Schema{Type: "boolean"}
	case "decimal":
		return &Schema{Type: "number"}
	case "integer":
		return whole(-1 << 31)
	case "unsignedInt":
		return whole(0)
	case "positiveInt":
		return whole(1)
	case "integer64":
		return text(`^(0|[-+]?[1-9][0-9]*)$`)
	case "uri", "url", "canonical":
		return text(`^\S+$`)
	case "code":
		return text(`^\S+(\s\S+)*$`)
	case "id":
		return text(`^[A-Za-z0-9.-]{1,64}$`)
	case "oid":
		return text(`^urn:oid:[0-2](\.(0|[1-9][0-9]*))+$`)
	case "uuid":
		return text(`^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	case "date":
		return text(patternDay)
	case "dateTime":
		return text(`^[0-9]{4}(-` + month + `(-` + day + `(T` + clock + zone + `)?)?)?$`)
	case "instant":
		return text(`^[0-9]{4}-` + month + `-` + day + `T` + clock + zone + `$`)
	case "time":
		return text(`^` + clock + `$`)
	case "base64Binary":
		return &Schema{Type: "string", ContentEncoding: "base64"}
	}
	return &Schema{Type: "string", MinLength: 1}
}
