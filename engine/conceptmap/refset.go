package conceptmap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A Refset is a reference set of SNOMED CT as a concept map: an association reference set, or a
// simple, complex or extended map (R4 snomedct.html#implicit-cm). It reads the rows of the
// reference set. It is immutable.
type Refset struct {
	canonical string
	x         *codesystem.Index
	set       *codesystem.Refset
	target    int  // column of the targets
	relation  int  // column with the relation of source and target; -1: always has it
	advice    int  // column with advice for people, -1 for none
	rule      int  // column with rules, -1 for none
	inward    bool // the column of the targets has codes of system, which map to SNOMED CT
	system    string
	version   string      // of system
	always    Equivalence // used without a relation column
	comment   string      // used without an advice column
	reversed  func() []uint32
}

// The columns of maps, as RF2 names them.
const (
	columnAssociation = "targetComponentId"
	columnTarget      = "mapTarget"
	columnSource      = "mapSource" // of maps to SNOMED CT
	columnGroup       = "mapGroup"
	columnPriority    = "mapPriority"
	columnRule        = "mapRule"
	columnAdvice      = "mapAdvice"
	columnRelation    = "correlationId"
)

// A fact is a known value for a concept of the SNOMED CT metadata.
type fact struct{ code, is string }

// known returns the value of a concept in a table, "" if it is not there.
func known(table []fact, code string) string {
	for i := range table {
		if table[i].code == code {
			return table[i].is
		}
	}
	return ""
}

// associations has the equivalence of association reference sets: the first four as in R4
// snomedct.html, the others by their definitions.
var associations = [...]fact{
	{"900000000000527005", string(Equal)},      // SAME AS
	{"900000000000526001", string(Equivalent)}, // REPLACED BY
	{"900000000000523009", string(Inexact)},    // POSSIBLY EQUIVALENT TO
	{"900000000000530003", string(Inexact)},    // ALTERNATIVE
	{"900000000000528000", string(Wider)},      // WAS A
	{"900000000000529008", string(Inexact)},    // SIMILAR TO
	{"1186921001", string(Inexact)},            // POSSIBLY REPLACED BY
	{"1186924009", string(Inexact)},            // PARTIALLY EQUIVALENT TO
}

// mapSystems are the target code systems of maps, as far as known.
var mapSystems = [...]fact{
	{"447562003", "http://hl7.org/fhir/sid/icd-10"},
	{"6011000124106", "http://hl7.org/fhir/sid/icd-10-cm"},
	{"447563008", "http://hl7.org/fhir/sid/icd-9-cm"},
	{"446608001", "http://terminology.hl7.org/CodeSystem/icd-o-3"},
	{"900000000000497000", "http://read.info/ctv3"},
}

// correlations are the values of correlationId.
var correlations = [...]fact{
	{"447557004", string(Equivalent)}, // exact match
	{"447558009", string(Wider)},      // narrow to broad
	{"447559001", string(Narrower)},   // broad to narrow
	{"447560006", string(Inexact)},    // partial overlap
	{"447561005", string(RelatedTo)},  // not specified
	{"447556008", string(Unmatched)},  // not mappable
}

// NewRefset returns a reference set of x as a map. ok is false if it is not a map.
func NewRefset(x *codesystem.Index, set *codesystem.Refset, canonical string) (m *Refset, ok bool) {
	m = &Refset{canonical: canonical, x: x, set: set, relation: columnOf(set, columnRelation), advice: columnOf(set, columnAdvice), rule: columnOf(set, columnRule), always: RelatedTo}
	if m.target = columnOf(set, columnAssociation); m.target >= 0 {
		m.system, m.version = x.URL(), x.Version()
		m.always = Equivalence(cmp.Or(known(associations[:], set.Code()), string(RelatedTo)))
	} else {
		if m.target = columnOf(set, columnTarget); m.target < 0 {
			if m.target = columnOf(set, columnSource); m.target < 0 {
				return nil, false
			}
			m.inward = true
		}
		m.system = known(mapSystems[:], set.Code())
		if len(set.Columns()) == 1 {
			m.always = Equivalent // the purpose of a simple map
		}
	}
	if o, found := x.Find(set.Code()); found && m.always != Equal && m.always != Equivalent {
		m.comment = x.Display(o)
	}
	m.reversed = sync.OnceValue(m.byTarget)
	return m, true
}

// As returns the map under another canonical.
func (m *Refset) As(canonical string) *Refset {
	named := *m
	named.canonical = canonical
	return &named
}

// columnOf returns the column of a name, or -1.
func columnOf(set *codesystem.Refset, name string) int {
	return slices.IndexFunc(set.Columns(), func(c codesystem.RefsetColumn) bool { return c.Name == name })
}

// Canonical returns the canonical that the map was requested with.
func (m *Refset) Canonical() string { return m.canonical }

// Ends returns the code systems from and to which the map translates, "" if unknown.
func (m *Refset) Ends() (from, to string) {
	if m.inward {
		return m.system, m.x.URL()
	}
	return m.x.URL(), m.system
}

// Translate returns the mappings of a code in the order of the rows. The other columns of a row
// (group, priority, rule and so on) are in Product. Versions are those of the release of the
// reference set, whatever the request says.
//
// The rules of a map (mapRule) are evaluated if DependsOn has facts about the patient, whose
// properties are FactPrefix followed by
//
//   - 263495000, the gender: male, female, other or unknown, or a finding of SNOMED CT
//   - 404684003, a finding, once for each. If there are any, the patient has no others.
//   - 424144002, the age now, or 445518008, the age at onset, or another observable that rules
//     compare: a time such as "12 a" or "28 d", in units of UCUM or in words
//
// Of each group, the first row by priority whose rule holds is then returned; Match.Decided and
// Comment say so. A clause IFA with a finding holds if the translated concept or a finding is that
// concept or a descendant. Rows before it whose rules the facts do not decide are returned too. An
// empty rule is open, or true in the last row of its group. In reverse, rules are not evaluated.
//
// The error wraps ErrFact if a fact is not understood.
func (m *Refset) Translate(ctx context.Context, r Request, _ Resolver) ([]Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, to := m.Ends()
	if r.Reverse {
		from, to = to, from
	}
	if !sameOrAny(from, r.System) || !sameOrAny(to, r.TargetSystem) {
		return nil, nil
	}
	if r.Reverse != m.inward {
		return m.reverse(r.Code), nil
	}
	o, ok := m.x.Find(r.Code)
	if !ok {
		return nil, nil
	}
	var rows []int
	first, end := m.set.RowsOf(o)
	for row := first; row < end; row++ {
		if m.set.Active(row) {
			rows = append(rows, row)
		}
	}
	if m.rule >= 0 && len(r.DependsOn) > 0 {
		p, err := patientOf(m.x, r.Code, r.DependsOn)
		if err != nil {
			return nil, err
		}
		if p != nil {
			return m.decide(rows, p), nil
		}
	}
	var out []Match
	for _, row := range rows {
		out = append(out, m.match(row))
	}
	return out, nil
}

// number returns the value of a column of numbers, 0 if there is no such column.
func (m *Refset) number(row int, column string) int {
	n := 0
	if i := columnOf(m.set, column); i >= 0 {
		n, _ = strconv.Atoi(m.set.Value(row, i))
	}
	return n
}

// decide returns of each group the row that decides, after those that the facts leave open.
func (m *Refset) decide(rows []int, p *patient) []Match {
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(m.number(a, columnGroup)-m.number(b, columnGroup), m.number(a, columnPriority)-m.number(b, columnPriority), a-b)
	})
	var out []Match
	decision := Decides // of the next rule that holds, "" if one of the group does
	for i, row := range rows {
		group := m.number(row, columnGroup)
		if i > 0 && m.number(rows[i-1], columnGroup) != group {
			decision = Decides
		}
		if decision == "" {
			continue
		}
		rule, is, says := m.set.Value(row, m.rule), yes, "it has no rule"
		if rule != "" {
			is, says = p.judge(rule)
		} else if i+1 < len(rows) && m.number(rows[i+1], columnGroup) == group {
			is = open
		}
		if is == no {
			continue
		}
		out = append(out, m.match(row))
		match := &out[len(out)-1]
		switch match.Decided = decision; {
		case is == open:
			decision, match.Decided = Otherwise, Open
			says = "is open, " + says
		case decision == Otherwise:
			decision, says = "", "decides if none before it holds"
		default:
			decision, says = "", "decides"
		}
		match.Comment = strings.TrimSpace(fmt.Sprintf("Group %d, priority %d %s: %q. %s", group, m.number(row, columnPriority), says, rule, match.Comment))
		match.Product = append(match.Product, r4.ConceptMapDependsOn{Property: "mapDecision", Value: string(match.Decided)})
	}
	return out
}

// byTarget returns the rows by target.
func (m *Refset) byTarget() []uint32 {
	rows := make([]uint32, 0, m.set.Len())
	for row := range m.set.Len() {
		if m.set.Active(row) {
			rows = append(rows, uint32(row))
		}
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(m.code(a), m.code(b)), cmp.Compare(a, b))
	})
	return rows
}

// code returns the target of a row.
func (m *Refset) code(row uint32) string { return m.set.Value(int(row), m.target) }

func (m *Refset) reverse(code string) []Match {
	if code == "" {
		return nil
	}
	var out []Match
	rows := m.reversed()
	at := sort.Search(len(rows), func(i int) bool { return m.code(rows[i]) >= code })
	for ; at < len(rows) && m.code(rows[at]) == code; at++ {
		match := m.match(int(rows[at]))
		match.Equivalence = match.Equivalence.Inverse()
		match.Source, match.Concept = match.Concept, match.Source
		out = append(out, match)
	}
	return out
}

// match returns the Match of a row.
func (m *Refset) match(row int) Match {
	o := m.set.Component(row)
	out := Match{
		Equivalence: m.always, Map: m.canonical, Comment: m.comment,
		Source: r4.Coding{System: m.x.URL(), Version: m.x.Version(), Code: m.x.Code(o), Display: m.x.Display(o)},
	}
	if m.advice >= 0 {
		out.Comment = m.set.Value(row, m.advice)
	}
	if m.relation >= 0 {
		out.Equivalence = Equivalence(cmp.Or(known(correlations[:], m.set.Value(row, m.relation)), string(m.always)))
	}
	if code := m.set.Value(row, m.target); code != "" {
		out.Concept = r4.Coding{System: m.system, Version: m.version, Code: code}
	} else {
		out.Equivalence = Unmatched
	}
	if o, ok := m.set.Target(row, m.target); ok {
		out.Concept.Display = m.x.Display(o)
	}
	for i, column := range m.set.Columns() {
		if i == m.target {
			continue
		}
		product := r4.ConceptMapDependsOn{Property: column.Name, Value: m.set.Value(row, i)}
		if o, ok := m.set.Target(row, i); ok {
			product.System, product.Display = m.x.URL(), m.x.Display(o)
		} else if column.Type == codesystem.RefsetConcept {
			product.System = m.x.URL()
		}
		out.Product = append(out.Product, product)
	}
	return out
}
