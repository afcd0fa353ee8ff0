package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/r4"
)

// expansion is a request for an expansion that returns only the fields listed here.
func expansion(req engine.ExpandRequest) question {
	q := question{command: "expand"}
	add := func(name, value string) {
		if value != "" {
			q.params = append(q.params, [2]string{name, value})
		}
	}
	add("url", req.URL)
	add("valueSetVersion", req.ValueSetVersion)
	add("filter", req.Filter)
	add("displayLanguage", req.DisplayLanguage)
	for _, p := range req.Properties {
		add("property", p)
	}
	for _, d := range req.Designations {
		add("designation", d)
	}
	if req.IncludeDesignations != nil {
		add("includeDesignations", fmt.Sprint(*req.IncludeDesignations))
	}
	if req.ActiveOnly != nil {
		add("activeOnly", fmt.Sprint(*req.ActiveOnly))
	}
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Expand(ctx, &req))
	}
	return q
}

// implicitly is an expansion of an implicit value set of SNOMED CT.
func implicitly(url string) question { return expansion(engine.ExpandRequest{URL: sct + url}) }

// lookupIn is a lookup in a version and a language.
func lookupIn(code, version, language string, properties ...string) question {
	q := lookup(sct, code, properties...)
	if version != "" {
		q.params = append(q.params, [2]string{"version", version})
	}
	if language != "" {
		q.params = append(q.params, [2]string{"displayLanguage", language})
	}
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asResult(e.Lookup(ctx, &engine.LookupRequest{System: sct, Code: code, Version: version, DisplayLanguage: language, Properties: properties}))
	}
	return q
}

// translateBy asks a map.
func translateBy(url, system, code string, reverse bool) question {
	return question{"translate", [][2]string{{"url", url}, {"system", system}, {"code", code}, {"reverse", fmt.Sprint(reverse)}}, func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Translate(ctx, &engine.TranslateRequest{URL: url, System: system, Code: code, Reverse: reverse}))
	}}
}

// aged is a translation for a patient of an age at onset.
func aged(url, code, age string) question {
	q := translateBy(url, sct, code, false)
	fact := r4.ConceptMapDependsOn{Property: "http://snomed.info/id/445518008", Value: age}
	q.params = append(q.params, [2]string{"dependency", fact.Property + "=" + age})
	q.call = func(ctx context.Context, e *engine.Engine) (operation.Result, error) {
		return asPointer(e.Translate(ctx, &engine.TranslateRequest{URL: url, System: sct, Code: code, DependsOn: []r4.ConceptMapDependsOn{fact}}))
	}
	return q
}

// TestSnomed loads releases of SNOMED CT and asks about them in every way.
func TestSnomed(t *testing.T) {
	data, lib := loadSnomed(t)
	srv := backendtest.Serve(t, backendtest.Released, "--no-samples", "--data", data)
	ways := map[string]asking{"GET": get(srv.URL), "POST": post(srv.URL), "command": command("--data", data)}
	yes, no := true, false
	ecl := sct + "?fhir_vs=ecl/"
	all := func(url, version, filter string) question {
		return expansion(engine.ExpandRequest{URL: url, ValueSetVersion: version, Filter: filter})
	}
	tongue := func(url, filter, language string) question {
		return expansion(engine.ExpandRequest{URL: url, Filter: filter, DisplayLanguage: language})
	}
	for _, row := range []struct {
		q    question
		want string
	}{
		// Lookups: displays by dialect, versions.
		{lookupIn(appendectomy, "", "", "inactive"), "Appendectomy @" + edition(rf2test.Core, second) + " inactive=false"},
		{lookupIn(appendectomy, "", "en-GB", "inactive"), "Appendicectomy @" + edition(rf2test.Core, second) + " inactive=false"},
		{lookupIn(appendectomy, "", "en-x-sctlang-90000000-00005080-04", "inactive"), "Appendicectomy @" + edition(rf2test.Core, second) + " inactive=false"},
		{lookupIn(outdated, "", "", "inactive"), "Inflamed appendix @" + edition(rf2test.Core, second) + " inactive=true"},
		{lookupIn(outdated, edition(rf2test.Core, first), "", "inactive"), "Inflamed appendix @" + edition(rf2test.Core, first) + " inactive=false"},
		{lookupIn(outdated, first, "", "inactive"), "Inflamed appendix @" + edition(rf2test.Core, first) + " inactive=false"},
		{lookupIn(local, sct+"/"+extModule, "", "parent"), "Local appendicitis @" + edition(extModule, third) + " parent=" + appendicitis},
		{lookupIn(local, "", "", "parent"), "error not-found"},
		{lookupIn(acuteAppendix, first, "", "parent"), "error not-found"},
		{lookupIn(appendicitis, "", "", "609096000", "effectiveTime", "sufficientlyDefined"), "Appendicitis @" + edition(rf2test.Core, second) +
			" sufficientlyDefined=false effectiveTime=20230731 609096000{" + morphology + "=" + inflammation + " " + site + "=" + appendix + "}"},
		{lookupIn(appendicitis, draft, "", "inactive"), "Appendicitis @" + draft + " inactive=false"},
		{lookupIn(appendicitis, "http://snomed.info/xsct/"+rf2test.Core, "", "inactive"), "Appendicitis @" + draft + " inactive=false"},
		{lookupIn(appendicitis, edition(rf2test.Core, "20240701"), "", "inactive"), "error not-found"},
		{lookupIn(tablet, "", "", strength), "Tablet of 500 mg @" + edition(rf2test.Core, second) + " " + strength + "=500"},

		// Implicit value sets.
		{implicitly("?fhir_vs=isa/" + appendicitis), "2: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis"},
		{implicitly("/" + rf2test.Core + "/version/" + first + "?fhir_vs=isa/" + appendicitis), "1: " + appendicitis + " Appendicitis"},
		{implicitly("/" + extModule + "?fhir_vs=isa/" + appendicitis), "3: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis, " + local + " Local appendicitis"},
		{all(sct+"?fhir_vs=isa/"+appendicitis, sct+"/"+extModule, ""), "3: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis, " + local + " Local appendicitis"},
		{all(sct+"?fhir_vs=isa/"+appendicitis, first, ""), "1: " + appendicitis + " Appendicitis"},
		{implicitly("?fhir_vs=refset/" + simpleSet), "2: " + appendix + " Appendix, " + appendicitis + " Appendicitis"},
		{implicitly("?fhir_vs=refset"), "6: " + extendedMap + " ICD-10 map, " + simpleSet + " Lateralizable structures, " + simpleMap + " CTV3 map, " +
			rf2test.BritishEnglish + " GB English, " + rf2test.AmericanEnglish + " US English, " + rf2test.ReplacedBy + " REPLACED BY association reference set"},
		{implicitly("?fhir_vs=refset/" + rf2test.Root), "error not-found"},
		{implicitly("?fhir_vs=ecl/%3C%20" + finding + "%20%3A%20" + morphology + "%3D%3C%3C" + inflammation), "2: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis"},
		{all(ecl+"< "+finding+" : "+morphology+" = << "+acuteInflamed, sct+"/"+extModule, ""), "2: " + acuteAppendix + " Acute appendicitis, " + local + " Local appendicitis"},
		{all(ecl+"* : "+strength+" >= #500", "", ""), "1: " + tablet + " Tablet of 500 mg"},
		{all(ecl+"^ "+simpleSet, "", ""), "2: " + appendix + " Appendix, " + appendicitis + " Appendicitis"},
		{all(ecl+"< "+finding+" {{ term = \"acu\" }}", "", ""), "1: " + acuteAppendix + " Acute appendicitis"},
		{all(ecl+"< "+finding+" {{", "", ""), "error invalid"},
		{all(inflamed, "", ""), "2: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis"},

		// Text, dialects and designations.
		{tongue(sct+"?fhir_vs", "append", ""), "5: " + appendix + " Appendix, " + appendectomy + " Appendectomy, " + appendicitis + " Appendicitis, " +
			outdated + " Inflamed appendix, " + acuteAppendix + " Acute appendicitis"},
		{tongue(ecl+"<< "+appendectomy, "", "en-GB"), "1: " + appendectomy + " Appendicectomy"},
		{tongue(ecl+"<< "+appendectomy, "appendic", "en-x-sctlang-90000000-00005080-04"), "1: " + appendectomy + " Appendicectomy"},
		{tongue(sct+"?fhir_vs=isa/"+finding, "append acu", ""), "1: " + acuteAppendix + " Acute appendicitis"},
		{expansion(engine.ExpandRequest{URL: ecl + appendectomy, IncludeDesignations: &yes}), "1: " + appendectomy + " Appendectomy (Appendectomy (procedure)/Appendectomy/Appendicectomy)"},
		{expansion(engine.ExpandRequest{URL: ecl + "<< " + appendicitis, Properties: []string{"inactive"}, ActiveOnly: &yes, IncludeDesignations: &no}), "2: " + appendicitis + " Appendicitis, " + acuteAppendix + " Acute appendicitis"},

		// Codes in sets.
		{validate(ecl+"< "+finding, sct, appendicitis, ""), "true Appendicitis"},
		{validate(ecl+"< "+finding, sct, appendicitis, "Appendicitis (thing)"), "true Appendicitis"},
		{validate(ecl+"< "+finding, sct, appendicitis, "Appendix"), "false Appendicitis"},
		{validate(ecl+"< "+finding, sct, appendix, ""), "false Appendix"},
		{validate(inflamed, sct, acuteAppendix, ""), "true Acute appendicitis"},
		{validate(sct+"?fhir_vs", sct, appendectomy, "Appendicectomy"), "true Appendectomy"},
		{validate(sct+"/"+extModule+"?fhir_vs=refset/"+simpleSet, sct, local, ""), "true Local appendicitis"},
		{memberOf(sct+"?fhir_vs=refset/"+simpleSet, sct, appendix), "true Appendix"},
		{subsumes(sct, finding, acuteAppendix), "subsumes"},
		{subsumes(sct, acuteAppendix, finding), "subsumed-by"},
		{subsumes(sct, appendix, finding), "not-subsumed"},
		{subsumes(sct+"|"+edition(rf2test.Core, first), finding, acuteAppendix), "error not-found"},

		// Maps, both ways.
		{translateBy(sct+"?fhir_cm="+simpleMap, sct, appendicitis, false), "true equivalent:X30Yr"},
		{translateBy(sct+"?fhir_cm="+simpleMap, "http://read.info/ctv3", "X30Yr", true), "true equivalent:" + appendicitis},
		{translateBy(sct+"?fhir_cm="+extendedMap, sct, appendicitis, false), "true relatedto:K35 relatedto:K37"},
		{aged(sct+"?fhir_cm="+extendedMap, appendicitis, "180 mo"), "true relatedto:K37"},
		{aged(sct+"?fhir_cm="+extendedMap, appendicitis, "14 a"), "true relatedto:K35"},
		{translateBy(sct+"?fhir_cm="+extendedMap, "http://hl7.org/fhir/sid/icd-10", "K37", true), "true relatedto:" + appendicitis},
		{translateBy(sct+"?fhir_cm="+rf2test.ReplacedBy, sct, outdated, false), "true equivalent:" + appendicitis},
		{translateBy(sct+"?fhir_cm="+rf2test.ReplacedBy, sct, appendicitis, true), "true equivalent:" + outdated},
		{translateBy(sct+"/"+rf2test.Core+"/version/"+first+"?fhir_cm="+rf2test.ReplacedBy, sct, outdated, false), "error not-found"},
		{translateBy(sct+"?fhir_cm="+simpleSet, sct, appendix, false), "error not-found"},
	} {
		t.Run(row.q.String(), func(t *testing.T) {
			answer := sameAnswer(t, lib, row.q, ways)
			if got := gist(t, answer); got != row.want {
				t.Errorf("got  %s\nwant %s\n%s", got, row.want, answer)
			}
		})
	}
}

// gist says in a line what matters of an answer.
func gist(t *testing.T, answer string) string {
	t.Helper()
	var a struct {
		ResourceType string
		Issue        []struct{ Code string }
		Parameter    []parameter
		Expansion    struct {
			Total    int
			Contains []struct {
				Code, Display string
				Designation   []struct{ Value string }
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	switch a.ResourceType {
	case "OperationOutcome":
		return "error " + a.Issue[0].Code
	case "ValueSet":
		var codes []string
		for _, c := range a.Expansion.Contains {
			text := c.Code + " " + c.Display
			if len(c.Designation) > 0 {
				var values []string
				for _, d := range c.Designation {
					values = append(values, d.Value)
				}
				text += " (" + strings.Join(values, "/") + ")"
			}
			codes = append(codes, text)
		}
		return fmt.Sprintf("%d: %s", a.Expansion.Total, strings.Join(codes, ", "))
	}
	var words []string
	for _, p := range a.Parameter {
		switch p.Name {
		case "outcome", "result":
			words = append([]string{p.text()}, words...)
		case "display":
			words = append(words, p.text())
		case "version":
			if a.Parameter[0].Name == "name" { // it is a lookup
				words = append(words, "@"+p.text())
			}
		case "match", "property", "subproperty":
			words = append(words, p.gist())
		}
	}
	return strings.Join(words, " ")
}

// A parameter is one of a Parameters resource.
type parameter struct {
	Name                             string
	ValueString, ValueCode, ValueURI string `json:",omitempty"`
	ValueBoolean                     *bool
	ValueInteger, ValueDecimal       json.Number
	ValueCoding                      struct{ Code string }
	Part                             []parameter
}

func (p *parameter) text() string {
	if p.ValueBoolean != nil {
		return fmt.Sprint(*p.ValueBoolean)
	}
	return p.ValueString + p.ValueCode + p.ValueURI + p.ValueInteger.String() + p.ValueDecimal.String() + p.ValueCoding.Code
}

// gist says what a property or a match says.
func (p *parameter) gist() string {
	var code, value string
	var parts []string
	for i := range p.Part {
		switch part := &p.Part[i]; part.Name {
		case "code", "equivalence":
			code = part.text()
		case "value", "concept":
			value = part.text()
		case "subproperty":
			parts = append(parts, part.gist())
		}
	}
	switch {
	case p.Name == "match":
		return code + ":" + value
	case parts != nil:
		return code + "{" + strings.Join(parts, " ") + "}"
	}
	return code + "=" + value
}
