package changes

import (
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// A Replacement is a concept that is historically associated with another one.
type Replacement struct {
	Relation string `json:"relation"` // replacedby, sameas, …
	Code     string `json:"code"`
	Display  string `json:"display,omitempty"`
}

// MaxReplacements is the largest number of replacements of a concept.
const MaxReplacements = 40

// Replacements returns the concepts that a concept is historically associated with: by its properties,
// and by reference sets of SNOMED CT. They are in the order of relations and codes.
func Replacements(x *codesystem.Index, o codesystem.Ord) []Replacement {
	var list []Replacement
	add := func(relation string, target codesystem.Ord) {
		r := Replacement{relation, x.Code(target), x.Display(target)}
		if target != o && len(list) < MaxReplacements && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	for a := range x.Attributes(o) {
		if relation := Relation(x.PropertyCode(a.Property)); relation != "" {
			if target, ok := Target(x, a.Pair); ok {
				add(relation, target)
			}
		}
	}
	for _, code := range x.Refsets() {
		relation := Association(code)
		if relation == "" {
			continue
		}
		set, _ := x.Refset(code)
		column := TargetColumn(set)
		for row, end := set.RowsOf(o); column >= 0 && row < end; row++ {
			if target, ok := set.Target(row, column); ok && set.Active(row) {
				add(relation, target)
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Relation != list[j].Relation {
			return list[i].Relation < list[j].Relation
		}
		return list[i].Code < list[j].Code
	})
	return list
}

// Relation returns the relation that a property states by its name, "" for others.
func Relation(property string) string {
	switch plainName(property) {
	case "replacedby", "termreplacedby", "successor", "replacement":
		return "replacedby"
	case "movedto":
		return "movedto"
	case "consider":
		return "consider"
	case "alternative":
		return "alternative"
	}
	return ""
}

// Association returns the relation of a reference set of SNOMED CT that leads from inactive concepts to
// others, "" for others.
func Association(refset string) string {
	switch refset {
	case "900000000000526001":
		return "replacedby"
	case "900000000000527005":
		return "sameas"
	case "900000000000523009":
		return "possibly"
	case "900000000000530003":
		return "alternative"
	case "900000000000528000":
		return "wasa"
	case "900000000000529008":
		return "similar"
	case "1186921001":
		return "possiblyreplaced"
	case "1186924009":
		return "partially"
	case "900000000000524003":
		return "movedto"
	case "900000000000525002":
		return "movedfrom"
	}
	return ""
}

// TargetColumn returns the column of a reference set that names other concepts, or -1.
func TargetColumn(set *codesystem.Refset) int {
	return slices.IndexFunc(set.Columns(), func(c codesystem.RefsetColumn) bool { return c.Type == codesystem.RefsetConcept })
}

// plainName returns the letters and digits of a name in lower case.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c - 'A' + 'a'
		}
		return -1
	}, name)
}

// Target returns the concept that the value of a pair names.
func Target(x *codesystem.Index, pair uint32) (codesystem.Ord, bool) {
	if o, ok := x.PairTarget(pair); ok {
		return o, true
	}
	v := x.PairValue(pair)
	switch {
	case v.Type == "Code" || v.Type == "String":
		return x.Find(v.Text)
	case v.Type == "Coding" && v.Coding != nil && v.Coding.System == x.URL():
		return x.Find(v.Coding.Code)
	}
	return 0, false
}
