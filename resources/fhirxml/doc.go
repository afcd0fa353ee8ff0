// Package fhirxml converts resources between the JSON and the XML of FHIR.
//
// A Codec knows one version of FHIR by its tables of types: definitions.R4, or definitions.Read for
// another version. The tables state which elements a type has and in which order, which of them
// repeat, and of which type their values are. The codec itself knows only what is the same in all
// versions: namespaces, the attribute "value", the narrative, and resources inside resources.
//
// Both directions keep what a resource says, member by member: the digits of decimals, white space
// in strings, the id and extensions of primitive values, and the text of narratives. They refuse
// what the other format cannot express, and what FHIR does not define: unknown elements, elements
// in another namespace, empty elements, repetitions, and elements in another order than that of the
// definition. Comments and processing instructions are dropped. A document type declaration is
// refused, so that no entity is ever defined or expanded.
//
// Sources: https://hl7.org/fhir/R4/xml.html, https://hl7.org/fhir/R4/json.html.
package fhirxml
