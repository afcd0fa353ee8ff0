package main

import "strings"

// plain are the copyright statements that name nobody but HL7.
var plain = map[string]bool{
	"":                           true,
	"HL7 Inc.":                   true,
	"HL7 International.":         true,
	"This is an example set.":    true,
	"This is an extensible set.": true,
}

// choose omits the codes of code systems under a copyright of somebody other than HL7, supplements,
// which would change the answers of other code systems, and value sets with displays of codes from
// code systems that are not chosen.
func choose(all []*resource) []*resource {
	ours := map[string]bool{}
	for _, r := range all {
		if r.ResourceType == "CodeSystem" && plain[r.Copyright] && r.Content != "supplement" {
			ours[r.URL] = true
		}
	}
	var chosen []*resource
	for _, r := range all {
		if r.ResourceType == "ValueSet" {
			dropNames(r.Compose)
		}
		if r.ResourceType == "CodeSystem" && (ours[r.URL] || isStub(r)) || r.ResourceType == "ValueSet" && !borrows(r.Compose, ours) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// isStub reports whether a code system has no content.
func isStub(r *resource) bool { return r.Content == "not-present" && len(r.Concept) == 0 }

// countries is ISO 3166-1, whose names come from package codesystem/registries.
const countries = "urn:iso:std:iso:3166"

// dropNames removes the names of countries from lists: some have changed since R4.
func dropNames(c *compose) {
	if c == nil {
		return
	}
	for _, inc := range c.Include {
		if inc.System == countries {
			for i := range inc.Concept {
				inc.Concept[i].Display = ""
			}
		}
	}
}

// borrows reports whether a list has displays of a code system that is neither among ours nor an
// IETF registry, which may be copied freely.
func borrows(c *compose, ours map[string]bool) bool {
	if c == nil {
		return false
	}
	for _, list := range [][]include{c.Include, c.Exclude} {
		for _, inc := range list {
			if ours[inc.System] || strings.HasPrefix(inc.System, "urn:ietf:") {
				continue
			}
			for _, l := range inc.Concept {
				if l.Display != "" || len(l.Designation) > 0 {
					return true
				}
			}
		}
	}
	return false
}
