package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/sharedtest"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// figures of real code systems, counted independently by the scripts beside the data:
// concepts, active, edges, roots, maxDepth, maxAncestors, closurePairs.
var figures = map[string][7]int{
	"http://hl7.org/fhir/sid/icd-10-cm":        {95676, 95676, 95654, 22, 8, 8, 517155},
	"http://purl.obolibrary.org/obo/chebi.owl": {41136, 41099, 60470, 3, 28, 92, 929867},
	"http://human-phenotype-ontology.org":      {18961, 18536, 22932, 1, 17, 42, 191670},
	"http://purl.obolibrary.org/obo/so.owl":    {2151, 1951, 2025, 4, 11, 13, 11433},
	"urn:iso:std:iso:3166:-2":                  {5127, 5127, 1412, 3715, 1, 1, 1412},
	"urn:iso:std:iso:639:-3":                   {7910, 7910, 0, 7910, 0, 0, 0},
	"urn:iso:std:iso:3166":                     {249, 249, 0, 249, 0, 0, 0},
	"http://hl7.org/fhir/sid/icd-9-cm":         {14567, 14567, 0, 14567, 0, 0, 0},
}

// TestStatsOfRealSystems runs `roget stats` over the whole data folder.
func TestStatsOfRealSystems(t *testing.T) {
	t.Parallel()
	data := sharedtest.Path(t, "data")
	out, stderr, exit := backendtest.Run(t, "stats", "--output", "json", data)
	if exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	var rows []codesystem.Stats
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatal(err)
	}
	missing, core := maps.Clone(figures), 0
	for _, s := range rows {
		want, found := figures[s.URL]
		if !found {
			core++
			continue
		}
		delete(missing, s.URL)
		got := [7]int{s.Concepts, s.Active, s.Edges, s.Roots, s.MaxDepth, s.MaxAncestors, s.ClosurePairs}
		if got != want {
			t.Errorf("%s: concepts, active, edges, roots, depth, ancestors, pairs are %v, want %v", s.URL, got, want)
		}
	}
	for url := range missing {
		t.Errorf("%s is not among the rows", url)
	}
	if core < 1055 {
		t.Errorf("%d code systems of R4 core, want all of them (1,062 resources)", core)
	}
}

// TestCoreValueSets expands every value set of R4 core completely, page by page, or expects an
// error that names the missing resource. It compares totals with the listed codes, and validates
// every listed code.
func TestCoreValueSets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	eng := library(t, sharedtest.Path(t, "data/r4-core/codesystems.ndjson.gz"), sharedtest.Path(t, "data/r4-core/valuesets.ndjson.gz"))
	if err := eng.Publish(engine.GrammarEntries()...); err != nil {
		t.Fatal(err)
	}
	expanded, refused := 0, 0
	for _, entry := range eng.Entries("ValueSet") {
		canonical := entry.Header.URL
		if entry.Header.Version != "" {
			canonical += "|" + entry.Header.Version
		}
		total, err := listAll(t, eng, canonical)
		if err == nil {
			expanded++
			continue
		}
		refused++
		_, outcome := operation.Outcome(err)
		text := string(outcome.AppendJSON(nil))
		if !strings.Contains(text, "http") && !strings.Contains(text, "urn:") {
			t.Errorf("%s (%d): the reason names no code system: %s", canonical, total, text)
		}
	}
	t.Logf("%d expanded, %d refused with a reason", expanded, refused)
	if expanded < 1000 {
		t.Errorf("only %d of %d expand", expanded, expanded+refused)
	}
}

// listAll pages through an expansion and returns its total.
func listAll(t *testing.T, eng *engine.Engine, canonical string) (total int, err error) {
	const size = 700
	count := size
	var seen int
	var endless bool
	for offset := 0; ; offset += size {
		result, err := eng.Expand(t.Context(), &engine.ExpandRequest{URL: canonical, Offset: &offset, Count: &count})
		if err != nil {
			return 0, err
		}
		var vs struct {
			Expansion struct {
				Total    int `json:"total"`
				Contains []struct {
					System, Version, Code string
				} `json:"contains"`
			} `json:"expansion"`
		}
		if err := json.Unmarshal(result.AppendJSON(nil), &vs); err != nil {
			t.Fatal(err)
		}
		total, endless = vs.Expansion.Total, result.Endless
		seen += len(vs.Expansion.Contains)
		for i, c := range vs.Expansion.Contains {
			if i%50 != 0 {
				continue
			}
			answer, err := eng.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: canonical, System: c.System, Code: c.Code})
			if err != nil || !answer.Yes() {
				t.Errorf("%s lists %s#%s but it does not validate: %v", canonical, c.System, c.Code, err)
			}
		}
		if len(vs.Expansion.Contains) < size {
			break
		}
	}
	if !endless && seen != total {
		t.Errorf("%s: total is %d but %d are listed", canonical, total, seen)
	}
	return total, nil
}

// TestRealConceptMaps loads the two equivalence mappings and follows one entry of
// each, both ways, over HTTP.
func TestRealConceptMaps(t *testing.T) {
	gem := sharedtest.Path(t, "data/icd-gem")
	srv := backendtest.Serve(t, backendtest.Released, "--no-samples", "--store", "memory:", "--load", gem)
	const ten, nine = "http://hl7.org/fhir/sid/icd-10-cm", "http://hl7.org/fhir/sid/icd-9-cm"
	for _, q := range []struct{ system, code, target, want, reverse string }{
		{ten, "A00.0", nine, "001.0", "false"},
		{nine, "001.0", ten, "A00.0", "false"},
		{nine, "001.0", ten, "A00.0", "true"},
	} {
		path := fmt.Sprintf("/ConceptMap/$translate?system=%s&code=%s&targetsystem=%s&reverse=%s", url.QueryEscape(q.system), q.code, url.QueryEscape(q.target), q.reverse)
		_, answer := srv.Do(t, "GET", path, "")
		if !strings.Contains(answer, `"code":"`+q.want+`"`) || !strings.Contains(answer, `"valueBoolean":true`) {
			t.Errorf("%s gives %s, want %s", path, answer, q.want)
		}
	}
}
