package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine/validation"
	"github.com/roget-health/roget/resources/r4"
)

// lawWorld is the code systems and value sets of a law, as documents.
type lawWorld struct {
	documents []json.RawMessage
	systems   []string // urls
	versions  map[string][]string
	sets      []string // urls
	absent    bool     // see worldKind
}

// absentSystem is loaded nowhere.
const absentSystem = "http://example.org/none"

// worldKind says what a world may have.
type worldKind struct {
	versions  bool // several versions of a system
	fragments bool
	excludes  bool
	imports   bool
	absent    bool // codes are listed of a system that is not there
}

var lawCodes = []string{"a", "b", "c", "d", "e"}

func drawWorld(t *rapid.T, kind worldKind) *lawWorld {
	w := &lawWorld{versions: map[string][]string{}, absent: kind.absent}
	for s := range 2 {
		url := fmt.Sprintf("http://example.org/s%d", s)
		w.systems = append(w.systems, url)
		n := 1
		if kind.versions {
			n = rapid.IntRange(1, 3).Draw(t, "versions")
		}
		for v := range n {
			version := []string{"1.0.0", "1.1.0", "2.0.0"}[v]
			w.versions[url] = append(w.versions[url], version)
			w.documents = append(w.documents, drawSystem(t, kind, url, version))
		}
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "sets") {
		url := fmt.Sprintf("http://example.org/v%d", i)
		from := &lawWorld{systems: w.systems, versions: w.versions, absent: w.absent}
		if kind.imports {
			from = w
		}
		compose := map[string]any{"include": drawParts(t, from, 1)}
		if kind.excludes && rapid.Bool().Draw(t, "excludes") {
			compose["exclude"] = drawParts(t, from, 0)
		}
		if rapid.IntRange(0, 4).Draw(t, "inactive") == 0 {
			compose["inactive"] = false
		}
		w.sets = append(w.sets, url)
		w.documents = append(w.documents, encode(t, map[string]any{
			"resourceType": "ValueSet", "url": url, "compose": compose,
			"status": rapid.SampledFrom([]string{"active", "active", "draft", "retired"}).Draw(t, "status"),
		}))
	}
	return w
}

func encode(t *rapid.T, v any) json.RawMessage {
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func drawSystem(t *rapid.T, kind worldKind, url, version string) json.RawMessage {
	concepts := []any{}
	for _, code := range lawCodes[:4] {
		if rapid.IntRange(0, 5).Draw(t, "left out") == 0 {
			continue
		}
		c := map[string]any{"code": code, "display": code + " of " + version}
		switch rapid.IntRange(0, 6).Draw(t, "property") {
		case 0:
			c["property"] = []any{map[string]any{"code": "inactive", "valueBoolean": true}}
		case 1:
			c["property"] = []any{map[string]any{"code": "notSelectable", "valueBoolean": true}}
		case 2:
			c["property"] = []any{map[string]any{"code": "status", "valueCode": "deprecated"}}
		case 3:
			c["designation"] = []any{map[string]any{"language": "de", "value": code + " auf Deutsch"}}
		}
		concepts = append(concepts, c)
	}
	content := "complete"
	if kind.fragments && rapid.IntRange(0, 3).Draw(t, "fragment") == 0 {
		content = "fragment"
	}
	return encode(t, map[string]any{
		"resourceType": "CodeSystem", "url": url, "version": version, "content": content, "language": "en",
		"status":        rapid.SampledFrom([]string{"active", "active", "draft"}).Draw(t, "status"),
		"caseSensitive": rapid.Bool().Draw(t, "case"), "concept": concepts,
	})
}

// drawParts draws includes or excludes: of a system, of value sets drawn before, or both.
func drawParts(t *rapid.T, w *lawWorld, least int) []any {
	parts := []any{}
	for range rapid.IntRange(least, 3).Draw(t, "parts") {
		part := map[string]any{}
		if len(w.sets) > 0 && rapid.IntRange(0, 3).Draw(t, "import") == 0 {
			part["valueSet"] = []string{rapid.SampledFrom(w.sets).Draw(t, "imported")}
		}
		if len(part) == 0 || rapid.Bool().Draw(t, "system too") {
			url := rapid.SampledFrom(w.systems).Draw(t, "system")
			absent := w.absent && rapid.IntRange(0, 2).Draw(t, "absent") == 0
			if absent {
				url = absentSystem
			}
			part["system"] = url
			if len(w.versions[url]) > 1 || absent {
				if version := rapid.SampledFrom([]string{"", "1.0.0", "1.x", "2.0.0"}).Draw(t, "version"); version != "" {
					part["version"] = version
				}
			}
			what := rapid.IntRange(0, 2).Draw(t, "what of it")
			if absent && (least > 0 || what == 1) {
				what = 0 // what is included of it is listed, and what is excluded may be all of it
			}
			switch what {
			case 0:
				var list []any
				for _, code := range rapid.SliceOfNDistinct(rapid.SampledFrom(lawCodes), 1, 3, rapid.ID[string]).Draw(t, "listed") {
					list = append(list, map[string]any{"code": code})
				}
				part["concept"] = list
			case 1:
				part["filter"] = []any{map[string]any{"property": "code", "op": "regex", "value": "[" + rapid.SampledFrom([]string{"ab", "bc", "a-d"}).Draw(t, "regex") + "]"}}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func (w *lawWorld) engine(t *rapid.T, more ...json.RawMessage) *Engine {
	base := New(WithRules(Ecosystem))
	if w.absent {
		base = New() // the ecosystem's rules accept no code of a system that is not there
	}
	e, err := NewOverlays(base, OverlayLimits{}).For("tx-resource", append(slices.Clone(w.documents), more...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// drawQuestion draws a question about a value set of the world, as a Coding.
func (w *lawWorld) drawQuestion(t *rapid.T, kind worldKind) validation.Request {
	code := rapid.SampledFrom(append(lawCodes, "A", "zz")).Draw(t, "code")
	system := rapid.SampledFrom(append(slices.Clone(w.systems), absentSystem)).Draw(t, "asked system")
	c := r4.Coding{System: system, Code: code}
	if kind.versions {
		c.Version = rapid.SampledFrom([]string{"", "1.0.0", "2.0.0", "9"}).Draw(t, "asked version")
	}
	c.Display = rapid.SampledFrom([]string{"", "", code + " of 1.0.0", code + " auf Deutsch", "wrong"}).Draw(t, "asked display")
	req := validation.Request{
		URL: rapid.SampledFrom(w.sets).Draw(t, "set"), Coding: &c,
		ActiveOnly:     rapid.IntRange(0, 4).Draw(t, "active only") == 0,
		LenientDisplay: rapid.IntRange(0, 4).Draw(t, "lenient") == 0,
		MembershipOnly: rapid.IntRange(0, 4).Draw(t, "membership only") == 0,
	}
	if rapid.IntRange(0, 3).Draw(t, "no abstract") == 0 {
		no := false
		req.Abstract = &no
	}
	if rapid.IntRange(0, 3).Draw(t, "language") == 0 {
		req.DisplayLanguage = rapid.SampledFrom([]string{"de", "en", "fr"}).Draw(t, "which")
	}
	if kind.versions && rapid.IntRange(0, 2).Draw(t, "rules") == 0 {
		rule := []string{system + "|" + rapid.SampledFrom([]string{"1.0.0", "1.x", "7"}).Draw(t, "ruled version")}
		switch rapid.IntRange(0, 2).Draw(t, "kind of rule") {
		case 0:
			req.Versions.System = rule
		case 1:
			req.Versions.Check = rule
		case 2:
			req.Versions.Force = rule
		}
	}
	return req
}
