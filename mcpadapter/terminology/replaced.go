package terminology

import (
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// successors are properties that name the code to use instead.
var successors = []string{"replaced_by", "replacedby", "replacement", "successor", "consider", "successorof", "alternative", "moved-to", "movedto"}

// associations are the maps of SNOMED CT from inactive concepts to others, best first.
var associations = []struct{ id, relation string }{
	{"900000000000526001", "replaced by"},
	{"900000000000527005", "same as"},
	{"900000000000530003", "alternative"},
	{"900000000000523009", "possibly equivalent to"},
	{"900000000000528000", "was a"},
}

// replacements returns the codes to use instead of one, by its properties, and for SNOMED CT
// by the reference sets of historical associations.
func (t *Tools) replacements(ctx context.Context, system, code string, inactive bool, facts []Fact) []Replacement {
	var list []Replacement
	for _, f := range facts {
		if slices.Contains(successors, strings.ToLower(f.Name)) && len(list) < 10 {
			list = append(list, Replacement{Relation: strings.ReplaceAll(f.Name, "_", " "), Code: f.Value, Display: f.Display})
		}
	}
	if !inactive || system != snomed {
		return t.displayed(ctx, system, list)
	}
	for _, association := range associations {
		a, err := t.ask(ctx, "ConceptMap", "translate", parameters{}.text("url", snomed+"?fhir_cm="+association.id).text("system", system).text("code", code))
		if err != nil {
			continue // the release has no such reference set
		}
		for _, m := range a.all("match") {
			if c := m.coding("concept"); c.Code != "" && len(list) < 10 {
				list = append(list, Replacement{Relation: association.relation, Code: c.Code, Display: answer.Short(c.Display, maxDisplay)})
			}
		}
	}
	return t.displayed(ctx, system, list)
}

// displayed adds displays that are missing, and removes codes that do not exist.
func (t *Tools) displayed(ctx context.Context, system string, list []Replacement) []Replacement {
	var kept []Replacement
	for _, r := range list {
		if r.Display == "" {
			c, err := t.concept(ctx, system, r.Code)
			if err != nil {
				continue
			}
			r.Display = c.Display
		}
		kept = append(kept, r)
	}
	return kept
}
