package httpadapter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// The tests of this file have the names of the defects of issue 17. What they expect is stated by
// HL7's terminology test cases (github.com/HL7/fhir-tx-ecosystem-ig, suites snomed and translate), by
// its page on requirements, or by the specification of the Expression Constraint Language, and not
// taken from answers of this server.

const messageOfDisplay = "'inflamed liver, NOS' is no longer considered a correct display for code '%s' (status = inactive). " +
	"The correct display is one of Hepatitis,Hepatitis (thing),Inflamed liver"

// TestDefect4DisplayNoLongerInUse: the requirements of the ecosystem say that "an inactive display
// causes a warning that the display is no longer current (but it is valid)"; HL7's case
// sct/validate-code-inactive-display has the text, which lists the preferred term, then the other
// names, and no message. With lenient-display-validation=false it is an error (case
// validate-code-inactive-display-not-lenient).
func TestDefect4DisplayNoLongerInUse(t *testing.T) {
	c := newSnomedClient(t)
	text := fmt.Sprintf(messageOfDisplay, sctOnce)
	everything := `{"include":[{"system":"` + sctSystem + `"}]}`
	for _, tt := range []struct {
		name, compose, parameter string
		result                   bool
		message                  any
		issues                   []string
	}{
		{"by default", everything, "", true, nil, []string{"warning invalid display-comment INACTIVE_DISPLAY_FOUND: " + text}},
		{"lenient", everything, `{"name":"lenient-display-validation","valueBoolean":true}`, true, nil, []string{"warning invalid display-comment INACTIVE_DISPLAY_FOUND: " + text}},
		{"not lenient", everything, `{"name":"lenient-display-validation","valueBoolean":false}`, false, text, []string{"error invalid display-comment INACTIVE_DISPLAY_FOUND: " + text}},
		// sct/validate-code-procedure-out: outside the value set there is no word about it.
		{
			"not a member", included("concept", "is-a", sctOrgan), "", false,
			"The provided code 'http://snomed.info/sct#" + sctOnce + " ('inflamed liver, NOS')' was not found in the value set 'http://t.example/vs/sct|5.0.0'",
			[]string{"error code-invalid not-in-vs None_of_the_provided_codes_are_in_the_value_set_one: The provided code 'http://snomed.info/sct#" + sctOnce + " ('inflamed liver, NOS')' was not found in the value set 'http://t.example/vs/sct|5.0.0'"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var more []string
			if tt.parameter != "" {
				more = append(more, tt.parameter)
			}
			r := c.validateSnomed(sctOnce, "inflamed liver, NOS", tt.compose, more...)
			doc := r.want(t, 200)
			if got := parameter(doc, "result"); got != tt.result {
				t.Errorf("result %v: %s", got, r.body)
			}
			if got := parameter(doc, "display"); got != "Hepatitis" {
				t.Errorf("display %v", got)
			}
			if got := parameter(doc, "message"); got != tt.message {
				t.Errorf("message %v, want %v", got, tt.message)
			}
			if diff := cmp.Diff(tt.issues, toldIssues(t, r)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("withdrawn designation", func(t *testing.T) { // case extensions/validate-code-inactive-display
		const system = `{"resourceType":"CodeSystem","url":"http://t.example/ext","status":"active","content":"complete","language":"en","concept":[` +
			`{"code":"code2","display":"Display 2","designation":[{"language":"de","value":"2nd Code","extension":[` +
			`{"url":"http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status","valueCode":"withdrawn"}]}]}]}`
		r := c.do("POST", "/CodeSystem/$validate-code", withResources(
			`{"name":"url","valueUri":"http://t.example/ext"},{"name":"code","valueCode":"code2"},{"name":"display","valueString":"2nd Code"}`, system))
		if got := parameter(r.want(t, 200), "result"); got != true {
			t.Errorf("result %v", got)
		}
		want := []string{"warning invalid display-comment INACTIVE_DISPLAY_FOUND: '2nd Code' is no longer considered a correct display for code 'code2' (status = withdrawn). The correct display is 'Display 2'"}
		if diff := cmp.Diff(want, toldIssues(t, r)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("no other operation shows it", func(t *testing.T) {
		for _, r := range []response{
			c.get("/CodeSystem/$lookup?system=" + sctSystem + "&code=" + sctOnce),
			c.expandSnomed(everything, `{"name":"includeDesignations","valueBoolean":true}`),
			c.expandSnomed(everything, `{"name":"filter","valueString":"NOS"}`),
		} {
			if r.status != 200 || strings.Contains(r.body, "Inflamed liver, NOS") || strings.Contains(r.body, `"filter"`) && strings.Contains(r.body, "contains") {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
	})
}

// TestDefect5UnknownCodeInFilter: the edition lacks a code of a filter. $validate-code answers with
// 200 and names the code; an expansion would be wrong, so $expand refuses, as HL7's server does.
func TestDefect5UnknownCodeInFilter(t *testing.T) {
	c := newSnomedClient(t)
	for _, op := range []string{"is-a", "descendent-of", "child-of", "generalizes", "is-not-a"} {
		for _, form := range []string{"code", "concept", "inferred"} {
			parameters := composed(included("concept", op, sctUnknown)) + `,`
			switch form {
			case "code":
				parameters += `{"name":"code","valueCode":"` + sctOnce + `"},{"name":"system","valueUri":"` + sctSystem + `"}`
			case "concept":
				parameters += `{"name":"codeableConcept","valueCodeableConcept":{"coding":[{"system":"` + sctSystem + `","code":"` + sctOnce + `"}]}}`
			case "inferred":
				parameters += `{"name":"code","valueCode":"` + sctOnce + `"},{"name":"inferSystem","valueBoolean":true}`
			}
			r := c.do("POST", "/ValueSet/$validate-code", withResources(parameters))
			if got := parameter(r.want(t, 200), "result"); got != false {
				t.Errorf("%s %s: result %v", op, form, got)
			}
			if issues := toldIssues(t, r); !slices.ContainsFunc(issues, func(s string) bool {
				return strings.HasPrefix(s, "error ") && strings.Contains(s, "'"+sctUnknown+"'") && strings.Contains(s, sctEdition)
			}) {
				t.Errorf("%s %s: no issue names the code: %q", op, form, issues)
			}
		}
		r := c.expandSnomed(included("concept", op, sctUnknown))
		if issues := toldIssues(t, r); r.status != 422 || len(issues) != 1 || !strings.Contains(issues[0], "'"+sctUnknown+"'") {
			t.Errorf("%s: %d %q", op, r.status, issues)
		}
	}
	// A member by another include stays one, with a warning. If the filter is in an exclude, nobody
	// can tell.
	both := `{"include":[{"system":"` + sctSystem + `","filter":[{"property":"concept","op":"is-a","value":"` + sctUnknown + `"}]},{"system":"` + sctSystem + `","concept":[{"code":"` + sctOnce + `"}]}]}`
	without := `{"include":[{"system":"` + sctSystem + `"}],"exclude":[{"system":"` + sctSystem + `","filter":[{"property":"concept","op":"is-a","value":"` + sctUnknown + `"}]}]}`
	for compose, want := range map[string]bool{both: true, without: false} {
		r := c.validateSnomed(sctOnce, "", compose)
		if got := parameter(r.want(t, 200), "result"); got != want {
			t.Errorf("result %v: %s", got, r.body)
		}
		if issues := toldIssues(t, r); len(issues) == 0 || strings.HasPrefix(issues[0], "warning ") != want {
			t.Errorf("%q", issues)
		}
	}
}

// TestDefect5UnknownImplicitValueSet: HL7's cases sct/validate-code-implied-1b and 2b name a concept
// that does not exist, and one that is no reference set.
func TestDefect5UnknownImplicitValueSet(t *testing.T) {
	c := newSnomedClient(t)
	for _, rest := range []string{"=isa/" + sctUnknown, "=refset/" + sctLiver, "=refset/" + sctUnknown, "=nonsense"} {
		want := []string{"error not-found not-found Unable_to_resolve_value_Set_: A definition for the value Set 'http://snomed.info/sct?fhir_vs" + rest + "' could not be found"}
		for _, target := range []string{"/ValueSet/$expand?url=", "/ValueSet/$validate-code?code=" + sctLiver + "&system=" + sctSystem + "&url="} {
			r := c.get(target + implicitURL(rest))
			if r.status != 404 {
				t.Errorf("%s: status %d", rest, r.status)
			}
			if diff := cmp.Diff(want, toldIssues(t, r)); diff != "" {
				t.Errorf("%s: %s", rest, diff)
			}
		}
		imports := composed(`{"include":[{"valueSet":["` + sctSystem + "?fhir_vs" + rest + `"]}]}`)
		r := c.do("POST", "/ValueSet/$validate-code", withResources(imports+`,{"name":"code","valueCode":"`+sctLiver+`"},{"name":"system","valueUri":"`+sctSystem+`"}`))
		if got := parameter(r.want(t, 200), "result"); got != false {
			t.Errorf("imported: %s", r.body)
		}
		if diff := cmp.Diff(want, toldIssues(t, r)); diff != "" {
			t.Errorf("imported: %s", diff)
		}
	}
	for _, rest := range []string{"=isa/" + sctLiver, "=refset/" + sctRefset, "=refset", "=ecl/<<" + sctLiver, ""} {
		if r := c.get("/ValueSet/$expand?url=" + implicitURL(rest)); r.status != 200 {
			t.Errorf("%s: %d %s", rest, r.status, r.body)
		}
	}
}

// TestDefect9InvalidConstraint: HL7's cases sct/expand-ecl-mixed-operators-rejected, missing-focus,
// trailing-tokens, invalid-sctid and unknown-concept. The text in brackets is that of each server.
func TestDefect9InvalidConstraint(t *testing.T) {
	c := newSnomedClient(t)
	for _, expression := range []string{
		"<< " + sctLiver + " OR << " + sctOrgan + " AND << " + sctLobe,
		"<< " + sctLiver + " AND << " + sctOrgan + " OR << " + sctLobe,
		"<< " + sctLiver + " MINUS << " + sctLobe + " MINUS << " + sctOrgan,
		"<<", "<< " + sctLiver + " <<", "<< abc", "< " + sctUnknown, "< " + sctDisease + " : " + sctSite + " = " + sctUnknown,
	} {
		want := "error invalid vs-invalid INVALID_ECL: Invalid ECL expression: '" + expression + "': ("
		for _, r := range []response{
			c.expandSnomed(included("constraint", "=", expression)),
			c.validateSnomed(sctOnce, "", included("constraint", "=", expression)),
			c.get("/ValueSet/$expand?url=" + implicitURL("=ecl/"+expression)),
		} {
			if r.status < 400 || r.status > 499 {
				t.Errorf("%s: status %d", expression, r.status)
			}
			if issues := toldIssues(t, r); len(issues) != 1 || !strings.HasPrefix(issues[0], want) {
				t.Errorf("%s: %q", expression, issues)
			}
		}
	}
}

// TestLongConstraint checks that an error repeats a part of a long expression only.
func TestLongConstraint(t *testing.T) {
	c := newSnomedClient(t)
	r := c.expandSnomed(included("constraint", "=", "<< "+strings.Repeat("abc ", 100_000)))
	if r.status != 422 || len(r.body) > 16<<10 {
		t.Errorf("status %d, %d bytes", r.status, len(r.body))
	}
}

// TestDefect3AttributeCardinality: outside braces a cardinality counts the attributes of all role
// groups; inside it counts those of one group, and one such group is enough. HL7's cases
// sct/expand-ecl-refinement-cardinality (573 concepts) and -cardinality-rolegroup ("at least one
// role group containing exactly 1 Finding site … includes concepts with multiple role groups each
// having 1", 653 concepts) say so, and so does section 6.3 of the specification.
func TestDefect3AttributeCardinality(t *testing.T) {
	c := newSnomedClient(t)
	site := sctSite + " = << " + sctLiver
	below := "< " + sctDisease
	grouped := below + " MINUS (" + sctUngrouped + " OR " + sctMixed + ")"
	for _, tt := range []struct {
		expression string
		want       []string
	}{
		{below + " : " + site, sorted(sctOnce, sctTwice, sctTwoSites, sctUngrouped, sctMixed)},
		{below + " : [1..1] " + site, sorted(sctOnce, sctUngrouped)},
		{below + " : [2..2] " + site, sorted(sctTwice, sctTwoSites, sctMixed)},
		{below + " : [2..*] " + site, sorted(sctTwice, sctTwoSites, sctMixed)},
		{below + " : [3..*] " + site, sorted()},
		{below + " : [0..1] " + site, sorted(sctOnce, sctUngrouped)},
		{below + " : [1..1] " + sctSite + " = " + sctLiver, sorted(sctOnce, sctTwoSites)},
		{"(" + grouped + ") : { [1..1] " + site + " }", sorted(sctOnce, sctTwice)},
		{"(" + grouped + ") : { [2..2] " + site + " }", sorted(sctTwoSites)},
		{"(" + grouped + ") : [2..2] { [1..1] " + site + " }", sorted(sctTwice)},
		{"(" + grouped + ") : [1..1] { " + site + " }", sorted(sctOnce, sctTwoSites)},
		{"(" + grouped + ") : { " + site + ", " + sctMorphology + " = " + sctInflammation + " }", sorted(sctOnce, sctTwice)},
	} {
		if diff := cmp.Diff(tt.want, codesOf(t, c.expandSnomed(included("constraint", "=", tt.expression)))); diff != "" {
			t.Errorf("%s: %s", tt.expression, diff)
		}
	}
}

// unclosed reports whether an expansion is marked as unclosed.
func unclosed(t testing.TB, r response) bool {
	t.Helper()
	extensions, _ := at(r.want(t, 200), "expansion", "extension").([]any)
	return slices.ContainsFunc(extensions, func(e any) bool {
		return at(e, "url") == "http://hl7.org/fhir/StructureDefinition/valueset-unclosed" && at(e, "valueBoolean") == true
	})
}

// TestDefect9UnclosedExpansions: SNOMED CT has a grammar, so an expansion by filter or of everything
// never has all codes (HL7's cases sct/expand-isa, expand-ecl-minus-empty, expand-count-all). Lists
// of codes (expand-inactive), and filters with expressions = false (expand-pc-none), are complete.
func TestDefect9UnclosedExpansions(t *testing.T) {
	c := newSnomedClient(t)
	filtered := func(more string) string {
		return `{"include":[{"system":"` + sctSystem + `","filter":[{"property":"concept","op":"is-a","value":"` + sctLiver + `"}` + more + `]}]}`
	}
	for _, tt := range []struct {
		name string
		r    response
		want bool
	}{
		{"is-a", c.expandSnomed(filtered("")), true},
		{"expressions", c.expandSnomed(filtered(`,{"property":"expressions","op":"=","value":"true"}`)), true},
		{"no expressions", c.expandSnomed(filtered(`,{"property":"expressions","op":"=","value":"false"}`)), false},
		{"constraint", c.expandSnomed(included("constraint", "=", "<< "+sctLiver)), true},
		{"empty constraint", c.expandSnomed(included("constraint", "=", "<< "+sctLiver+" MINUS << "+sctLiver)), true},
		{"everything", c.expandSnomed(`{"include":[{"system":"` + sctSystem + `"}]}`), true},
		{"count", c.expandSnomed(`{"include":[{"system":"`+sctSystem+`"}]}`, `{"name":"count","valueInteger":0}`), true},
		{"list", c.expandSnomed(`{"include":[{"system":"` + sctSystem + `","concept":[{"code":"` + sctLiver + `"}]}]}`), false},
		{"import", c.expandSnomed(`{"include":[{"valueSet":["` + sctSystem + `?fhir_vs=isa/` + sctLiver + `"]}]}`), true},
		{"implicit", c.get("/ValueSet/$expand?url=" + implicitURL("=isa/"+sctLiver)), true},
		{"implicit constraint", c.get("/ValueSet/$expand?url=" + implicitURL("=ecl/<<"+sctLiver)), true},
		{"reference sets", c.get("/ValueSet/$expand?url=" + implicitURL("=refset")), false},
		{"another code system", c.get("/ValueSet/$expand?url=http://t.example/vs/everything"), false},
	} {
		if got := unclosed(t, tt.r); got != tt.want {
			t.Errorf("%s: unclosed %v: %.300s", tt.name, got, tt.r.body)
		}
	}
}

// TestSnomedRules checks the other rules of HL7's suite about SNOMED CT.
func TestSnomedRules(t *testing.T) {
	c := newSnomedClient(t)
	expand := func(expression string) []string {
		return codesOf(t, c.expandSnomed(included("constraint", "=", expression)))
	}
	// "* is descendants-or-self of the root: concepts without a parent are not in it"; everything has
	// these and the inactive ones.
	star := expand("*")
	if slices.Contains(star, rf2testCore) || slices.Contains(star, sctRetired) || !slices.Contains(star, "138875005") {
		t.Errorf("* is %q", star)
	}
	if diff := cmp.Diff(star, expand("<< 138875005")); diff != "" {
		t.Error(diff)
	}
	all := codesOf(t, c.expandSnomed(`{"include":[{"system":"`+sctSystem+`"}]}`))
	if len(all) != len(star)+2 || !slices.Contains(all, rf2testCore) || !slices.Contains(all, sctRetired) {
		t.Errorf("everything is %q", all)
	}
	for _, tt := range []struct {
		expression string
		want       []string
	}{
		{"* MINUS (* MINUS " + sctLiver + ")", sorted(sctLiver)},
		{"^ " + sctLiver, sorted()},                      // expand-ecl-memberOf-nonRefset
		{"^ " + sctRefset, sorted(sctOnce, sctRetired)},  // members may be inactive
		{sctLiver + " |Another name|", sorted(sctLiver)}, // expand-ecl-term-mismatch
		{"<< " + sctLiver + " |Liver|", sorted(sctLiver, sctLobe)},
		{">> " + sctLobe, sorted(sctLobe, sctLiver, sctOrgan, "138875005")},
		{">! " + sctLobe, sorted(sctLiver)},
		{"<! " + sctOrgan, sorted(sctLiver)},
		{sctOnce + " . " + sctSite, sorted(sctLiver)},
		{"(<< " + sctLiver + " OR << " + sctInflammation + ") AND << " + sctLobe, sorted(sctLobe)},
		{"< " + sctDisease + " : " + sctMorphology + " = *", sorted(sctOnce, sctTwice)},
	} {
		if diff := cmp.Diff(tt.want, expand(tt.expression)); diff != "" {
			t.Errorf("%s: %s", tt.expression, diff)
		}
	}
	// The display is the preferred synonym of the language reference set.
	r := c.get("/CodeSystem/$lookup?system=" + sctSystem + "&code=" + sctOnce)
	if got := parameter(r.want(t, 200), "display"); got != "Hepatitis" {
		t.Errorf("display %v", got)
	}
	// An inactive member says so, with a status.
	if r := c.expandSnomed(included("constraint", "=", "^ "+sctRefset)); !strings.Contains(r.body, `"inactive":true,"code":"`+sctRetired+`"`) || !strings.Contains(r.body, `"valueCode":"inactive"`) {
		t.Errorf("%s", r.body)
	}
}

// flatProperties returns the properties of an answer of $lookup as code=value description, and those
// within role groups in braces.
func flatProperties(t testing.TB, r response) []string {
	t.Helper()
	var list []string
	list = appendFlat(list, r.want(t, 200)["parameter"], "property")
	slices.Sort(list)
	return list
}

func appendFlat(list []string, parts any, name string) []string {
	all, _ := parts.([]any)
	for _, p := range all {
		if at(p, "name") != name {
			continue
		}
		inner := appendFlat(nil, at(p, "part"), "subproperty")
		values := map[string]any{}
		for _, part := range at(p, "part").([]any) {
			for _, key := range []string{"valueCode", "valueString"} {
				if v := at(part, key); v != nil {
					values[at(part, "name").(string)] = v
				}
			}
		}
		if inner != nil {
			slices.Sort(inner)
			list = append(list, fmt.Sprint(values["code"], inner))
			continue
		}
		list = append(list, fmt.Sprintf("%v=%v %v", values["code"], values["value"], values["description"]))
	}
	return list
}

// TestDefect8AttributesInLookup: HL7's case sct/lookup-procedure has each attribute once as a
// property with code, value (a code) and the display of the value as description, as HL7's server and
// Snowstorm return it. The role groups follow as subproperties, where R4 has a place for them.
func TestDefect8AttributesInLookup(t *testing.T) {
	c := newSnomedClient(t)
	site, morphology := sctSite+"="+sctLiver+" Liver", sctMorphology+"="+sctInflammation+" Inflammation"
	groups := []string{"609096000[" + site + " " + morphology + "]", "609096000[" + site + "]"}
	for _, tt := range []struct {
		properties string
		want       []string
	}{
		{"", append([]string{site, morphology}, groups...)},
		{"&property=*", append([]string{site, morphology}, groups...)},
		{"&property=609096000", groups},
		{"&property=" + sctSite, []string{site}},
		{"&property=" + sctMorphology + "&property=609096000", append([]string{morphology}, groups...)},
		{"&property=parent", []string{"parent=" + sctDisease + " Disease"}},
	} {
		got := flatProperties(t, c.get("/CodeSystem/$lookup?system="+sctSystem+"&code="+sctTwice+tt.properties))
		if tt.properties == "" || strings.HasSuffix(tt.properties, "*") {
			got = slices.DeleteFunc(got, func(s string) bool { return s[0] > '9' }) // parent, moduleId and so on
		}
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.properties, diff)
		}
	}
	// Ungrouped attributes, and one that is in a group and outside: once.
	got := flatProperties(t, c.get("/CodeSystem/$lookup?system="+sctSystem+"&code="+sctMixed+"&property="+sctSite))
	if diff := cmp.Diff([]string{site}, got); diff != "" {
		t.Error(diff)
	}
}

// TestDefect7ReverseTranslate: HL7's cases translate/translate-reverse in R4's names (reverse=true)
// and in R5's (targetCode) name the target as concept and its source as source, with the relation as
// the map has it. Under the clinical rules a request in R4's names gets R4's answer: the concept is
// the outcome of the translation.
func TestDefect7ReverseTranslate(t *testing.T) {
	const conceptMap = `{"resourceType":"ConceptMap","url":"http://t.example/cm/full","version":"0.1.0","status":"active",` +
		`"sourceUri":"http://t.example/source?fhir_vs","targetUri":"http://t.example/target?fhir_vs","group":[{"source":"http://t.example/source","target":"http://t.example/target","element":[` +
		`{"code":"code-1","target":[{"code":"code1","equivalence":"equivalent"}]},{"code":"code-2","target":[{"code":"code2","equivalence":"wider"}]}]}]}`
	system := func(name string, codes ...string) string {
		list := make([]string, len(codes))
		for i, code := range codes {
			list[i] = `{"code":"` + code + `"}`
		}
		return `{"resourceType":"CodeSystem","url":"http://t.example/` + name + `","status":"active","content":"complete","concept":[` + strings.Join(list, ",") + `]}`
	}
	c := newClient(t)
	ask := func(path, parameters string) map[string]string {
		r := c.do("POST", path+"/ConceptMap/$translate", withResources(parameters, conceptMap, system("source", "code-1", "code-2"), system("target", "code1", "code2")))
		doc := r.want(t, 200)
		if parameter(doc, "result") != true {
			t.Errorf("%s: %s", path, r.body)
		}
		parts := map[string]string{}
		for _, p := range doc["parameter"].([]any) {
			if at(p, "name") != "match" {
				continue
			}
			for _, part := range at(p, "part").([]any) {
				name, text := at(part, "name").(string), ""
				for _, key := range []string{"valueCode", "valueUri", "valueCanonical"} {
					if v, ok := at(part, key).(string); ok {
						text = v
					}
				}
				if coding := at(part, "valueCoding"); coding != nil {
					text = fmt.Sprint(at(coding, "system"), "#", at(coding, "code"))
				}
				parts[name] = text
			}
		}
		return parts
	}
	ofR4 := func(code string) string {
		return `{"name":"code","valueCode":"` + code + `"},{"name":"system","valueUri":"http://t.example/target"},{"name":"targetsystem","valueUri":"http://t.example/source"},{"name":"reverse","valueBoolean":true}`
	}
	ofR5 := func(code string) string {
		return `{"name":"sourceSystem","valueUri":"http://t.example/source"},{"name":"targetCode","valueCode":"` + code + `"},{"name":"targetSystem","valueUri":"http://t.example/target"}`
	}
	want := func(n, equivalence string) map[string]string {
		return map[string]string{
			"concept": "http://t.example/target#code" + n, "source": "http://t.example/source#code-" + n,
			"equivalence": equivalence, "originMap": "http://t.example/cm/full|0.1.0",
		}
	}
	for _, tt := range []struct {
		name, path, parameters string
		want                   map[string]string
	}{
		{"R4", "/r4", ofR4("code1"), want("1", "equivalent")},
		{"R4, not symmetric", "/r4", ofR4("code2"), want("2", "wider")},
		{"R5", "/r4", ofR5("code1"), want("1", "equivalent")},
		{"R5, not symmetric", "/r4", ofR5("code2"), want("2", "wider")},
		{"R5, clinical", "", ofR5("code2"), want("2", "wider")},
		{"R4, clinical", "", ofR4("code2"), map[string]string{"concept": "http://t.example/source#code-2", "equivalence": "narrower", "source": "http://t.example/cm/full|0.1.0"}},
	} {
		if diff := cmp.Diff(tt.want, ask(tt.path, tt.parameters)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestExpansionSizes: without a limit in the request, HL7's case sct/expand-ecl-wildcard-minus has
// 1,941 codes in the test edition of 2025-09-09, and big/big-echo-no-limit is refused at 2,000.
func TestExpansionSizes(t *testing.T) {
	c := newClient(t)
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: "http://t.example/numbers", Version: "1", Status: "active"}, Content: "complete"})
	for i := range 2000 {
		if _, err := b.Add(&codesystem.Concept{Code: fmt.Sprintf("n%04d", i), Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.engine.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	expand := func(compose string) response {
		return c.do("POST", "/r4/ValueSet/$expand", withResources(composed(compose)))
	}
	most := `{"include":[{"system":"http://t.example/numbers","filter":[{"property":"code","op":"regex","value":"n(0...|1[0-8]..|19[0-3].|1940)"}]}]}`
	if codes := codesOf(t, expand(most)); len(codes) != 1941 {
		t.Errorf("%d codes", len(codes))
	}
	expand(`{"include":[{"system":"http://t.example/numbers"}]}`).wantIssue(t, 422, "too-costly")
}

// TestSubsumesUnknownCode: HL7's cases sct/subsumes-unknown-code-a and -b expect the issue of an
// unknown code, with the parameter as expression.
func TestSubsumesUnknownCode(t *testing.T) {
	c := newSnomedClient(t)
	for name, codes := range map[string]string{"codeA": "&codeA=" + sctUnknown + "&codeB=" + sctLiver, "codeB": "&codeA=" + sctLiver + "&codeB=" + sctUnknown} {
		r := c.get("/r4/CodeSystem/$subsumes?system=" + sctSystem + codes)
		if r.status != 404 {
			t.Errorf("status %d", r.status)
		}
		want := []string{"error code-invalid invalid-code Unknown_Code_in_Version: Unknown code '" + sctUnknown + "' in the CodeSystem '" + sctSystem + "' version '" + sctEdition + "'"}
		if diff := cmp.Diff(want, toldIssues(t, r)); diff != "" {
			t.Error(diff)
		}
		if got := at(r.json(t), "issue", 0, "expression", 0); got != name {
			t.Errorf("expression %v", got)
		}
	}
}
