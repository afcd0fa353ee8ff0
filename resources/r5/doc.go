// Package r5 converts terminology resources between FHIR R4 and R5: Bundle, CapabilityStatement,
// CodeSystem, ConceptMap, NamingSystem, OperationDefinition, OperationOutcome, Parameters,
// TerminologyCapabilities and ValueSet, with the resources inside them.
//
// An element that the other version lacks becomes a cross-version extension, whose url names the
// version and the path of the element
// (http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.copyrightLabel). So does a code
// that the other version lacks, as an extension of the primitive without a value. Back in its own
// version, the extension becomes the element again. What was R5 is the same R5 after a conversion to
// R4 and back, apart from the order of the members of objects.
//
// Which elements differ follows from the tables of both versions (resources/definitions). Only what
// changed its meaning has rules here: the relationships, attributes, versions and fallbacks of
// ConceptMap, the size of an Attachment, and the parameters of $translate.
package r5
