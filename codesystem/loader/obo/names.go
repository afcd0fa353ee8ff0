package obo

import (
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

const (
	purl = "http://purl.obolibrary.org/obo/"
	// scopes is the code system of the scopes of synonyms.
	scopes = "http://www.geneontology.org/formats/oboInOwl"
	// additionalUse is the extension for R5's CodeSystem.concept.designation.additionalUse.
	additionalUse = "http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.concept.designation.additionalUse"
)

// codeOf returns an IRI in its usual short form: HP:0000118. Other IRIs are unchanged.
func codeOf(iri string) string {
	local, ok := strings.CutPrefix(iri, purl)
	if !ok {
		return iri
	}
	if space, number, ok := strings.Cut(local, "_"); ok && space != "" && number != "" && !strings.ContainsAny(local, "#/") {
		return space + ":" + number
	}
	return iri
}

// localName returns the code of a property or of a type of synonyms: the code of an identifier of
// the OBO Foundry, the last part of any other IRI, and the name in a prefixed name of an
// annotation (dc:date).
func localName(id string) string {
	if code := codeOf(id); code != id {
		return code
	}
	if strings.Contains(id, "://") {
		if last := id[strings.LastIndexAny(id, "#/")+1:]; last != "" {
			return last
		}
		return id
	}
	if _, name, ok := strings.Cut(id, ":"); ok && name != "" && (name[0] < '0' || name[0] > '9') {
		return name
	}
	return id
}

// propertyCode renames relationships and annotations whose names have a meaning in FHIR, or here.
func propertyCode(name string) string {
	for i := range fixed {
		if fixed[i].Code == name {
			return "obo-" + name
		}
	}
	return loader.OwnProperty("obo", name)
}

// ontologyURL returns the url of an ontology from its name in the header, or from the IRI of its
// graph.
func ontologyURL(name string) string {
	for _, end := range []string{".obo", ".json", ".owl"} {
		name = strings.TrimSuffix(name, end)
	}
	switch {
	case name == "":
		return ""
	case !strings.Contains(name, "://"):
		name = purl + name
	case !strings.HasPrefix(name, purl):
		return name
	}
	return name + ".owl"
}

// versionOf returns the version in a data-version or version IRI: the part after "releases/", up
// to the name of the file.
func versionOf(text string) string {
	if _, after, ok := strings.Cut(text, "releases/"); ok {
		text, _, _ = strings.Cut(after, "/")
	} else if strings.Contains(text, "://") {
		// …/obo/so/2021-11-22/so.owl
		text = strings.TrimSuffix(strings.TrimPrefix(text, purl), "/")
		parts := strings.Split(text, "/")
		if n := len(parts); n > 1 && strings.Contains(parts[n-1], ".") {
			return parts[n-2]
		} else if n > 0 {
			return parts[n-1]
		}
	}
	return text
}

// dateOf converts the date of a header, "31:10:2012 14:18", to 2012-10-31.
func dateOf(text string) string {
	if len(text) < 10 || text[2] != ':' || text[5] != ':' {
		return ""
	}
	date := text[6:10] + "-" + text[3:5] + "-" + text[:2]
	if !loader.IsDateTime(date) {
		return ""
	}
	return date
}
