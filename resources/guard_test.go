package resources_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// content is what grants look at in a version.
type content struct {
	code, patient string
	deleted       bool
}

func element(typ string) string {
	if typ == "Patient" || typ == "Practitioner" {
		return "gender"
	}
	return "status"
}

// grants has all versions of a store, and decides by definition what is permitted.
type grants map[resources.Key][]content

func (m grants) last(key resources.Key) content {
	if all := m[key]; len(all) > 0 {
		return all[len(all)-1]
	}
	return content{deleted: true}
}

// meets reports whether a scope covers an action for a type at all, for all resources, and for a content.
func (m grants) meets(g *access.Grant, s access.Scope, key resources.Key, c content, action access.Actions) [3]bool {
	some, all, one := s.Covers(key.Type, action), true, true
	if s.Level == access.Patient {
		switch {
		case key.Type == "Patient":
			all, one = false, key.ID == g.Patient
		case key.Type == "Observation":
			all, one = false, c.patient == g.Patient
		case key.Type == "Task", action&seen == 0:
			some = false // of no patient
		}
	}
	if name, value, limited := strings.Cut(s.Query, "="); limited {
		all = false
		switch p := m.last(resources.Key{Type: "Patient", ID: c.patient}); name {
		case "subject:Patient.gender":
			one = one && !p.deleted && p.code == value
		case element(key.Type):
			one = one && c.code == value
		default:
			some = false
		}
	}
	return [3]bool{some, some && all, some && one}
}

const seen = access.Read | access.Search

// decides reports whether a grant may permit one of the actions for a type at all, for all resources, and for a
// content.
func (m grants) decides(g *access.Grant, actions access.Actions, key resources.Key, c content) (some, all, one bool) {
	for action := access.Create; action <= access.Search; action <<= 1 {
		var is [2][3]bool // allowed, denied
		for side, scopes := range [2][]access.Scope{g.Allow, g.Deny} {
			for _, s := range scopes {
				for i, met := range m.meets(g, s, key, c, action&actions) {
					is[side][i] = is[side][i] || met
				}
			}
		}
		some, all, one = some || is[0][0] && !is[1][1], all || is[0][1] && !is[1][0], one || is[0][2] && !is[1][2]
	}
	return some, all, one
}

// shows reports whether one of the actions is permitted for a version: its content, or what it deletes, and
// that of the newest.
func (m grants) shows(g *access.Grant, actions access.Actions, key resources.Key, version int) bool {
	for _, n := range []int{version, len(m[key])} {
		if n < 1 || n > len(m[key]) {
			return false
		}
		if m[key][n-1].deleted {
			n--
		}
		if _, _, one := m.decides(g, actions, key, m[key][n-1]); !one {
			return false
		}
	}
	return true
}

func outcome(err error) string {
	for text, is := range map[string]error{"forbidden": access.ErrForbidden, "not found": resources.ErrNotFound, "gone": resources.ErrGone} {
		if errors.Is(err, is) {
			return text
		}
	}
	return fmt.Sprint(err)
}

// read returns the outcome of reading a version.
func (m grants) read(g *access.Grant, key resources.Key, version int) string {
	switch some, _, _ := m.decides(g, access.Read, key, content{}); {
	case !some:
		return "forbidden"
	case !m.shows(g, access.Read, key, version):
		return "not found"
	case m[key][version-1].deleted:
		return "gone"
	}
	return "<nil>"
}

// write returns the outcome of a change, and whether it stores a version.
func (m grants) write(g *access.Grant, action access.Actions, patch bool, key resources.Key, c content) (string, bool) {
	n, now := len(m[key]), m.last(key)
	hidden := !m.shows(g, seen|action, key, n)
	some, _, one := m.decides(g, action, key, c)
	reads, _, readable := m.decides(g, seen, key, c)
	_, all, _ := m.decides(g, seen|action, key, c)
	switch {
	case !some, !hidden && (!m.shows(g, action, key, n) || patch && !m.shows(g, seen, key, n)):
		return "forbidden", false
	case patch && hidden:
		return "not found", false
	case patch && now.deleted:
		return "gone", false
	case action == access.Delete:
		return "<nil>", !hidden && !now.deleted
	case !hidden && c == now:
		return "<nil>", false
	case hidden && !all: // who does not see all ids cannot choose one
		return "not found", false
	case !one, reads && !readable:
		return "forbidden", false
	}
	return "<nil>", true
}

// TestGrants compares what random grants permit of random changes with the definition, for reads outside of a
// transaction and within one, and for every way to write.
func TestGrants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	scopes := func(n int) (list []access.Scope) {
		for range n {
			s, err := access.ParseScope(pick("user/*.cruds", "user/*.rs", "user/*.cud?status=final", "user/*.s", "patient/*.cruds", "patient/*.rs", "patient/Observation.cud", "user/Observation.r",
				"user/Observation.cruds?subject:Patient.gender=male", "user/Observation.cu?status=final", "system/Patient.ruds?gender=male", "user/Patient.cds", "system/Task.cud", "user/Practitioner.ru"))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		return list
	}
	s, m := resources.NewService(memory.New(), nil, resources.WithoutValidation()), grants{}
	var keys, order []resources.Key // the versions in order
	for id := range 4 {
		for _, typ := range []string{"Patient", "Observation", "Practitioner", "Task"} {
			keys = append(keys, resources.Key{Type: typ, ID: fmt.Sprint(id)})
		}
	}
	counts := map[string]int{}
	for step := range 1000 {
		g := &access.Grant{Patient: pick("0", "1"), Allow: scopes(1 + rng.IntN(3)), Deny: slices.DeleteFunc(scopes(rng.IntN(2)), func(s access.Scope) bool { return s.Level == access.Patient })}
		ctx := access.WithGrant(t.Context(), g)
		key := keys[rng.IntN(len(keys))]
		c := content{code: pick("male", "female")}
		if element(key.Type) == "status" {
			c.code = pick("final", "draft")
		}
		body := fmt.Sprintf(`{"resourceType":%q,"id":%q,%q:%q`, key.Type, key.ID, element(key.Type), c.code)
		if key.Type == "Observation" {
			c.patient = pick("0", "1", "2")
			body += `,"subject":{"reference":"Patient/` + c.patient + `"}`
		}
		body += "}"
		action, patch := access.Update, false
		outcomes := make([]resources.Outcome, 1)
		var err error
		switch rng.IntN(5) {
		case 0:
			action, c = access.Delete, content{deleted: true}
			outcomes[0], err = s.Delete(ctx, key.Type, key.ID, resources.UpdateOptions{})
		case 1:
			patch = true
			outcomes[0], err = s.Patch(ctx, key.Type, key.ID, replaced(body), resources.UpdateOptions{})
		case 2:
			results, failed := s.Load(ctx, []resources.LoadItem{{Body: []byte(body)}})
			if failed != nil {
				t.Fatalf("a load fails: %v", failed)
			}
			outcomes[0], err = results[0].Outcome, results[0].Err
		case 3:
			outcomes, err = s.Transaction(ctx, bundleOf(t, entry("", "PUT", key.String(), body)), resources.TransactionOptions{})
		default:
			outcomes[0], err = s.Update(ctx, key.Type, key.ID, []byte(body), resources.UpdateOptions{})
		}
		want, changes := m.write(g, action, patch, key, c)
		if got := outcome(err); got != want || err == nil && outcomes[0].Changed != changes {
			t.Fatalf("%+v: %s of %s, %+v after %+v: %v, want %s", *g, action, key, c, m[key], err, want)
		}
		if counts["write "+want]++; changes {
			m[key], order = append(m[key], c), append(order, key)
		}
		switch step % 10 {
		case 0:
			m.check(ctx, t, s, g, keys, order, counts, rng)
		case 5:
			err := inTransaction(ctx, t, s, func(ctx context.Context) error {
				m.check(ctx, t, s, g, keys, order, counts, rng)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if t.Failed() {
			t.Fatalf("%+v", *g)
		}
	}
	if len(counts) != 8 {
		t.Errorf("not all outcomes are met: %v", counts)
	}
}

// inTransaction calls fn with the context of a transaction.
func inTransaction(ctx context.Context, t *testing.T, s *resources.Service, fn func(context.Context) error) error {
	return second(s.Transaction(ctx, bundleOf(t, entry("", "GET", "Patient", "")), resources.TransactionOptions{
		Answer: func(ctx context.Context, _ int, _ *resources.BundleEntry) error { return fn(ctx) },
	}))
}

func (m grants) check(ctx context.Context, t *testing.T, s *resources.Service, g *access.Grant, keys, order []resources.Key, counts map[string]int, rng *rand.Rand) {
	has, err := s.Holds(ctx, keys)
	may, failed := s.Permitted(ctx, access.Update, keys)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		n := len(m[key])
		v, err := s.Read(ctx, key.Type, key.ID)
		if want := m.read(g, key, n); outcome(err) != want || err == nil && v.VersionID != int64(n) {
			t.Errorf("Read %s: %d, %v, want %s", key, v.VersionID, err, want)
		}
		counts["read "+outcome(err)]++
		version := rng.IntN(n + 2)
		if _, err := s.ReadVersion(ctx, key.Type, key.ID, int64(version)); outcome(err) != m.read(g, key, version) {
			t.Errorf("ReadVersion %s %d: %v", key, version, err)
		}
		if is := !m.last(key).deleted; has[i] != (is && m.shows(g, access.Search, key, n)) || may[i] != (is && m.shows(g, access.Update, key, n)) {
			t.Errorf("%s: Holds %v, Permitted %v", key, has[i], may[i])
		}
	}
	one := keys[rng.IntN(len(keys))]
	for r, actions := range map[resources.Key]access.Actions{one: access.Read, {Type: one.Type}: access.Search, {}: access.Search} {
		var want, got []string
		version := map[resources.Key]int{}
		for _, key := range order {
			version[key]++
			if (r.Type == "" || r.Type == key.Type) && (r.ID == "" || r == key) && m.shows(g, actions, key, version[key]) {
				want = append(want, fmt.Sprint(key, version[key]))
			}
		}
		slices.Reverse(want)
		h := resources.HistoryRequest{Type: r.Type, ID: r.ID, Count: rng.IntN(20)}
		page, err := s.History(ctx, h)
		for ; err == nil; page, err = s.History(ctx, h) {
			for _, v := range page.Versions {
				got = append(got, fmt.Sprint(v.Key, v.VersionID))
			}
			if h.Cursor = page.Next; h.Cursor == "" {
				break
			}
		}
		if some, _, _ := m.decides(g, actions, r, content{}); !slices.Equal(got, want) || err != nil && some && (r.ID == "" || len(want) > 0) || err == nil && !some && r.Type != "" {
			t.Errorf("History %v: %v, %v, want %v", r, got, err, want)
		}
	}
	found := func(typ, code string) (ids []string) {
		for _, key := range keys {
			if c := m.last(key); key.Type == typ && !c.deleted && (code == "" || c.code == code) && m.shows(g, access.Search, key, len(m[key])) {
				ids = append(ids, key.ID)
			}
		}
		return ids
	}
	male := found("Patient", "male")
	ofMale := slices.DeleteFunc(found("Observation", ""), func(id string) bool {
		return !slices.Contains(male, m.last(resources.Key{Type: "Observation", ID: id}).patient)
	})
	for text, want := range map[string][]string{
		"Patient?": found("Patient", ""), "Practitioner?": found("Practitioner", ""), "Task?status=final": found("Task", "final"),
		"Observation?": found("Observation", ""), "Observation?subject:Patient.gender=male": ofMale,
	} {
		typ, params, _ := strings.Cut(text, "?")
		page, err := s.Search(ctx, resources.SearchRequest{Type: typ, Params: query(t, params+"&_sort=_id&_total=accurate"), Options: search.Options{DefaultCount: 100}})
		some, all, _ := m.decides(g, access.Search, resources.Key{Type: typ}, content{})
		covered, whole, failed := s.Covers(ctx, typ, access.Search)
		if some == (err != nil) || covered != some || whole != all || failed != nil {
			t.Errorf("%s: %v, covered %v, %v, %v", text, err, covered, whole, failed)
		}
		if err != nil {
			continue
		}
		var ids []string
		for i := range page.Matches {
			ids = append(ids, page.Matches[i].ID)
		}
		if !slices.Equal(ids, want) || *page.Total != len(want) {
			t.Errorf("%s: %v of %d, want %v", text, ids, *page.Total, want)
		}
	}
}
