// Package resources is the resource half of Roget: it keeps FHIR resources as
// documents in a Store and tells listeners of changes.
package resources
