package httpadapter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// pathsR4 returns the paths of the bases that have all resource types.
func pathsR4() []string {
	return slices.DeleteFunc(paths(), func(path string) bool { return path == "/r5" })
}

// paths returns the paths of the bases.
func paths() []string {
	list := make([]string, len(bases))
	for i := range bases {
		list[i] = bases[i].path
	}
	return list
}

// crew is a value set with a code of a code system that is not loaded.
const crew = `{"resourceType":"ValueSet","id":"crew","url":"http://t.example/vs/crew","status":"active",` +
	`"compose":{"include":[{"system":"http://t.example/elsewhere","concept":[{"code":"captain","display":"Captain"}]}]}}`

// mixed is a CodeableConcept with a member of the value set pets and a code that its system lacks.
const mixed = `{"name":"codeableConcept","valueCodeableConcept":{"coding":[` +
	`{"system":"http://t.example/animals","code":"dog"},{"system":"http://t.example/animals","code":"bogus"}]}}`

// TestDefect17LuggageChangesNoRule asks questions that the rules decide under every base, alone, with
// an unrelated code system and with a cache. The base decides, and nothing else.
func TestDefect17LuggageChangesNoRule(t *testing.T) {
	c := newClient(t)
	c.do("PUT", "/ValueSet/crew", crew).want(t, 201)
	for _, q := range []struct {
		name, path, parameters string
		clinical, ecosystem    string // what the answer has
	}{
		{
			"a concept with a member and an unknown code", "/ValueSet/$validate-code",
			`{"name":"url","valueUri":"http://t.example/vs/pets"},` + mixed,
			`{"name":"result","valueBoolean":true}`, `{"name":"result","valueBoolean":false}`,
		},
		{
			"a listed code of a system that is not loaded", "/ValueSet/$validate-code",
			`{"name":"url","valueUri":"http://t.example/vs/crew"},{"name":"coding","valueCoding":{"system":"http://t.example/elsewhere","code":"captain"}}`,
			`{"name":"result","valueBoolean":true}`, `{"name":"result","valueBoolean":false}`,
		},
		{
			"an expansion of a tree", "/ValueSet/$expand", `{"name":"url","valueUri":"http://t.example/vs/everything"}`,
			`"display":"Animal"},{`, `"display":"Animal","contains":[{`,
		},
		{
			"a flat expansion of a tree", "/ValueSet/$expand", `{"name":"url","valueUri":"http://t.example/vs/everything"},{"name":"excludeNested","valueBoolean":true}`,
			`"display":"Animal"},{`, `"display":"Animal"},{`,
		},
		{
			"a nested expansion of a tree", "/ValueSet/$expand", `{"name":"url","valueUri":"http://t.example/vs/everything"},{"name":"excludeNested","valueBoolean":false}`,
			`"display":"Animal","contains":[{`, `"display":"Animal","contains":[{`,
		},
	} {
		want := map[string]string{"clinical": q.clinical, "ecosystem": q.ecosystem}
		for i := range bases {
			at := &bases[i]
			mine := c.startCache(t, at.path, `{"name":"sealed","valueBoolean":true}`)
			ours := c.startCache(t, at.path, `{"name":"sealed","valueBoolean":false}`)
			for luggage, parameters := range map[string]string{
				"nothing":                 q.parameters,
				"a code system":           q.parameters + `,{"name":"tx-resource","resource":` + planets + `}`,
				"a cache-id":              q.parameters + `,{"name":"cache-id","valueId":"` + mine + `"}`,
				"a code system to keep":   q.parameters + `,{"name":"cache-id","valueId":"` + ours + `"},{"name":"tx-resource","resource":` + planets + `}`,
				"one that is kept by now": q.parameters + `,{"name":"cache-id","valueId":"` + ours + `"}`,
			} {
				r := c.do("POST", at.path+q.path, withResources(parameters))
				if r.status != 200 || !strings.Contains(r.body, want[at.rules.String()]) {
					t.Errorf("%s under %s with %s: %d %s", q.name, at.title(), luggage, r.status, r.body)
				}
			}
		}
	}
}

// TestEntriesFollowTheRulesOfTheirBundle sends batches to every base, with URLs that are relative and
// that name bases.
func TestEntriesFollowTheRulesOfTheirBundle(t *testing.T) {
	c := newClient(t)
	body := withResources(`{"name":"url","valueUri":"http://t.example/vs/pets"},` + mixed)
	for i := range bases {
		sent := &bases[i]
		for k := range bases {
			named := &bases[k]
			for _, host := range []string{"", "http://example.com"} {
				url := host + named.path + "/ValueSet/$validate-code"
				r := c.do("POST", sent.path+"/", batchOf(entry("POST", url, body)))
				var got struct {
					Entry []struct {
						Resource json.RawMessage
						Response struct{ Status string }
					}
				}
				if err := json.Unmarshal([]byte(r.body), &got); err != nil || len(got.Entry) != 1 {
					t.Fatalf("%v %s", err, r.body)
				}
				answer, status := string(got.Entry[0].Resource), got.Entry[0].Response.Status
				verdict := fmt.Sprintf(`{"name":"result","valueBoolean":%t}`, sent.rules.String() == "clinical")
				// Of a base with other rules, there is no answer under the rules of either.
				// A path without a base is relative to the bundle's.
				if alike := sent.answersLike(named) || host+named.path == ""; alike != (status == "200 OK") || alike && !strings.Contains(answer, verdict) {
					t.Errorf("%s in a batch to %s: %s %s", url, sent.title(), status, answer)
				}
			}
		}
	}
}

// TestStatementsOfBases checks that the statements of a base are about that base.
func TestStatementsOfBases(t *testing.T) {
	c := newClient(t)
	for i := range bases {
		at := &bases[i]
		for path, kind := range map[string]string{"/metadata": "CapabilityStatement", "/metadata?mode=terminology": "TerminologyCapabilities"} {
			doc := c.get(at.path+path).want(t, 200)
			text, _ := doc["description"].(string)
			if doc["resourceType"] != kind || doc["url"] != "http://example.com"+at.path+path || !strings.Contains(text, at.rulesText()) {
				t.Errorf("%s%s: %v %v: %s", at.path, path, doc["resourceType"], doc["url"], text)
			}
		}
		text, _ := c.get(at.path+"/metadata?mode=terminology").want(t, 200)["description"].(string)
		if paged := strings.Contains(text, "contains 100 codes unless count says otherwise"); paged != (at.rules.String() == "clinical") {
			t.Errorf("%s: %s", at.title(), text)
		}
	}
	texts := []string{bases[0].rulesText(), bases[2].rulesText()}
	if slices.Sort(texts); texts[0] == texts[1] {
		t.Error("two sets of rules have one description")
	}
}
