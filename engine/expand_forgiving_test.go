package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const languagePack = `[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`

// lexicon is an engine with a code system and a German language pack.
func lexicon(t testing.TB, opts ...engine.Option) *engine.Engine {
	const url = "http://example.org/terms"
	e := engine.New(opts...)
	publish(t, e,
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: url, Language: "en"}},
			c{code: "1", display: "Alzheimer disease"}, c{code: "2", display: "Fracture of neck of left femur"}, c{code: "3", display: "Fracture of skull"}), "test"),
		engine.CodeSystemEntry(build(t, r4.CodeSystem{
			Header: r4.Header{
				URL: "http://example.org/terms-de", Language: "de",
				Extension: json.RawMessage(languagePack),
			},
			Content: "supplement", Supplements: url,
		}, c{code: "3", designations: []r4.Designation{{Language: "de", Value: "Schädelbruch"}}}), "test"),
		valueSet(`{"url":"http://example.org/vs/terms","status":"active","compose":{"include":[{"system":"`+url+`"}]}}`),
		valueSet(`{"url":"http://example.org/vs/own","status":"active","compose":{"include":[{"system":"http://example.org/terms","concept":[{"code":"1","display":"Forgetfulness"},{"code":"2"}]},
			{"system":"http://example.org/absent","concept":[{"code":"x","display":"Dizziness"}]}]}}`),
	)
	return e
}

// The filter of an expansion finds what is misspelt, also in language packs and in value sets' own
// displays, unless that is turned off.
func TestExpandForgives(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		set, filter string
		exact       bool
		forgiving   *bool
		want        string
	}{
		{"terms", "alzimer", false, nil, "1"},
		{"terms", "alzimer", false, &no, ""},
		{"terms", "alzimer", true, nil, ""},
		{"terms", "alzimer", true, &yes, "1"},
		{"terms", "fractures", false, nil, "3 2"},
		{"terms", "schädel", false, &no, "3"},
		{"terms", "shcädelbruch", false, nil, "3"},
		{"own", "forgetfullness", false, nil, "1"},
		{"own", "dizzyness", false, nil, "x"},
		{"own", "schädelbruch", false, nil, ""},
	} {
		r, err := lexicon(t, engine.WithExactSearch(tt.exact)).Expand(context.Background(), &engine.ExpandRequest{URL: "http://example.org/vs/" + tt.set, Filter: tt.filter, Forgiving: tt.forgiving})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range r.Entries {
			got = append(got, r.Entries[i].Code)
		}
		if strings.Join(got, " ") != tt.want || r.Total != len(got) {
			t.Errorf("%+v: %q of %d", tt, got, r.Total)
		}
	}
}
