package conceptmap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// ErrFact is wrapped by the error of Translate for a fact about a patient that is not understood.
var ErrFact = errors.New("not understood")

// FactPrefix begins the properties of Request.DependsOn that are facts about a patient. The
// identifier of a concept of SNOMED CT follows; see Refset.Translate.
const FactPrefix = "http://snomed.info/id/"

// Concepts of SNOMED CT that map rules are about.
const (
	aboutGender  = "263495000"
	aboutFinding = "404684003"
	aboutAge     = "424144002" // now
	aboutOnset   = "445518008" // age at onset

	male   = "248153007"
	female = "248152002"

	unknown = "unknown"
)

// genders are the findings of FHIR's administrative genders.
var genders = [...]fact{{"male", male}, {"female", female}, {"other", "none"}, {"unknown", unknown}}

// A truth is what is known about a rule. The truth of a conjunction is the least of its parts.
type truth int

const (
	no truth = iota
	open
	yes
)

// A patient is what a request says about a patient.
type patient struct {
	x        *codesystem.Index
	known    bool     // anything
	concepts []string // the translated one, findings and gender
	// findings and gender are true if all of them are known.
	findings, gender bool
	times            map[string]float64 // of observables, in milliseconds
}

// patientOf reads the facts for the translation of a code. It returns nil if there are none.
func patientOf(x *codesystem.Index, code string, given []r4.ConceptMapDependsOn) (*patient, error) {
	p := &patient{x: x, concepts: []string{code}, times: map[string]float64{}}
	for i := range given {
		d := &given[i]
		if about, ok := strings.CutPrefix(d.Property, FactPrefix); ok {
			if why := p.learn(about, d); why != "" {
				return nil, fmt.Errorf("%s=%s is %w: %s", d.Property, d.Value, ErrFact, why)
			}
		}
	}
	if !p.known {
		return nil, nil
	}
	return p, nil
}

// learn adds a fact. It returns what it does not understand, "" if nothing. Codes of other systems do
// not count, and texts do not after what is understood, because a concept may have several of them.
func (p *patient) learn(about string, d *r4.ConceptMapDependsOn) string {
	_, found := p.x.Find(d.Value)
	own := d.System == p.x.URL()
	is, stated, want := "", &p.findings, "no concept of "+r4.JoinCanonical(p.x.URL(), p.x.Version())
	switch about {
	case aboutGender:
		if d.System == "" || d.System == "http://hl7.org/fhir/administrative-gender" {
			is = known(genders[:], strings.ToLower(d.Value))
		}
		stated, want = &p.gender, "want male, female, other, unknown or a concept"
	case aboutFinding:
	default:
		value, err := parseTime(d.Value)
		before, twice := p.times[about]
		age := about == aboutAge || about == aboutOnset
		p.known = p.known || age || err == nil
		switch {
		case d.System != "" || err != nil && (twice || !age):
		case err != nil:
			return err.Error()
		case twice && before != value:
			return "another time is given too"
		default:
			p.times[about] = value
		}
		return ""
	}
	p.known = true
	switch {
	case is != "":
	case found && (own || d.System == ""):
		is = d.Value
	case own || d.System == "" && !*stated:
		return want
	default:
		return ""
	}
	if is != unknown {
		p.concepts = append(p.concepts, is)
		*stated = true
	}
	return ""
}

// has reports whether a concept of the patient is a concept or one of its descendants.
func (p *patient) has(concept string) bool {
	up, ok := p.x.Find(concept)
	return slices.ContainsFunc(p.concepts, func(code string) bool {
		o, found := p.x.Find(code)
		return code == concept || ok && found && p.x.IsAncestor(up, o)
	})
}

// decides returns the truth of a clause, and the property that would decide it if it is open.
func (p *patient) decides(c *clause) (truth, string) {
	about, stated, holds := aboutFinding, p.findings, false
	switch {
	case c.operator != "":
		about = c.concept
		var value float64
		value, stated = p.times[about]
		holds = stated && strings.IndexByte(c.operator, "<=>"[cmp.Compare(value, c.value)+1]) >= 0
	case c.concept == male || c.concept == female:
		about, stated = aboutGender, p.gender || p.has(male) || p.has(female)
		fallthrough
	default:
		holds = p.has(c.concept)
	}
	switch {
	case holds:
		return yes, ""
	case stated:
		return no, ""
	}
	return open, FactPrefix + about
}

// judge returns the truth of a rule and, if it is open, why.
func (p *patient) judge(rule string) (truth, string) {
	list, err := parseRule(rule)
	if err != nil {
		return open, err.Error()
	}
	all := yes
	var needs []string
	for i := range list {
		is, need := p.decides(&list[i])
		if all = min(all, is); is == open && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	return all, "it needs " + strings.Join(needs, ", ")
}
