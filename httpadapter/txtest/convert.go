package txtest

import (
	"fmt"
	"slices"
	"strings"
)

// Extensions that hold elements of R5 in R4 documents.
const (
	fromR5            = "http://hl7.org/fhir/5.0/StructureDefinition/extension-"
	filterOp          = fromR5 + "ValueSet.compose.include.filter.op"
	expansionProperty = fromR5 + "ValueSet.expansion.property"
	containsProperty  = fromR5 + "ValueSet.expansion.contains.property"
)

// converters change resources of a type in place.
type converters map[string]func(object) error

var (
	toR4 = converters{"CodeSystem": metadataToR4, "ValueSet": valueSetToR4, "ConceptMap": conceptMapToR4}
	toR5 = converters{"ValueSet": valueSetToR5}
)

// convert converts a resource and all resources inside it: in parameters, in the entries of a
// Bundle, and contained ones.
func convert(resource object, by converters) error {
	var inner []object
	parameters(resource, func(p object) { inner = append(inner, member(p, "resource")) })
	inner = append(inner, objects(resource, "contained")...)
	for _, entry := range objects(resource, "entry") {
		inner = append(inner, member(entry, "resource"))
	}
	for _, r := range inner {
		if r == nil {
			continue
		}
		if err := convert(r, by); err != nil {
			return err
		}
	}
	if change := by[text(resource, "resourceType")]; change != nil {
		return change(resource)
	}
	return nil
}

// metadataToR4 moves the version algorithm into its extension and removes the copyright label, which
// R4 does not have.
func metadataToR4(resource object) error {
	for _, kind := range []string{"String", "Coding"} {
		if value, found := resource["versionAlgorithm"+kind]; found {
			delete(resource, "versionAlgorithm"+kind)
			extensions, _ := resource["extension"].(list)
			resource["extension"] = append(extensions, object{
				"url": fromR5 + text(resource, "resourceType") + ".versionAlgorithm", "value" + kind: value,
			})
		}
	}
	delete(resource, "copyrightLabel")
	return nil
}

func valueSetToR4(vs object) error {
	if err := metadataToR4(vs); err != nil {
		return err
	}
	compose := member(vs, "compose")
	delete(compose, "property")
	for _, include := range slices.Concat(objects(compose, "include"), objects(compose, "exclude")) {
		delete(include, "copyright")
		for _, f := range objects(include, "filter") {
			if op := text(f, "op"); op == "child-of" || op == "descendent-leaf" {
				delete(f, "op")
				f["_op"] = object{"extension": list{object{"url": filterOp, "valueCode": op}}}
			}
		}
	}
	return nil
}

// equivalences maps relationships of R5 to equivalences of R4, which are seen from the target.
var equivalences = map[string]string{
	"related-to":                     "relatedto",
	"equivalent":                     "equivalent",
	"not-related-to":                 "disjoint",
	"source-is-narrower-than-target": "wider",
	"source-is-broader-than-target":  "narrower",
}

func conceptMapToR4(cm object) error {
	if err := metadataToR4(cm); err != nil {
		return err
	}
	for _, side := range []string{"source", "target"} {
		for _, kind := range []string{"Uri", "Canonical"} {
			if scope, found := cm[side+"Scope"+kind]; found {
				delete(cm, side+"Scope"+kind)
				cm[side+kind] = scope
			}
		}
	}
	for _, group := range objects(cm, "group") {
		for _, side := range []string{"source", "target"} {
			if url, version, found := strings.Cut(text(group, side), "|"); found {
				group[side], group[side+"Version"] = url, version
			}
		}
		for _, element := range objects(group, "element") {
			if err := targetsToR4(element); err != nil {
				return err
			}
		}
		unmappedToR4(member(group, "unmapped"))
	}
	return nil
}

func targetsToR4(element object) error {
	if element["noMap"] == true {
		element["target"] = list{object{"equivalence": "unmatched"}}
	}
	delete(element, "noMap")
	for _, target := range objects(element, "target") {
		relationship, found := target["relationship"]
		if !found {
			continue
		}
		equivalence, known := equivalences[plain(relationship)]
		if !known {
			return fmt.Errorf("relationship %q has no equivalence in R4", plain(relationship))
		}
		delete(target, "relationship")
		target["equivalence"] = equivalence
	}
	return nil
}

func unmappedToR4(unmapped object) {
	if unmapped == nil {
		return
	}
	delete(unmapped, "relationship")
	if text(unmapped, "mode") == "use-source-code" {
		unmapped["mode"] = "provided"
	}
	if other, found := unmapped["otherMap"]; found {
		delete(unmapped, "otherMap")
		unmapped["url"] = other
	}
}

func valueSetToR5(vs object) error {
	compose := member(vs, "compose")
	for _, include := range slices.Concat(objects(compose, "include"), objects(compose, "exclude")) {
		for _, f := range objects(include, "filter") {
			for _, extension := range objects(member(f, "_op"), "extension") {
				if text(extension, "url") == filterOp {
					f["op"] = extension["valueCode"]
					delete(f, "_op")
				}
			}
		}
	}
	if expansion := member(vs, "expansion"); expansion != nil {
		propertiesToR5(expansion, expansionProperty)
		containsToR5(expansion)
	}
	return nil
}

func containsToR5(holder object) {
	for _, item := range objects(holder, "contains") {
		propertiesToR5(item, containsProperty)
		containsToR5(item)
	}
}

// propertiesToR5 turns the extensions with a URL, whose parts are code, uri and value, into entries
// of the element property.
func propertiesToR5(element object, url string) {
	extensions, found := element["extension"].(list)
	if !found {
		return
	}
	properties, _ := element["property"].(list)
	others := make(list, 0, len(extensions))
	for _, e := range extensions {
		extension, _ := e.(object)
		if text(extension, "url") != url {
			others = append(others, e)
			continue
		}
		property := object{}
		for _, part := range objects(extension, "extension") {
			name := text(part, "url")
			for key, value := range part {
				if !strings.HasPrefix(key, "value") {
					continue
				}
				if name == "value" {
					property[key] = value
				} else {
					property[name] = value
				}
			}
		}
		properties = append(properties, property)
	}
	element["extension"] = others
	if len(properties) > 0 {
		element["property"] = properties
	}
}
