package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// compartment is the part of a CompartmentDefinition that is read.
type compartment struct {
	ResourceType string `json:"resourceType"`
	URL          string `json:"url"`
	Code         string `json:"code"`
	// Resource is a list of members, but another type in other definitions of the file.
	Resource json.RawMessage `json:"resource"`
}

type member struct {
	Code  string   `json:"code"`
	Param []string `json:"param"`
}

// isStandard reports whether a compartment belongs to R4. The file also contains examples and other
// definitions.
func (c *compartment) isStandard() bool {
	return c.ResourceType == "CompartmentDefinition" && !strings.HasSuffix(c.URL, "example")
}

// writeCompartments writes a line for each compartment, followed by one for each type that can be a
// member, with its parameters.
func (w *writer) writeCompartments(all []*compartment) error {
	for _, c := range all {
		var members []member
		if err := json.Unmarshal(c.Resource, &members); err != nil {
			return fmt.Errorf("%s: %w", c.URL, err)
		}
		w.line("C", c.Code)
		for _, r := range members {
			// {def} is the resource itself rather than a search parameter.
			params := slices.DeleteFunc(r.Param, func(p string) bool { return p == "{def}" })
			if len(params) > 0 {
				w.line(r.Code, strings.Join(params, "|"))
			}
		}
	}
	return nil
}
