package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// The laws of validate-code, on small worlds of all kinds: what is true of every answer,
// whatever is asked.

// lawWorld is the code systems and value sets of a law, as documents.
type lawWorld struct {
	documents []json.RawMessage
	systems   []string // urls
	versions  map[string][]string
	sets      []string // urls
}

// worldKind says what a world may have.
type worldKind struct {
	versions  bool // several versions of a system
	fragments bool
	excludes  bool
}

var lawCodes = []string{"a", "b", "c", "d", "e"}

func drawWorld(t *rapid.T, kind worldKind) *lawWorld {
	w := &lawWorld{versions: map[string][]string{}}
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
		compose := map[string]any{"include": drawParts(t, w, 1)}
		if kind.excludes && rapid.Bool().Draw(t, "excludes") {
			compose["exclude"] = drawParts(t, w, 0)
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
			part["system"] = url
			if len(w.versions[url]) > 1 {
				if version := rapid.SampledFrom([]string{"", "1.0.0", "1.x", "2.0.0"}).Draw(t, "version"); version != "" {
					part["version"] = version
				}
			}
			switch rapid.IntRange(0, 2).Draw(t, "what of it") {
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
	e, err := NewOverlays(New(), OverlayLimits{}).For("tx-resource", "", append(slices.Clone(w.documents), more...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// drawQuestion draws a question about a value set of the world, as a Coding.
func (w *lawWorld) drawQuestion(t *rapid.T, kind worldKind) ValidateCodeRequest {
	code := rapid.SampledFrom(append(lawCodes, "A", "zz")).Draw(t, "code")
	system := rapid.SampledFrom(append(slices.Clone(w.systems), "http://example.org/none")).Draw(t, "asked system")
	c := r4.Coding{System: system, Code: code}
	if kind.versions {
		c.Version = rapid.SampledFrom([]string{"", "1.0.0", "2.0.0", "9"}).Draw(t, "asked version")
	}
	c.Display = rapid.SampledFrom([]string{"", "", code + " of 1.0.0", code + " auf Deutsch", "wrong"}).Draw(t, "asked display")
	req := ValidateCodeRequest{
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

// forms gives the three forms of a question that has a Coding.
func forms(req ValidateCodeRequest) []ValidateCodeRequest {
	asCode, asConcept, c := req, req, *req.Coding
	asCode.Coding, asConcept.Coding = nil, nil
	asCode.System, asCode.SystemVersion, asCode.Code, asCode.Display = c.System, c.Version, c.Code, c.Display
	asConcept.CodeableConcept = &r4.CodeableConcept{Coding: []r4.Coding{c}}
	return []ValidateCodeRequest{req, asCode, asConcept}
}

// substance is what the three forms of a question must agree in: everything but where
// expressions begin, and the sentences that sum up.
func substance(r *ValidateCodeResult) []string {
	lines := []string{fmt.Sprint(r.Result), fmt.Sprint(r.NormalizedCode, r.UnknownSystems, r.Undecided)}
	if r.Result { // of a CodeableConcept that is not valid, no coding is answered about
		lines = append(lines, r.System, r.Version, r.Code, r.Display, r.Status, fmt.Sprint(r.Inactive))
	}
	for _, i := range r.Issues {
		if i.MessageID == msgNotInValueSet.id || i.MessageID == msgNoCodingInValueSet.id {
			continue
		}
		expression := strings.Join(i.Expression, " ")
		for _, begin := range []string{"CodeableConcept.coding[0]", "Coding"} {
			expression = strings.TrimPrefix(expression, begin)
		}
		expression = strings.TrimPrefix(expression, ".")
		if i.MessageID == msgInactive.id || i.MessageID == msgDeprecated.id {
			expression = "" // "code", or the whole coding
		}
		lines = append(lines, strings.Join([]string{i.Severity, i.Code, i.MessageID, expression, i.Details.Text}, " "))
	}
	return lines
}

func answer(t *rapid.T, e *Engine, req ValidateCodeRequest) *ValidateCodeResult {
	r, err := e.ValidateCode(context.Background(), &req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	return &r
}

// TestValidateLawForms: code and system, Coding, and CodeableConcept are one question.
func TestValidateLawForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true}
		w := drawWorld(t, kind)
		e := w.engine(t)
		for range 5 {
			asked := forms(w.drawQuestion(t, kind))
			want := substance(answer(t, e, asked[0]))
			for _, req := range asked[1:] {
				if diff := cmp.Diff(want, substance(answer(t, e, req))); diff != "" {
					t.Fatalf("%s\n%+v %+v: %s", w.documents, req, asked[0].Coding, diff)
				}
			}
		}
	})
}

// TestValidateLawFast: the fast way and the walk through the definition answer alike.
func TestValidateLawFast(t *testing.T) {
	fast := 0
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true}
		w := drawWorld(t, kind)
		e := w.engine(t)
		ctx := context.Background()
		for range 5 {
			q := w.drawQuestion(t, kind)
			q.DisplayLanguage, q.Versions = "", VersionRules{}
			for _, req := range forms(q)[:2] {
				src := &e.state.Load().plain
				target, err := src.valueSet("", req.URL, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second time, everything is compiled
					quick, ok := src.plainlyValid(ctx, &target, &req)
					if !ok {
						continue
					}
					fast++
					slow, err := src.validate(ctx, &target, &req)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(quick.AppendJSON(nil))); diff != "" {
						t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
					}
				}
			}
			inSystem := ValidateCodeInSystemRequest{Coding: q.Coding, Abstract: q.Abstract}
			src := &e.state.Load().plain
			if quick, ok := src.plainlyInSystem("", "", &inSystem); ok {
				fast++
				slow, err := src.validateInSystem(ctx, "", "", &inSystem)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(quick.AppendJSON(nil))); diff != "" {
					t.Fatalf("%s\n%+v: %s", w.documents, q.Coding, diff)
				}
			}
		}
	})
	if fast == 0 {
		t.Error("nothing took the fast way")
	}
}

// TestValidateLawExpansion: the codes of the expansion are the valid ones, and MemberOf
// says the same.
func TestValidateLawExpansion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, worldKind{excludes: true})
		e := w.engine(t)
		ctx := context.Background()
		for _, set := range w.sets {
			members := map[string]bool{}
			for offset := 0; ; {
				count := 2
				r, err := e.Expand(ctx, &ExpandRequest{URL: set, Count: &count, Offset: &offset})
				if err != nil {
					t.Fatal(err)
				}
				for i := range r.Entries {
					members[r.Entries[i].System+"#"+r.Entries[i].Code] = true
				}
				if offset += count; len(r.Entries) == 0 {
					break
				}
			}
			for _, system := range w.systems {
				for _, code := range lawCodes {
					r := answer(t, e, ValidateCodeRequest{URL: set, System: system, Code: code})
					if r.Result != members[system+"#"+code] {
						t.Fatalf("%s\n%s#%s in %s: %v, %v in the expansion %v", w.documents, system, code, set, r.Result, !r.Result, members)
					}
					m, err := e.MemberOf(ctx, &MemberOfRequest{Code: code, System: system, ValueSetURL: set})
					if err != nil || m.Member != r.Result {
						t.Fatalf("%s\n%s#%s in %s: %v, member-of %v, %v", w.documents, system, code, set, r.Result, m.Member, err)
					}
				}
			}
		}
	})
}

// TestValidateLawMembers: of several versions, too, every code of an expansion is valid
// in its version. Excludes are left out: where one names no version, an expansion takes
// away the default version, a validation the version of the coding. An import that has
// the code in another version, and is asked first, disputes the version.
func TestValidateLawMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, worldKind{versions: true})
		e := w.engine(t)
		for _, set := range w.sets {
			expansion, err := e.Expand(context.Background(), &ExpandRequest{URL: set})
			if errors.Is(err, ErrUnknownVersion) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range expansion.Entries {
				entry := &expansion.Entries[i]
				if !slices.Contains(w.versions[entry.System], entry.Version) {
					continue // listed, but of a version that is not there
				}
				r := answer(t, e, ValidateCodeRequest{URL: set, System: entry.System, SystemVersion: entry.Version, Code: entry.Code})
				disputed := slices.ContainsFunc(r.Issues, func(i r4.Issue) bool { return i.MessageID == msgMismatch.id })
				if !r.Result && !disputed {
					t.Fatalf("%s\n%s|%s#%s in %s: %s", w.documents, entry.System, entry.Version, entry.Code, set, r.Message)
				}
			}
		}
	})
}

// TestValidateLawUnrelated: what a question is not about does not change its answer.
func TestValidateLawUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true}
		w := drawWorld(t, kind)
		e := w.engine(t)
		wider := w.engine(t, drawSystem(t, kind, "http://example.org/unrelated", "1.0.0"),
			encode(t, map[string]any{"resourceType": "ValueSet", "url": "http://example.org/v-unrelated", "status": "active", "compose": map[string]any{"include": drawParts(t, w, 1)}}))
		for range 5 {
			req := w.drawQuestion(t, kind)
			if diff := cmp.Diff(string(answer(t, e, req).AppendJSON(nil)), string(answer(t, wider, req).AppendJSON(nil))); diff != "" {
				t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
			}
		}
	})
}

// TestValidateLawOrder: the order of includes of different systems changes nothing.
func TestValidateLawOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true}
		w := drawWorld(t, kind)
		var parts []any
		for _, url := range w.systems {
			alone := lawWorld{systems: []string{url}, versions: w.versions}
			parts = append(parts, drawParts(t, &alone, 1)[:1]...)
		}
		with := func(includes ...any) *Engine {
			return w.engine(t, encode(t, map[string]any{"resourceType": "ValueSet", "url": "http://example.org/ordered", "status": "active", "compose": map[string]any{"include": includes}}))
		}
		forward, backward := with(parts[0], parts[1]), with(parts[1], parts[0])
		for range 5 {
			req := w.drawQuestion(t, kind)
			req.URL = "http://example.org/ordered"
			if diff := cmp.Diff(string(answer(t, forward, req).AppendJSON(nil)), string(answer(t, backward, req).AppendJSON(nil))); diff != "" {
				t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
			}
		}
	})
}
