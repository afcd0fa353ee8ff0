package engine_test

import (
	"fmt"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	brew  = "http://example.org/brew"
	brews = "http://example.org/vs/brews"
)

// brewSystem has texts in several languages, one of them withdrawn.
const brewSystem = `{"resourceType":"CodeSystem","url":"http://example.org/brew","version":"1.0.0","status":"active","content":"complete","language":"en","concept":[
	{"code":"green","display":"Green tea","designation":[
		{"language":"de","value":"Grüner Tee"},
		{"language":"de-CH","value":"Grüntee"},
		{"language":"nl","use":{"system":"http://example.org/use","code":"nick"},"value":"Groentje"},
		{"language":"en","value":"Verdant tea","_value":{},"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status","valueCode":"withdrawn"}]}]},
	{"code":"black","display":"Black tea"},
	{"code":"bare"}]}`

func brewSet(name, more string) string {
	return fmt.Sprintf(`{"resourceType":"ValueSet","url":"http://example.org/vs/%s","version":"3","status":"active"%s}`, name, more)
}

const allBrews = `,"compose":{"include":[{"system":"http://example.org/brew"}]}`

// TestValidateDisplays: right and wrong displays, in languages there are and there are not.
func TestValidateDisplays(t *testing.T) {
	th := newTheme(t, brewSystem,
		brewSet("brews", allBrews),
		brewSet("german", `,"language":"de"`+allBrews),
		brewSet("brings-german", `,"compose":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[
			{"url":"name","valueCode":"displayLanguage"},{"url":"value","valueCode":"de"}]}],"include":[{"system":"http://example.org/brew"}]}`),
		brewSet("own", `,"compose":{"include":[{"system":"http://example.org/brew","concept":[{"code":"green","display":"The green one","designation":[{"language":"fr","value":"La verte"}]},{"code":"bare"}]}]}`))
	for _, language := range []string{"", "en", "de", "de-CH", "de-AT", "nl", "fr", "fr, *;q=0", "fr;q=0.5, de;q=0.9", "en-GB, de;q=0.3"} {
		for _, display := range []string{"", "Green tea", "GREEN TEA", "Green  tea ", "Grüner Tee", "Groentje", "Verdant tea", "Coffee"} {
			th.ask(fmt.Sprintf("%q for %q", display, language), engine.ValidateCodeRequest{
				URL: brews, Coding: &r4.Coding{System: brew, Code: "green", Display: display}, DisplayLanguage: language,
			})
		}
	}
	for _, vs := range []string{"german", "brings-german", "own"} {
		for _, display := range []string{"", "Green tea", "Grüner Tee", "The green one", "La verte", "Coffee"} {
			th.ask(fmt.Sprintf("%q in %s", display, vs), engine.ValidateCodeRequest{URL: "http://example.org/vs/" + vs, System: brew, Code: "green", Display: display})
		}
	}
	green := func(display string) *r4.Coding { return &r4.Coding{System: brew, Code: "green", Display: display} }
	th.ask("lenient", engine.ValidateCodeRequest{URL: brews, Coding: green("Coffee"), LenientDisplay: true})
	th.ask("lenient, withdrawn", engine.ValidateCodeRequest{URL: brews, Coding: green("Verdant tea"), LenientDisplay: true})
	th.ask("strict, withdrawn", engine.ValidateCodeRequest{URL: brews, Coding: green("Verdant tea"), StrictDisplay: true})
	th.ask("lenient, no such language", engine.ValidateCodeRequest{URL: brews, Coding: green("Coffee"), LenientDisplay: true, DisplayLanguage: "fr"})
	th.ask("membership only, wrong display", engine.ValidateCodeRequest{URL: brews, Coding: green("Coffee"), MembershipOnly: true})
	th.ask("header", engine.ValidateCodeRequest{URL: brews, Coding: green("Green tea"), AcceptLanguage: "de"})
	th.ask("parameter before header", engine.ValidateCodeRequest{URL: brews, Coding: green("Green tea"), AcceptLanguage: "de", DisplayLanguage: "en"})
	th.ask("header that cannot be read", engine.ValidateCodeRequest{URL: brews, Coding: green("Green tea"), AcceptLanguage: "?;;"})
	th.ask("no language", engine.ValidateCodeRequest{URL: brews, Coding: green("Green tea"), DisplayLanguage: "no language"})
	th.ask("not a member, wrong display", engine.ValidateCodeRequest{URL: "http://example.org/vs/own", Coding: &r4.Coding{System: brew, Code: "black", Display: "Coffee"}})
	th.ask("not a member, other language", engine.ValidateCodeRequest{URL: "http://example.org/vs/own", Coding: &r4.Coding{System: brew, Code: "black", Display: "Black tea"}, DisplayLanguage: "de"})
	th.ask("no display to compare with", engine.ValidateCodeRequest{URL: brews, Coding: &r4.Coding{System: brew, Code: "bare", Display: "Bare"}})
	th.check()
}

// TestValidateSupplements: language packs are used by themselves, others when named.
func TestValidateSupplements(t *testing.T) {
	supplement := func(name, extension, display string) string {
		return fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/brew-%s","version":"1","status":"active","content":"supplement","supplements":"http://example.org/brew","language":"it"%s,
			"concept":[{"code":"green","designation":[{"language":"it","value":%q}]}]}`, name, extension, display)
	}
	needs := func(name string) string {
		return fmt.Sprintf(`,"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-supplement","valueCanonical":"http://example.org/brew-%s"}]`, name)
	}
	th := newTheme(t, brewSystem, brewSet("brews", allBrews), brewSet("needs", needs("slang")+allBrews), brewSet("needs-absent", needs("absent")+allBrews),
		supplement("pack", `,"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`, "Tè verde"),
		supplement("slang", "", "Il verde"))
	for _, display := range []string{"", "Tè verde", "Il verde", "Green tea"} {
		coding := &r4.Coding{System: brew, Code: "green", Display: display}
		th.ask(fmt.Sprintf("%q", display), engine.ValidateCodeRequest{URL: brews, Coding: coding, DisplayLanguage: "it"})
		th.ask(fmt.Sprintf("%q, slang named", display), engine.ValidateCodeRequest{URL: brews, Coding: coding, DisplayLanguage: "it", UseSupplements: []string{"http://example.org/brew-slang"}})
		th.ask(fmt.Sprintf("%q, value set needs slang", display), engine.ValidateCodeRequest{URL: "http://example.org/vs/needs", Coding: coding})
	}
	coding := &r4.Coding{System: brew, Code: "green"}
	th.ask("absent", engine.ValidateCodeRequest{URL: brews, Coding: coding, UseSupplements: []string{"http://example.org/brew-absent"}})
	th.ask("another version", engine.ValidateCodeRequest{URL: brews, Coding: coding, UseSupplements: []string{"http://example.org/brew-slang|2"}})
	th.ask("two absent", engine.ValidateCodeRequest{URL: brews, Coding: coding, UseSupplements: []string{"http://example.org/brew-absent", "http://example.org/brew-slang|2"}})
	th.ask("value set needs an absent one", engine.ValidateCodeRequest{URL: "http://example.org/vs/needs-absent", Coding: coding})
	th.ask("supplement as a system", engine.ValidateCodeRequest{URL: brews, Coding: &r4.Coding{System: "http://example.org/brew-slang", Code: "green"}})
	th.askSystem("in the system", engine.ValidateCodeInSystemRequest{URL: brew, Code: "green", Display: "Il verde", UseSupplements: []string{"http://example.org/brew-slang"}})
	th.askSystem("in the system, absent", engine.ValidateCodeInSystemRequest{URL: brew, Code: "green", UseSupplements: []string{"http://example.org/brew-absent"}})
	th.check()
}

// TestValidateStatus: what is said of the status of value sets, code systems, concepts
// and of what a value set says of its concepts; and whether a concept may be used.
func TestValidateStatus(t *testing.T) {
	standards := func(status string) string {
		return fmt.Sprintf(`"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status","valueCode":%q}],`, status)
	}
	system := func(name, more string) string {
		return fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/%s","version":"1.0.0",%s"content":"complete","concept":[{"code":"a","display":"A"}]}`, name, more)
	}
	set := func(name, more, includes string) string {
		return fmt.Sprintf(`{"resourceType":"ValueSet","url":"http://example.org/vs/%s",%s"compose":{"include":[%s]}}`, name, more, includes)
	}
	kinds := []struct{ name, more string }{
		{"active", `"status":"active",`},
		{"draft", `"status":"draft",`},
		{"retired", `"status":"retired",`},
		{"experimental", `"status":"active","experimental":true,`},
		{"experimental-draft", `"status":"draft","experimental":true,`},
		{"deprecated", `"status":"active",` + standards("deprecated")},
		{"withdrawn", `"status":"active",` + standards("withdrawn")},
		{"standards-draft", `"status":"active",` + standards("draft")},
	}
	docs := []string{
		`{"resourceType":"CodeSystem","url":"http://example.org/beasts","version":"1","status":"active","content":"complete","property":[{"code":"inactive","type":"boolean"},{"code":"notSelectable","type":"boolean"},{"code":"status","type":"code"}],"concept":[
			{"code":"cow","display":"Cow"},
			{"code":"kind","display":"Kind","property":[{"code":"notSelectable","valueBoolean":true}]},
			{"code":"auk","display":"Auk","property":[{"code":"inactive","valueBoolean":true}]},
			{"code":"moa","display":"Moa","property":[{"code":"status","valueCode":"retired"}]},
			{"code":"ox","display":"Ox","property":[{"code":"status","valueCode":"deprecated"}]},
			{"code":"yak","display":"Yak","property":[{"code":"status","valueCode":"experimental"}]}]}`,
		set("beasts", `"status":"active",`, `{"system":"http://example.org/beasts"}`),
		`{"resourceType":"ValueSet","url":"http://example.org/vs/living","status":"active","compose":{"inactive":false,"include":[{"system":"http://example.org/beasts"}]}}`,
		set("listed", `"status":"active",`, `{"system":"http://example.org/beasts","concept":[{"code":"cow",`+standards("withdrawn")+`"display":"Cow"},
			{"code":"ox","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-deprecated","valueBoolean":true}]},{"code":"auk"},{"code":"moa"},{"code":"kind"}]}`),
		set("filtered", `"status":"active",`, `{"system":"http://example.org/beasts","filter":[{"property":"code","op":"regex","value":".*"}]}`),
	}
	for _, k := range kinds {
		docs = append(docs, system(k.name, k.more), set("of-"+k.name, `"status":"active",`, `{"system":"http://example.org/`+k.name+`"}`),
			set(k.name, k.more, `{"system":"http://example.org/`+k.name+`"}`), set("import-"+k.name, `"status":"active",`, `{"valueSet":["http://example.org/vs/`+k.name+`"]}`))
	}
	th := newTheme(t, docs...)
	for _, k := range kinds {
		for _, vs := range []string{"of-", "", "import-"} {
			th.ask(vs+k.name, engine.ValidateCodeRequest{URL: "http://example.org/vs/" + vs + k.name, System: "http://example.org/" + k.name, Code: "a"})
		}
		th.askSystem("system "+k.name, engine.ValidateCodeInSystemRequest{URL: "http://example.org/" + k.name, Code: "a"})
	}
	no := false
	for _, vs := range []string{"beasts", "living", "listed", "filtered"} {
		for _, code := range []string{"cow", "kind", "auk", "moa", "ox", "yak"} {
			req := engine.ValidateCodeRequest{URL: "http://example.org/vs/" + vs, Coding: &r4.Coding{System: "http://example.org/beasts", Code: code}}
			th.ask(code+" of "+vs, req)
			if code == "auk" {
				active, membership := req, req
				active.ActiveOnly, membership.MembershipOnly = true, true
				th.ask(code+" of "+vs+", active only", active)
				th.ask(code+" of "+vs+", membership only", membership)
			}
			if code == "kind" {
				req.Abstract = &no
				th.ask(code+" of "+vs+", nothing abstract", req)
				req.MembershipOnly = true
				th.ask(code+" of "+vs+", nothing abstract, membership only", req)
			}
		}
	}
	coding := func(code string) r4.Coding { return r4.Coding{System: "http://example.org/beasts", Code: code} }
	th.ask("an inactive one first", engine.ValidateCodeRequest{URL: "http://example.org/vs/beasts", CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{coding("auk"), coding("cow")}}})
	th.ask("an inactive one last", engine.ValidateCodeRequest{URL: "http://example.org/vs/beasts", CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{coding("ox"), coding("auk")}}})
	th.check()
}

// TestValidateUnknown: codes, systems, value sets and imports that are not there, and
// what cannot be validated at all.
func TestValidateUnknown(t *testing.T) {
	th := newTheme(t, brewSystem, brewSet("brews", allBrews),
		`{"resourceType":"CodeSystem","url":"http://example.org/some-brew","version":"1","status":"active","content":"fragment","caseSensitive":false,"concept":[{"code":"Green"}]}`,
		`{"resourceType":"CodeSystem","url":"http://example.org/named-only","version":"1","status":"active","content":"not-present"}`,
		brewSet("fragment", `,"compose":{"include":[{"system":"http://example.org/some-brew"}]}`),
		brewSet("fragment-list", `,"compose":{"include":[{"system":"http://example.org/some-brew","concept":[{"code":"green"},{"code":"white"}]}]}`),
		brewSet("absent-system", `,"compose":{"include":[{"system":"http://example.org/absent"}]}`),
		brewSet("absent-version", `,"compose":{"include":[{"system":"http://example.org/absent","version":"7"}]}`),
		brewSet("named-only", `,"compose":{"include":[{"system":"http://example.org/named-only"}]}`),
		brewSet("absent-import", `,"compose":{"include":[{"valueSet":["http://example.org/vs/absent|2"]}]}`),
		brewSet("undecided-first", `,"compose":{"include":[{"valueSet":["http://example.org/vs/absent-system"]},{"system":"http://example.org/brew"}]}`),
		brewSet("undecided-last", `,"compose":{"include":[{"system":"http://example.org/brew"},{"valueSet":["http://example.org/vs/absent-system"]}]}`),
		brewSet("trial", `,"experimental":true`+allBrews),
		brewSet("undecided-trial", `,"compose":{"include":[{"valueSet":["http://example.org/vs/absent-system"]},{"valueSet":["http://example.org/vs/trial"]}]}`),
		brewSet("trial-undecided", `,"compose":{"include":[{"valueSet":["http://example.org/vs/trial"]},{"valueSet":["http://example.org/vs/absent-system"]}]}`),
		brewSet("absent-exclude", `,"compose":{"include":[{"system":"http://example.org/brew"}],"exclude":[{"system":"http://example.org/absent"}]}`),
		brewSet("loop", `,"compose":{"include":[{"valueSet":["http://example.org/vs/loop2"]}]}`),
		brewSet("loop2", `,"compose":{"include":[{"valueSet":["http://example.org/vs/loop"]}]}`),
		brewSet("contained", `,"contained":[{"resourceType":"ValueSet","id":"a","status":"active","compose":{"include":[{"valueSet":["#b"]}]}},
			{"resourceType":"ValueSet","id":"b","status":"active","compose":{"include":[{"system":"http://example.org/brew","concept":[{"code":"green"}]}]}}],"compose":{"include":[{"valueSet":["#a"]}]}`),
		brewSet("contained-loop", `,"contained":[{"resourceType":"ValueSet","id":"a","status":"active","compose":{"include":[{"valueSet":["#a"]}]}}],"compose":{"include":[{"valueSet":["#a"]}]}`),
		brewSet("contained-absent", `,"compose":{"include":[{"valueSet":["#a"]}]}`),
		brewSet("bad-filter", `,"compose":{"include":[{"system":"http://example.org/brew","filter":[{"property":"taste","op":"=","value":"sweet"}]}]}`),
		brewSet("bad-regex", `,"compose":{"include":[{"system":"http://example.org/brew","filter":[{"property":"code","op":"regex","value":"(gr"}]}]}`),
		brewSet("empty-filter", `,"compose":{"include":[{"system":"http://example.org/brew","filter":[{"property":"code","op":"regex","value":""}]}]}`),
		brewSet("expanded", `,"expansion":{"timestamp":"2026-01-01T00:00:00Z","contains":[{"system":"http://example.org/brew","version":"1.0.0","code":"green","display":"Green"},{"system":"http://example.org/absent","code":"x"}]}`),
		brewSet("nothing", ``),
		brewSet("not-black", `,"compose":{"include":[{"system":"http://example.org/brew"}],"exclude":[{"system":"http://example.org/brew","concept":[{"code":"black"}]}]}`),
		brewSet("not-those", `,"compose":{"include":[{"system":"http://example.org/brew"}],"exclude":[{"valueSet":["http://example.org/vs/not-black"]}]}`),
		brewSet("locked", `,"compose":{"lockedDate":"2020-01-01","include":[{"system":"http://example.org/brew"}]}`),
	)
	vs := func(name string) string { return "http://example.org/vs/" + name }
	for _, q := range []struct{ set, system, code string }{
		{"brews", brew, "white"},
		{"brews", "http://example.org/absent", "x"},
		{"brews", "local", "x"},
		{"brews", brews, "green"},
		{"brews", "http://example.org/named-only", "x"},
		{"brews", brew, "Green"},
		{"fragment", "http://example.org/some-brew", "GREEN"},
		{"fragment", "http://example.org/some-brew", "white"},
		{"fragment-list", "http://example.org/some-brew", "GREEN"},
		{"fragment-list", "http://example.org/some-brew", "white"},
		{"fragment-list", "http://example.org/some-brew", "red"},
		{"absent-system", "http://example.org/absent", "x"},
		{"absent-system", brew, "green"},
		{"absent-version", "http://example.org/absent", "x"},
		{"named-only", "http://example.org/named-only", "x"},
		{"absent-import", brew, "green"},
		{"undecided-first", brew, "green"},
		{"undecided-first", "http://example.org/absent", "x"},
		{"undecided-last", "http://example.org/absent", "x"},
		{"undecided-trial", "http://example.org/absent", "x"},
		{"trial-undecided", "http://example.org/absent", "x"},
		{"absent-exclude", brew, "green"},
		{"absent-exclude", "http://example.org/absent", "x"},
		{"loop", brew, "green"},
		{"contained", brew, "green"},
		{"contained", brew, "black"},
		{"contained-loop", brew, "green"},
		{"contained-absent", brew, "green"},
		{"bad-filter", brew, "green"},
		{"bad-regex", brew, "green"},
		{"empty-filter", brew, "green"},
		{"expanded", brew, "green"},
		{"expanded", brew, "black"},
		{"expanded", "http://example.org/absent", "x"},
		{"expanded", "http://example.org/absent", "y"},
		{"nothing", brew, "green"},
		{"not-black", brew, "green"},
		{"not-black", brew, "black"},
		{"not-those", brew, "green"},
		{"not-those", brew, "black"},
		{"locked", brew, "green"},
	} {
		th.ask(fmt.Sprintf("%s#%s in %s", q.system, q.code, q.set), engine.ValidateCodeRequest{URL: vs(q.set), Coding: &r4.Coding{System: q.system, Code: q.code}})
	}
	th.ask("unknown value set", engine.ValidateCodeRequest{URL: vs("unknown") + "|4", System: brew, Code: "green"})
	th.ask("unknown system, membership only", engine.ValidateCodeRequest{URL: vs("absent-system"), System: "http://example.org/absent", Code: "x", MembershipOnly: true})
	th.ask("unknown code, membership only", engine.ValidateCodeRequest{URL: brews, System: brew, Code: "white", MembershipOnly: true})
	for _, c := range []r4.Coding{{Code: "green"}, {System: brew}, {Display: "Green tea"}} {
		th.ask(fmt.Sprintf("coding %+v", c), engine.ValidateCodeRequest{URL: brews, Coding: &c})
		th.ask(fmt.Sprintf("concept of %+v", c), engine.ValidateCodeRequest{URL: brews, CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{c}}})
		th.ask(fmt.Sprintf("concept of %+v and a good one", c), engine.ValidateCodeRequest{URL: brews, CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{c, {System: brew, Code: "green"}}}})
	}
	th.ask("concept of nothing", engine.ValidateCodeRequest{URL: brews, CodeableConcept: &r4.CodeableConcept{Text: "a cup of tea"}})
	th.ask("concept, one system unknown, one good", engine.ValidateCodeRequest{URL: brews, CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{{System: "http://example.org/absent", Version: "2", Code: "x"}, {System: brew, Code: "green"}}}})
	th.ask("concept, all wrong", engine.ValidateCodeRequest{URL: vs("not-black"), CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{{System: "http://example.org/absent", Code: "x"}, {System: brew, Code: "black"}, {System: brew, Code: "white"}}}})
	th.ask("inferred", engine.ValidateCodeRequest{URL: brews, Code: "green", InferSystem: true})
	th.ask("inferred, as nobody gave a system", engine.ValidateCodeRequest{URL: brews, Code: "green"})
	th.ask("not to be inferred", engine.ValidateCodeRequest{URL: brews, Code: "white", InferSystem: true})
	th.ask("inferred from an expansion", engine.ValidateCodeRequest{URL: vs("expanded"), Code: "green", InferSystem: true})
	th.askSystem("unknown code", engine.ValidateCodeInSystemRequest{URL: brew, Code: "white"})
	th.askSystem("unknown code in a fragment", engine.ValidateCodeInSystemRequest{URL: "http://example.org/some-brew", Code: "white"})
	th.askSystem("unknown system", engine.ValidateCodeInSystemRequest{URL: "http://example.org/absent", Code: "x"})
	th.askSystem("unknown version", engine.ValidateCodeInSystemRequest{URL: brew, Version: "9", Code: "green"})
	th.askSystem("a value set", engine.ValidateCodeInSystemRequest{URL: brews, Code: "green"})
	th.askSystem("a local name", engine.ValidateCodeInSystemRequest{URL: "local", Code: "green"})
	th.askSystem("coding without system", engine.ValidateCodeInSystemRequest{Coding: &r4.Coding{Code: "green"}})
	th.askSystem("code without system", engine.ValidateCodeInSystemRequest{Code: "green"})
	th.askSystem("coding of another system", engine.ValidateCodeInSystemRequest{URL: brew, Coding: &r4.Coding{System: "http://example.org/some-brew", Code: "green"}})
	th.askSystem("concept", engine.ValidateCodeInSystemRequest{URL: brew, CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{{System: brew, Code: "white"}, {System: brew, Code: "green"}}}})
	th.check()
}
