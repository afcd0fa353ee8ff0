package r4

import "strconv"

// valueClass is how a type of value[x] is represented in JSON.
type valueClass uint8

const (
	classUnknown valueClass = iota
	classString
	classBoolean
	classInteger
	classDecimal
	classComplex
)

// classify returns the name and the class of a type, given as the suffix of a value[x] element (R4
// datatypes, list of open types; integer64 of R5).
func classify(suffix []byte) (string, valueClass) {
	switch string(suffix) {
	case "String":
		return "String", classString
	case "Code":
		return "Code", classString
	case "Uri":
		return "Uri", classString
	case "Canonical":
		return "Canonical", classString
	case "DateTime":
		return "DateTime", classString
	case "Boolean":
		return "Boolean", classBoolean
	case "Integer":
		return "Integer", classInteger
	case "Decimal":
		return "Decimal", classDecimal
	case "Coding":
		return "Coding", classComplex
	case "CodeableConcept":
		return "CodeableConcept", classComplex
	case "Date", "Url", "Id", "Markdown", "Instant", "Time", "Oid", "Uuid", "Base64Binary", "Integer64":
		return string(suffix), classString
	case "PositiveInt", "UnsignedInt":
		return string(suffix), classInteger
	case "Identifier", "Quantity", "Period", "Range", "Ratio", "Reference", "Address", "Age",
		"Annotation", "Attachment", "ContactPoint", "Count", "Distance", "Duration", "HumanName",
		"Money", "SampledData", "Signature", "Timing", "ContactDetail", "Contributor",
		"DataRequirement", "Expression", "ParameterDefinition", "RelatedArtifact",
		"TriggerDefinition", "UsageContext", "Dosage", "Meta":
		return string(suffix), classComplex
	}
	return "", classUnknown
}

// ReadValue consumes the value of a choice element whose name ends in suffix, such as "Code" of
// valueCode. A type that FHIR does not have, and a value whose JSON type does not match its name,
// are errors. Primitive values keep their text byte for byte.
func ReadValue(s *Scanner, suffix []byte, v *Value) {
	name, class := classify(suffix)
	*v = Value{Type: name}
	switch class {
	case classString:
		readText(s, &v.Text)
	case classBoolean:
		v.Text = "false"
		if s.Boolean() {
			v.Text = "true"
		}
	case classInteger:
		readIntegerText(s, v)
	case classDecimal:
		v.Text = string(s.Number())
	case classComplex:
		switch name {
		case "Coding":
			v.Coding = new(Coding)
			ReadCoding(s, v.Coding)
		case "CodeableConcept":
			v.Concept = new(CodeableConcept)
			ReadCodeableConcept(s, v.Concept)
		default:
			if s.want(KindObject) {
				readRaw(s, &v.Raw)
			}
		}
	default:
		s.Fail("structure", "this is not a type of FHIR")
	}
	if s.Err() != nil {
		*v = Value{}
	}
}

// readIntegerText consumes an integer of one of the three types and stores its literal.
func readIntegerText(s *Scanner, v *Value) {
	literal := s.Number()
	if s.Err() != nil {
		return
	}
	v.Text = string(literal)
	lowest := int64(-1 << 31)
	switch v.Type {
	case "PositiveInt":
		lowest = 1
	case "UnsignedInt":
		lowest = 0
	}
	n, err := strconv.ParseInt(v.Text, 10, 32)
	if err != nil || n < lowest {
		s.Fail("value", "expected an integer from %d to 2147483647, found %s", lowest, showLiteral(literal))
	}
}
