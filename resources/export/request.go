package export

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// A Request says what to export or import.
type Request struct {
	// URL is the address that was requested, for the manifest.
	URL string `json:"url"`
	// Level is "" for all resources, "Patient" for the compartments of patients, or "Group" for those
	// of the patients of Group.
	Level string `json:"level,omitempty"`
	Group string `json:"group,omitempty"`
	// Patients limits an export of compartments to these ids; nil for all patients, or for all of
	// the Group.
	Patients []string `json:"patients,omitempty"`
	// Types are the types to export, ordered by name; see Complete.
	Types []string `json:"types"`
	// Since leaves out resources that were stored before, unless it is zero.
	Since time.Time `json:"since,omitzero"`
	// Filters are searches, such as "Condition?code=…". A resource of a type with filters is exported
	// if it meets one of them.
	Filters []string `json:"filters,omitempty"`
	// Owner is who may see the job; "" for everybody.
	Owner string `json:"owner,omitempty"`
	// TokenNeeded says that the files are served only to who is authenticated.
	TokenNeeded bool `json:"tokenNeeded,omitempty"`
	// Bases are the addresses of the server, for references; see search.Options.
	Bases []string `json:"bases,omitempty"`
	// Inputs are the files to import; nil for an export.
	Inputs []Input `json:"inputs,omitempty"`
}

// maxFilters is the maximum number of filters of a request.
const maxFilters = 100

// An InvalidError is a request that cannot be served.
type InvalidError struct{ Param, Text string }

// Error implements error.
func (e *InvalidError) Error() string { return fmt.Sprintf("parameter %s: %s", e.Param, e.Text) }

// Complete checks a request, and sets Types to what it exports of the types that are stored: those
// it names, those of its filters, or all that its level has. The error is an *InvalidError.
func (r *Request) Complete(stored []string) error {
	if len(r.Filters) > maxFilters {
		return &InvalidError{"_typeFilter", fmt.Sprintf("%d filters; at most %d are allowed", len(r.Filters), maxFilters)}
	}
	possible := slices.Clone(stored)
	if r.Level != "" {
		members := definitions.R4().Compartment("Patient")
		possible = slices.DeleteFunc(possible, func(typ string) bool { return typ != "Patient" && members.Params(typ) == nil })
	}
	for _, typ := range r.Types {
		if !slices.Contains(possible, typ) {
			return &InvalidError{"_type", fmt.Sprintf("%q is not a type that can be exported here", clip(typ))}
		}
	}
	for _, filter := range r.Filters {
		typ, query, _ := strings.Cut(filter, "?")
		if !slices.Contains(possible, typ) {
			return &InvalidError{"_typeFilter", fmt.Sprintf("%q does not begin with a type that can be exported here and a question mark", clip(filter))}
		}
		if len(r.Types) > 0 && !slices.Contains(r.Types, typ) {
			return &InvalidError{"_typeFilter", fmt.Sprintf("%q is about a type that _type does not name", clip(filter))}
		}
		params, err := resources.ParseQuery(query)
		if err == nil {
			_, err = search.Parse(definitions.R4(), typ, params, search.Options{Strict: true, Bases: r.Bases})
		}
		if err != nil {
			return &InvalidError{"_typeFilter", fmt.Sprintf("%q: %v", clip(filter), err)}
		}
		for _, p := range params {
			if p.Name == "_cursor" || p.Name == "_count" || strings.HasPrefix(p.Name, "_sort") || strings.HasPrefix(p.Name, "_include") || strings.HasPrefix(p.Name, "_revinclude") || p.Name == "_summary" || p.Name == "_elements" {
				return &InvalidError{"_typeFilter", fmt.Sprintf("%q: %s shapes pages, and an export has none", clip(filter), p.Name)}
			}
		}
	}
	if len(r.Types) == 0 {
		r.Types = possible
	}
	sort.Strings(r.Types)
	r.Types = slices.Compact(r.Types)
	return nil
}

// SplitFilters returns the filters of a parameter _typeFilter, whose commas separate searches if a
// type and a question mark follow.
func SplitFilters(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		typ, _, found := strings.Cut(part, "?")
		if len(list) > 0 && (!found || !isName(typ)) {
			list[len(list)-1] += "," + part
			continue
		}
		list = append(list, part)
	}
	return list
}

func isName(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// filtersOf returns the queries of a type's filters, "" alone if it has none.
func (r *Request) filtersOf(typ string) []string {
	var list []string
	for _, filter := range r.Filters {
		if of, query, _ := strings.Cut(filter, "?"); of == typ {
			list = append(list, query)
		}
	}
	if list == nil {
		return []string{""}
	}
	return list
}

// query returns the parameters of a filter, with Since.
func (r *Request) query(filter string) ([]search.Param, error) {
	params, err := resources.ParseQuery(filter)
	if err != nil {
		return nil, err
	}
	if !r.Since.IsZero() {
		params = append(params, search.Param{Name: "_lastUpdated", Value: "ge" + r.Since.UTC().Format(time.RFC3339Nano)})
	}
	return append(params, search.Param{Name: "_total", Value: "none"}), nil
}

// clip shortens what a client sent.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
