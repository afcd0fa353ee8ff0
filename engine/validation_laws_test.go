package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/expansion"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/validation"
	"github.com/roget-health/roget/resources/r4"
)

// The laws of validate-code, on small worlds of all kinds: what is true of every reply,
// whatever is asked.

// forms returns the three forms of a question that has a Coding.
func forms(req validation.Request) []validation.Request {
	asCode, asConcept, c := req, req, *req.Coding
	asCode.Coding, asConcept.Coding = nil, nil
	asCode.System, asCode.SystemVersion, asCode.Code, asCode.Display = c.System, c.Version, c.Code, c.Display
	asConcept.CodeableConcept = &r4.CodeableConcept{Coding: []r4.Coding{c}}
	return []validation.Request{req, asCode, asConcept}
}

// substance is what the three forms of a question must agree in: everything but where
// expressions begin, and the sentences that sum up.
func substance(r *validation.Result) []string {
	lines := []string{fmt.Sprint(r.Result), fmt.Sprint(r.NormalizedCode, r.UnknownSystems, r.Undecided)}
	if r.Result { // of a CodeableConcept that is not valid, no coding is answered about
		lines = append(lines, r.System, r.Version, r.Code, r.Display, r.Status, fmt.Sprint(r.Inactive))
	}
	for _, i := range r.Issues {
		if i.MessageID == issue.NotInValueSet.ID || i.MessageID == issue.NoCodingInValueSet.ID {
			continue
		}
		expression := strings.Join(i.Expression, " ")
		for _, begin := range []string{"CodeableConcept.coding[0]", "Coding"} {
			expression = strings.TrimPrefix(expression, begin)
		}
		expression = strings.TrimPrefix(expression, ".")
		if i.MessageID == issue.Inactive.ID || i.MessageID == issue.Deprecated.ID {
			expression = "" // "code", or the whole coding
		}
		lines = append(lines, strings.Join([]string{i.Severity, i.Code, i.MessageID, expression, i.Details.Text}, " "))
	}
	return lines
}

func reply(t *rapid.T, e *Engine, req validation.Request) *validation.Result {
	r, err := e.ValidateCode(context.Background(), &req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	return &r
}

// TestValidateLawForms: code and system, Coding, and CodeableConcept are one question.
func TestValidateLawForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true, imports: true, absent: rapid.Bool().Draw(t, "absent")}
		w := drawWorld(t, kind)
		e := w.engine(t)
		for range 5 {
			asked := forms(w.drawQuestion(t, kind))
			want := substance(reply(t, e, asked[0]))
			for _, req := range asked[1:] {
				if diff := cmp.Diff(want, substance(reply(t, e, req))); diff != "" {
					t.Fatalf("%s\n%+v %+v: %s", w.documents, req, asked[0].Coding, diff)
				}
			}
		}
	})
}

// TestValidateLawFast: the fast way and the walk through the definition reply alike.
func TestValidateLawFast(t *testing.T) {
	fast := 0
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true, imports: true, absent: rapid.Bool().Draw(t, "absent")}
		w := drawWorld(t, kind)
		e := w.engine(t)
		ctx := context.Background()
		for range 5 {
			q := w.drawQuestion(t, kind)
			q.DisplayLanguage, q.Versions = "", catalog.VersionRules{}
			for _, req := range forms(q)[:2] {
				src := e.source()
				target, err := src.Named("", req.URL, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second time, everything is compiled
					quick, ok := validation.Plain(ctx, src, &target, &req)
					if !ok {
						continue
					}
					fast++
					slow, err := validation.Validate(ctx, src, &target, &req)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(quick.AppendJSON(nil))); diff != "" {
						t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
					}
				}
			}
			inSystem := validation.InSystemRequest{Coding: q.Coding, Abstract: q.Abstract}
			src := e.source()
			if quick, ok := validation.PlainInSystem(src, "", "", &inSystem); ok {
				fast++
				slow, err := validation.ValidateInSystem(ctx, src, "", "", &inSystem)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(quick.AppendJSON(nil))); diff != "" {
					t.Fatalf("%s\n%+v: %s", w.documents, q.Coding, diff)
				}
			}
		}
	})
	if fast == 0 && !testing.Short() { // a short run draws too few worlds to be sure of one
		t.Error("nothing took the fast way")
	}
}

// TestValidateLawExpansion: the codes of the expansion are the valid ones, and MemberOf
// says the same.
func TestValidateLawExpansion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, worldKind{excludes: true, imports: true, absent: true})
		e := w.engine(t)
		ctx := context.Background()
	sets:
		for _, set := range w.sets {
			members := map[string]bool{}
			for offset := 0; ; {
				count := 2
				r, err := e.Expand(ctx, &expansion.Request{URL: set, Count: &count, Offset: &offset})
				if errors.Is(err, issue.ErrUnknownSystem) {
					continue sets // all of a system that is not there is excluded
				}
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
			for _, system := range append(slices.Clone(w.systems), absentSystem) {
				for _, code := range lawCodes {
					r := reply(t, e, validation.Request{URL: set, System: system, Code: code})
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
// in its version. Excludes and imports are left out: where they name no version, an
// expansion means the default one, a validation the version of the coding.
func TestValidateLawMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, worldKind{versions: true})
		e := w.engine(t)
		for _, set := range w.sets {
			expansion, err := e.Expand(context.Background(), &expansion.Request{URL: set})
			if errors.Is(err, issue.ErrUnknownVersion) {
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
				r := reply(t, e, validation.Request{URL: set, System: entry.System, SystemVersion: entry.Version, Code: entry.Code})
				if !r.Result {
					t.Fatalf("%s\n%s|%s#%s in %s: %s", w.documents, entry.System, entry.Version, entry.Code, set, r.Message)
				}
			}
		}
	})
}

// TestValidateLawUnrelated: what a question is not about does not change its reply.
func TestValidateLawUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true, imports: true, absent: rapid.Bool().Draw(t, "absent")}
		w := drawWorld(t, kind)
		e := w.engine(t)
		wider := w.engine(t, drawSystem(t, kind, "http://example.org/unrelated", "1.0.0"),
			encode(t, map[string]any{"resourceType": "ValueSet", "url": "http://example.org/v-unrelated", "status": "active", "compose": map[string]any{"include": drawParts(t, w, 1)}}))
		for range 5 {
			req := w.drawQuestion(t, kind)
			if diff := cmp.Diff(string(reply(t, e, req).AppendJSON(nil)), string(reply(t, wider, req).AppendJSON(nil))); diff != "" {
				t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
			}
		}
	})
}

// TestValidateLawOrder: the order of includes of different systems changes nothing.
func TestValidateLawOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := worldKind{versions: true, fragments: true, excludes: true, imports: true, absent: rapid.Bool().Draw(t, "absent")}
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
			if diff := cmp.Diff(string(reply(t, forward, req).AppendJSON(nil)), string(reply(t, backward, req).AppendJSON(nil))); diff != "" {
				t.Fatalf("%s\n%+v: %s", w.documents, req, diff)
			}
		}
	})
}
