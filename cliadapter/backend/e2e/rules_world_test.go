package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// The resources of the questions about rules, beside the samples and the base content.
const (
	ladderSystem  = "http://example.org/rules/ladder"  // a tree of 148 codes
	webSystem     = "http://example.org/rules/web"     // a code with two parents, and an inactive one
	crowdSystem   = "http://example.org/rules/crowd"   // 1,600 codes: more than the limit
	excerptSystem = "http://example.org/rules/excerpt" // content is example
	absentSystem  = "http://example.org/rules/absent"
	mixedSet      = "http://example.org/rules/vs/mixed"
	genderSystem  = "http://hl7.org/fhir/administrative-gender"
)

// writeWorld writes the resources to a folder and returns its path.
func writeWorld(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write := func(name string, resource map[string]any) {
		resource["status"] = "active"
		data, err := json.Marshal(resource)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	system := func(name, url, content string, concepts ...any) {
		write(name, map[string]any{
			"resourceType": "CodeSystem", "id": name, "url": url, "version": "1", "content": content, "caseSensitive": true, "concept": concepts,
			"property": []any{map[string]any{"code": "parent", "type": "code"}, map[string]any{"code": "inactive", "type": "boolean"}},
		})
	}
	concept := func(code string, more ...any) map[string]any {
		c := map[string]any{"code": code, "display": "Display of " + code}
		for i := 0; i < len(more); i += 2 {
			c[more[i].(string)] = more[i+1]
		}
		return c
	}
	numbered := func(prefix string, n int) (list []any) {
		for i := range n {
			list = append(list, concept(fmt.Sprint(prefix, i+1)))
		}
		return list
	}
	property := func(code, kind string, value any) map[string]any {
		return map[string]any{"code": code, "value" + kind: value}
	}
	system("ladder", ladderSystem, "complete", concept("step0", "concept", numbered("step", 147)))
	system("web", webSystem, "complete", concept("top"), concept("left", "property", []any{property("parent", "Code", "top")}),
		concept("right", "property", []any{property("parent", "Code", "top")}),
		concept("both", "property", []any{property("parent", "Code", "left"), property("parent", "Code", "right")}),
		concept("old", "property", []any{property("parent", "Code", "left"), property("inactive", "Boolean", true)}))
	system("crowd", crowdSystem, "complete", numbered("one", 1600)...)
	system("excerpt", excerptSystem, "example", concept("some"))
	listed := func(codes ...string) (list []any) {
		for _, code := range codes {
			list = append(list, map[string]any{"code": code})
		}
		return list
	}
	write("mixed", map[string]any{"resourceType": "ValueSet", "id": "mixed", "url": mixedSet, "compose": map[string]any{"include": []any{
		map[string]any{"system": absentSystem, "concept": listed("captain", "mate")},
		map[string]any{"system": excerptSystem, "concept": listed("some", "other")},
		map[string]any{"system": genderSystem, "concept": listed("male", "bogus")},
		map[string]any{"system": webSystem, "filter": []any{map[string]any{"property": "concept", "op": "is-a", "value": "left"}}},
	}}})
	write("map", map[string]any{"resourceType": "ConceptMap", "id": "map", "url": "http://example.org/rules/map", "group": []any{map[string]any{
		"source": webSystem, "target": ladderSystem, "element": []any{map[string]any{"code": "left", "target": []any{map[string]any{"code": "step1", "equivalence": "equivalent"}}}},
	}}})
	return folder
}

// A ruleQuestion is a request whose answer may depend on the rules: its parameters as they are sent
// over HTTP and typed in the terminal, and as a Go program writes them.
type ruleQuestion struct {
	typ, name string
	params    []r4.Parameter
	call      any // the request of a method of the engine
}

func (q *ruleQuestion) String() string {
	var b strings.Builder
	b.WriteString(q.typ + "/$" + q.name)
	for _, p := range q.params {
		fmt.Fprintf(&b, " %s=%s", p.Name, text(&p.Value))
	}
	return b.String()
}

// text returns the value as the terminal reads it.
func text(v *r4.Value) string {
	switch {
	case v.Coding != nil:
		return string(r4.AppendCoding(nil, v.Coding))
	case v.Concept != nil:
		return string(r4.AppendCodeableConcept(nil, v.Concept))
	}
	return v.Text
}

// body returns the Parameters of the question with further parameters.
func (q *ruleQuestion) body(more ...r4.Parameter) []byte {
	doc := r4.Parameters{Parameter: append(q.params[:len(q.params):len(q.params)], more...)}
	return doc.AppendJSON(nil)
}

func (q *ruleQuestion) add(name string, v r4.Value) {
	q.params = append(q.params, r4.Parameter{Name: name, Value: v})
}

// An asker makes questions from a seed.
type asker struct {
	*rand.Rand
	valueSets []string
	codings   []r4.Coding
}

// newAsker returns an asker about the resources of an engine.
func newAsker(t *testing.T, e *engine.Engine, seed uint64) *asker {
	t.Helper()
	a := &asker{Rand: rand.New(rand.NewPCG(seed, 17))}
	for _, entry := range e.Entries("ValueSet") {
		a.valueSets = append(a.valueSets, entry.Header.URL)
	}
	systems, err := e.Systems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range systems {
		for range 3 {
			if x.Len() > 0 {
				o := uint32(a.IntN(x.Len()))
				a.codings = append(a.codings, r4.Coding{System: x.URL(), Code: x.Code(o), Display: x.Display(o)})
			}
		}
	}
	return a
}

// valueSet returns the url of a value set: often one of this test, or one that does not exist.
func (a *asker) valueSet() string {
	near := []string{
		mixedSet, ladderSystem + "?fhir_vs", webSystem + "?fhir_vs", webSystem + "?fhir_vs=isa/left", crowdSystem + "?fhir_vs", excerptSystem + "?fhir_vs",
		"http://hl7.org/fhir/ValueSet/administrative-gender", wild, fourLegs, absentSystem + "?fhir_vs", "http://example.org/rules/vs/absent", ladderSystem + "?fhir_vs=isa/nothing",
	}
	if a.IntN(4) > 0 {
		return near[a.IntN(len(near))]
	}
	return a.valueSets[a.IntN(len(a.valueSets))]
}

// coding returns a coding: often of this test, sometimes with a wrong display, code or version.
func (a *asker) coding() r4.Coding {
	near := []r4.Coding{
		{System: absentSystem, Code: "captain"},
		{System: absentSystem, Code: "stowaway"},
		{System: excerptSystem, Code: "some"},
		{System: excerptSystem, Code: "other"},
		{System: genderSystem, Code: "male"},
		{System: genderSystem, Code: "bogus"},
		{System: webSystem, Code: "both"},
		{System: webSystem, Code: "old"},
		{System: webSystem, Code: "left"},
		{System: ladderSystem, Code: "step7"},
		{System: crowdSystem, Code: "one1599"},
		{System: animals, Code: "wolf"},
		{Code: "male"},
	}
	c := a.codings[a.IntN(len(a.codings))]
	if a.IntN(4) > 0 {
		c = near[a.IntN(len(near))]
	}
	if a.IntN(5) > 0 {
		c.Display = ""
	}
	switch a.IntN(12) {
	case 0:
		c.Display = "A wrong display"
	case 1:
		c.Code += "x"
	case 2:
		c.Version = "99"
	case 3:
		c.Code = strings.ToUpper(c.Code)
	}
	return c
}

// concept returns a CodeableConcept of one to three codings.
func (a *asker) concept() *r4.CodeableConcept {
	cc := new(r4.CodeableConcept)
	for range 1 + a.IntN(3) {
		cc.Coding = append(cc.Coding, a.coding())
	}
	return cc
}

// sometimes returns one of the values, or nil.
func sometimes[T any](a *asker, values ...T) *T {
	if i := a.IntN(2 * len(values)); i < len(values) {
		return &values[i]
	}
	return nil
}

// question makes a question.
func (a *asker) question() *ruleQuestion {
	switch a.IntN(10) {
	case 0, 1, 2, 3:
		return a.validation()
	case 4:
		return a.validationInSystem()
	case 5, 6, 7:
		return a.expansion()
	case 8:
		return a.lookup()
	}
	if a.IntN(2) == 0 {
		return a.subsumption()
	}
	return a.translation()
}

func (a *asker) validation() *ruleQuestion {
	req := &engine.ValidateCodeRequest{URL: a.valueSet(), Abstract: sometimes(a, false, true)}
	q := &ruleQuestion{typ: "ValueSet", name: "validate-code", call: req}
	q.add("url", r4.URI(req.URL))
	switch a.IntN(4) {
	case 0:
		c := a.coding()
		req.Code, req.System, req.SystemVersion, req.Display = c.Code, c.System, c.Version, c.Display
		q.add("code", r4.Code(c.Code))
		for name, value := range map[string]string{"system": c.System, "systemVersion": c.Version, "display": c.Display} {
			if value != "" {
				q.add(name, r4.String(value))
			}
		}
	case 1:
		c := a.coding()
		req.Coding = &c
		q.add("coding", r4.Value{Type: "Coding", Coding: &c})
	default:
		req.CodeableConcept = a.concept()
		q.add("codeableConcept", r4.Value{Type: "CodeableConcept", Concept: req.CodeableConcept})
	}
	if req.Abstract != nil {
		q.add("abstract", r4.Boolean(*req.Abstract))
	}
	if req.ActiveOnly = a.IntN(5) == 0; req.ActiveOnly {
		q.add("activeOnly", r4.Boolean(true))
	}
	if req.MembershipOnly = a.IntN(6) == 0; req.MembershipOnly {
		q.add("valueset-membership-only", r4.Boolean(true))
	}
	if req.LenientDisplay = a.IntN(4) == 0; req.LenientDisplay {
		q.add("lenient-display-validation", r4.Boolean(true))
	}
	return q
}

func (a *asker) validationInSystem() *ruleQuestion {
	c := a.coding()
	req := &engine.ValidateCodeInSystemRequest{URL: c.System}
	q := &ruleQuestion{typ: "CodeSystem", name: "validate-code", call: req}
	if a.IntN(2) == 0 {
		req.Code = c.Code
		q.add("code", r4.Code(c.Code))
		if c.System != "" {
			q.add("system", r4.URI(c.System))
		}
		return q
	}
	if c.System != "" {
		q.add("url", r4.URI(c.System))
	}
	req.CodeableConcept = a.concept()
	q.add("codeableConcept", r4.Value{Type: "CodeableConcept", Concept: req.CodeableConcept})
	return q
}

func (a *asker) expansion() *ruleQuestion {
	req := &engine.ExpandRequest{
		URL: a.valueSet(), Count: sometimes(a, 0, 1, 7, 148, 5000), Offset: sometimes(a, 0, 3, 200), Limit: sometimes(a, 1, 20, 150, 100_000, 0),
		ExcludeNested: sometimes(a, true, false), ActiveOnly: sometimes(a, true, false), IncludeDesignations: sometimes(a, true),
	}
	q := &ruleQuestion{typ: "ValueSet", name: "expand", call: req}
	q.add("url", r4.URI(req.URL))
	for name, n := range map[string]*int{"count": req.Count, "offset": req.Offset, "limit": req.Limit} {
		if n != nil {
			q.add(name, r4.Value{Type: "Integer", Text: fmt.Sprint(*n)})
		}
	}
	for name, b := range map[string]*bool{"excludeNested": req.ExcludeNested, "activeOnly": req.ActiveOnly, "includeDesignations": req.IncludeDesignations} {
		if b != nil {
			q.add(name, r4.Boolean(*b))
		}
	}
	if req.IncompleteOK = a.IntN(3) == 0; req.IncompleteOK {
		q.add("incomplete-ok", r4.Boolean(true))
	}
	if filter := sometimes(a, "display", "step 1", "cat"); filter != nil {
		req.Filter = *filter
		q.add("filter", r4.String(req.Filter))
	}
	return q
}

func (a *asker) lookup() *ruleQuestion {
	c := a.coding()
	req := &engine.LookupRequest{System: c.System, Version: c.Version, Code: c.Code}
	q := &ruleQuestion{typ: "CodeSystem", name: "lookup", call: req}
	q.add("code", r4.Code(c.Code))
	for name, value := range map[string]string{"system": c.System, "version": c.Version} {
		if value != "" {
			q.add(name, r4.String(value))
		}
	}
	return q
}

func (a *asker) subsumption() *ruleQuestion {
	c, d := a.coding(), a.coding()
	req := &engine.SubsumesRequest{System: c.System, CodeA: c.Code, CodeB: c.Code}
	if c.System == d.System || a.IntN(3) == 0 {
		req.CodeB = d.Code
	}
	q := &ruleQuestion{typ: "CodeSystem", name: "subsumes", call: req}
	q.add("codeA", r4.Code(req.CodeA))
	q.add("codeB", r4.Code(req.CodeB))
	if req.System != "" {
		q.add("system", r4.URI(req.System))
	}
	return q
}

func (a *asker) translation() *ruleQuestion {
	c := []r4.Coding{a.coding(), {System: webSystem, Code: "left"}, {System: colours, Code: "red"}}[a.IntN(3)]
	req := &engine.TranslateRequest{System: c.System, Code: c.Code}
	q := &ruleQuestion{typ: "ConceptMap", name: "translate", call: req}
	q.add("code", r4.Code(req.Code))
	if req.System != "" {
		q.add("system", r4.URI(req.System))
	}
	if req.Reverse = a.IntN(2) == 0; req.Reverse {
		if c.System == webSystem {
			req.System, req.Code = ladderSystem, "step1"
			q.params = []r4.Parameter{{Name: "code", Value: r4.Code(req.Code)}, {Name: "system", Value: r4.URI(req.System)}}
		}
		q.add("reverse", r4.Boolean(true))
	}
	if target := sometimes(a, ladderSystem, absentSystem); target != nil {
		req.TargetSystem = *target
		q.add("targetsystem", r4.URI(req.TargetSystem))
	}
	return q
}
