package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// compartment is what is kept of a CompartmentDefinition.
type compartment struct {
	ResourceType string `json:"resourceType"`
	URL          string `json:"url"`
	Code         string `json:"code"`
	// Resource is a list of members, but something else in other definitions of the file.
	Resource json.RawMessage `json:"resource"`
}

type member struct {
	Code  string   `json:"code"`
	Param []string `json:"param"`
}

// isStandard reports a compartment of R4: no example, and none of the other definitions
// that are in the same file.
func (c *compartment) isStandard() bool {
	return c.ResourceType == "CompartmentDefinition" && !strings.HasSuffix(c.URL, "example")
}

// writeCompartments writes a line of each compartment, then one of each type that can be
// a member, with its parameters.
func (w *writer) writeCompartments(all []*compartment) error {
	for _, c := range all {
		var members []member
		if err := json.Unmarshal(c.Resource, &members); err != nil {
			return fmt.Errorf("%s: %w", c.URL, err)
		}
		w.line("C", c.Code)
		for _, r := range members {
			// {def} stands for the resource itself, which is no search.
			params := slices.DeleteFunc(r.Param, func(p string) bool { return p == "{def}" })
			if len(params) > 0 {
				w.line(r.Code, strings.Join(params, "|"))
			}
		}
	}
	return nil
}
