package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// exampleEngine knows a small code system, a value set and a concept map.
func exampleEngine() *engine.Engine {
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", ID: "drinks", URL: "http://example.org/drinks", Version: "1.0.0", Name: "Drinks", Language: "en"},
		Content: "complete",
	})
	add := func(parent int, code, display, german string) int {
		n, err := b.Add(&codesystem.Concept{
			Code: code, Display: display, Parent: parent,
			Designations: []r4.Designation{{Language: "de", Value: german}},
			Properties:   []codesystem.Property{{Code: "hot", Value: r4.Boolean(code != "juice")}},
		})
		if err != nil {
			log.Fatal(err)
		}
		return n
	}
	drink := add(-1, "drink", "Drink", "Getränk")
	add(drink, "tea", "Tea", "Tee")
	coffee := add(drink, "coffee", "Coffee", "Kaffee")
	add(coffee, "espresso", "Espresso", "Espresso")
	add(drink, "juice", "Juice", "Saft")
	index, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	valueSet, err := r4.DecodeValueSet([]byte(`{"resourceType":"ValueSet","id":"hot","url":"http://example.org/hot","status":"active",
		"compose":{"include":[{"system":"http://example.org/drinks","filter":[{"property":"hot","op":"=","value":"true"}]}],
		"exclude":[{"system":"http://example.org/drinks","concept":[{"code":"drink"}]}]}}`))
	if err != nil {
		log.Fatal(err)
	}
	conceptMap, err := r4.DecodeConceptMap([]byte(`{"resourceType":"ConceptMap","id":"cups","url":"http://example.org/cups","status":"active",
		"group":[{"source":"http://example.org/drinks","target":"http://example.org/crockery","element":[
		{"code":"espresso","target":[{"code":"demitasse","display":"Demitasse","equivalence":"relatedto"}]}]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	eng := engine.New()
	if err := eng.Publish(
		engine.CodeSystemEntry(index, "example"),
		engine.ValueSetEntry(valueSet, "example"),
		engine.ConceptMapEntry(conceptMap, "example"),
	); err != nil {
		log.Fatal(err)
	}
	return eng
}

func Example() {
	eng := exampleEngine()
	r, err := eng.Subsumes(context.Background(), &engine.SubsumesRequest{
		System: "http://example.org/drinks", CodeA: "drink", CodeB: "espresso",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Outcome)
	fmt.Println(string(r.AppendJSON(nil)))
	// Output:
	// subsumes
	// {"resourceType":"Parameters","parameter":[{"name":"outcome","valueCode":"subsumes"}]}
}

func ExampleEngine_Lookup() {
	r, err := exampleEngine().Lookup(context.Background(), &engine.LookupRequest{
		System: "http://example.org/drinks", Code: "tea", DisplayLanguage: "de", Properties: []string{"parent", "hot"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Display)
	fmt.Println(strings.ReplaceAll(string(r.AppendJSON(nil)), `,{"name":`, "\n"+`,{"name":`))
	// Output:
	// Tee
	// {"resourceType":"Parameters","parameter":[{"name":"name","valueString":"Drinks"}
	// ,{"name":"display","valueString":"Tee"}
	// ,{"name":"code","valueCode":"tea"}
	// ,{"name":"system","valueUri":"http://example.org/drinks"}
	// ,{"name":"version","valueString":"1.0.0"}
	// ,{"name":"property","part":[{"name":"code","valueCode":"parent"}
	// ,{"name":"value","valueCode":"drink"}
	// ,{"name":"description","valueString":"Drink"}]}
	// ,{"name":"property","part":[{"name":"code","valueCode":"hot"}
	// ,{"name":"value","valueBoolean":true}]}]}
}

func ExampleEngine_Subsumes() {
	eng := exampleEngine()
	for _, pair := range [][2]string{{"drink", "espresso"}, {"espresso", "coffee"}, {"tea", "tea"}, {"tea", "juice"}} {
		r, err := eng.Subsumes(context.Background(), &engine.SubsumesRequest{
			System: "http://example.org/drinks", CodeA: pair[0], CodeB: pair[1],
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(pair, r.Outcome)
	}
	// Output:
	// [drink espresso] subsumes
	// [espresso coffee] subsumed-by
	// [tea tea] equivalent
	// [tea juice] not-subsumed
}

func ExampleEngine_ValidateCode() {
	eng := exampleEngine()
	for _, code := range []string{"tea", "juice", "beer"} {
		r, err := eng.ValidateCode(context.Background(), &engine.ValidateCodeRequest{
			URL: "http://example.org/hot", System: "http://example.org/drinks", Code: code,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(code, r.Result)
		if !r.Result {
			fmt.Println("  " + r.Message)
		}
	}
	// Output:
	// tea true
	// juice false
	//   The provided code 'http://example.org/drinks#juice' was not found in the value set 'http://example.org/hot'
	// beer false
	//   The provided code 'http://example.org/drinks#beer' was not found in the value set 'http://example.org/hot'; Unknown code 'beer' in the CodeSystem 'http://example.org/drinks' version '1.0.0'
}

func ExampleEngine_ValidateCodeInSystem() {
	r, err := exampleEngine().ValidateCodeInSystem(context.Background(), &engine.ValidateCodeInSystemRequest{
		URL: "http://example.org/drinks", Code: "tea", Display: "Coffee",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Result)
	fmt.Println(r.Message)
	// Output:
	// false
	// Wrong Display Name 'Coffee' for http://example.org/drinks#tea. Valid display is one of 2 choices: 'Tea' (en) or 'Tee' (de) (for the language(s) '--')
}

func ExampleEngine_Expand() {
	count := 2
	r, err := exampleEngine().Expand(context.Background(), &engine.ExpandRequest{
		URL: "http://example.org/hot", Count: &count,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range r.Entries {
		fmt.Println(entry.Code, entry.Display)
	}
	fmt.Println("of", r.Total)
	// Output:
	// tea Tea
	// coffee Coffee
	// of 3
}

// Every code of a system, searched by the beginning of a word.
func ExampleEngine_Expand_filter() {
	r, err := exampleEngine().Expand(context.Background(), &engine.ExpandRequest{
		URL: "http://example.org/drinks?fhir_vs", Filter: "getra",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range r.Entries {
		fmt.Println(entry.Code, entry.Display)
	}
	// Output:
	// drink Drink
}

func ExampleEngine_MemberOf() {
	r, err := exampleEngine().MemberOf(context.Background(), &engine.MemberOfRequest{
		Code: "juice", System: "http://example.org/drinks", ValueSetURL: "http://example.org/hot",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Member)
	// Output:
	// false
}

func ExampleEngine_Translate() {
	eng := exampleEngine()
	r, err := eng.Translate(context.Background(), &engine.TranslateRequest{
		System: "http://example.org/drinks", Code: "espresso",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Matches {
		fmt.Println(m.Equivalence, m.Concept.Code, m.Concept.Display)
	}
	back, err := eng.Translate(context.Background(), &engine.TranslateRequest{
		URL: "http://example.org/cups", System: "http://example.org/crockery", Code: "demitasse", Reverse: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Matches[0].Concept.Code, back.Matches[0].Concept.Display)
	// Output:
	// relatedto demitasse Demitasse
	// espresso Espresso
}

func ExampleEngine_FindMatches() {
	r, err := exampleEngine().FindMatches(context.Background(), &engine.FindMatchesRequest{
		System: "http://example.org/drinks",
		Properties: []codesystem.Property{
			{Code: "hot", Value: r4.Boolean(true)},
			{Code: "parent", Value: r4.Code("drink")},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Matches {
		fmt.Println(r.Index.Code(m.Concept))
	}
	// Output:
	// tea
	// coffee
}

func ExampleEngine_Explain() {
	r, err := exampleEngine().Explain(context.Background(), &engine.ExplainRequest{
		URL: "http://example.org/hot", System: "http://example.org/drinks", Code: "juice",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range r.Table().Rows {
		fmt.Println(strings.TrimRight(strings.Join(row, " | "), " |"))
	}
	// Output:
	// no | http://example.org/hot | no include selects it
	// no |   include[0]: codes of http://example.org/drinks that pass 1 filter | the concept has hot "false"
	// yes |     system http://example.org/drinks | the code is in http://example.org/drinks|1.0.0
	// no |     filter hot = "true" | the concept has hot "false"
	// no |   exclude[0]: 1 code listed of http://example.org/drinks | the code is not among those listed
	// yes |     system http://example.org/drinks | the code is in http://example.org/drinks|1.0.0
	// no |     1 listed code | the code is not among those listed
}

// For loops of millions of pairs, the index is asked directly.
func ExampleEngine_System() {
	x, err := exampleEngine().System("http://example.org/drinks", "")
	if err != nil {
		log.Fatal(err)
	}
	coffee, _ := x.Find("coffee")
	espresso, _ := x.Find("espresso")
	fmt.Println(x.IsAncestor(coffee, espresso))
	// Output:
	// true
}

// A resource that is stored goes through Prepare, which checks it before anything changes.
func ExampleEngine_Prepare() {
	eng := engine.New()
	doc := []byte(`{"resourceType":"CodeSystem","id":"sizes","url":"http://example.org/sizes","status":"active","content":"complete",
		"concept":[{"code":"S"},{"code":"M"},{"code":"S"}]}`)
	_, err := eng.Prepare(context.Background(), "CodeSystem", "sizes", doc)
	fmt.Println(errors.Is(err, engine.ErrInvalidResource), errors.Is(err, codesystem.ErrDuplicateCode))
	fmt.Println(len(eng.Entries("CodeSystem")))
	// Output:
	// true true
	// 0
}

// The rules decide what a request leaves open. Engines under different rules share everything else.
func ExampleEngine_Under() {
	eng := exampleEngine() // follows the clinical rules, as there is no WithRules
	concept := r4.CodeableConcept{Coding: []r4.Coding{
		{System: "http://example.org/drinks", Code: "tea"},
		{System: "http://example.org/drinks", Code: "teaa"}, // there is no such code
	}}
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		r, err := eng.Under(rules).ValidateCode(context.Background(), &engine.ValidateCodeRequest{
			URL: "http://example.org/hot", CodeableConcept: &concept,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %v\n", rules, r.Result)
	}
	// Output:
	// clinical: true
	// ecosystem: false
}
