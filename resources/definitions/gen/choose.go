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

// choose leaves out the codes of code systems under a copyright of somebody other than HL7,
// supplements, which would change what other code systems answer, and value sets that
// give displays of codes that are not of a chosen code system.
func choose(all []*resource) []*resource {
	ours := map[string]bool{}
	for _, r := range all {
		if r.ResourceType == "CodeSystem" && plain[r.Copyright] && r.Content != "supplement" {
			ours[r.URL] = true
		}
	}
	var chosen []*resource
	for _, r := range all {
		if r.ResourceType == "CodeSystem" && (ours[r.URL] || isStub(r)) || r.ResourceType == "ValueSet" && !borrows(r.Compose, ours) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// isStub reports a code system of which nothing is there but that it exists.
func isStub(r *resource) bool { return r.Content == "not-present" && len(r.Concept) == 0 }

// borrows reports a list with displays of a code system that is not among ours and not
// a registry of the IETF, which anybody may copy from.
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
