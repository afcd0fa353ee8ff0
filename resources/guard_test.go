package resources_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// content is what grants look at in a version. Patients and Practitioners have a gender, Observations and
// Tasks a status, and Observations may have a Patient.
type content struct {
	code, patient string
	deleted       bool
}

// codes are the codes of each type, and param is the parameter that finds them.
var codes = map[string][]string{"Patient": {"male", "female"}, "Practitioner": {"male", "female"}, "Observation": {"final", "amended"}, "Task": {"final", "draft"}}

func param(typ string) string {
	if typ == "Patient" || typ == "Practitioner" {
		return "gender"
	}
	return "status"
}

func (c content) body(key resources.Key) []byte {
	body := fmt.Sprintf(`{"resourceType":%q,%q:%q`, key.Type, param(key.Type), c.code)
	if key.ID != "" {
		body += fmt.Sprintf(`,"id":%q`, key.ID)
	}
	if c.patient != "" && key.Type == "Observation" {
		body += `,"subject":{"reference":"Patient/` + c.patient + `"}`
	}
	return []byte(body + "}")
}

// a fact is a version of the history.
type fact struct {
	key     resources.Key
	version int // from 1
}

// permitModel is a store, as lists of all versions, and decides about it by the definition of a grant.
type permitModel struct {
	versions map[resources.Key][]content
	facts    []fact // oldest first
}

func (m *permitModel) put(key resources.Key, c content) {
	m.versions[key] = append(m.versions[key], c)
	m.facts = append(m.facts, fact{key, len(m.versions[key])})
}

// last returns the newest version of a resource, a deletion if there is none.
func (m *permitModel) last(key resources.Key) content {
	all := m.versions[key]
	if len(all) == 0 {
		return content{deleted: true}
	}
	return all[len(all)-1]
}

// meets reports whether a scope covers an action on a type at all, whether it does for all resources, and
// whether it does for one with a content.
func (m *permitModel) meets(g *access.Grant, s access.Scope, key resources.Key, c content, action access.Actions) (some, all, one bool) {
	some = s.Covers(key.Type, action)
	all, one = true, true
	if s.Level == access.Patient {
		switch {
		case g.Patient == "":
			some = false
		case key.Type == "Patient":
			all, one = false, key.ID == g.Patient
		case key.Type == "Observation":
			all, one = false, c.patient == g.Patient
		case key.Type == "Task", action&(access.Read|access.Search) == 0:
			some = false // no data of a patient's, or a directory, which is only read
		}
	}
	if name, value, limited := strings.Cut(s.Query, "="); limited {
		all = false
		switch {
		case name == "subject:Patient.gender":
			some = some && key.Type == "Observation"
			p := m.last(resources.Key{Type: "Patient", ID: c.patient})
			one = one && !p.deleted && p.code == value
		case name == param(key.Type):
			one = one && c.code == value
		default:
			some = false
		}
	}
	return some, some && all, some && one
}

// permits reports whether a grant permits one of the actions for a content.
func (m *permitModel) permits(g *access.Grant, actions access.Actions, key resources.Key, c content) bool {
	for action := access.Create; action <= access.Search; action <<= 1 {
		in := func(s access.Scope) bool {
			_, _, one := m.meets(g, s, key, c, action)
			return one
		}
		if actions&action != 0 && slices.ContainsFunc(g.Allow, in) && !slices.ContainsFunc(g.Deny, in) {
			return true
		}
	}
	return false
}

// covers reports whether a grant may permit one of the actions for some resources of a type, and whether it
// does for all, whatever is stored.
func (m *permitModel) covers(g *access.Grant, actions access.Actions, typ string) (some, all bool) {
	for action := access.Create; action <= access.Search; action <<= 1 {
		if actions&action == 0 {
			continue
		}
		var allow, deny [2]bool // some, all
		for i, side := range [][]access.Scope{g.Allow, g.Deny} {
			for _, s := range side {
				a, b, _ := m.meets(g, s, resources.Key{Type: typ}, content{}, action)
				to := []*[2]bool{&allow, &deny}[i]
				to[0], to[1] = to[0] || a, to[1] || b
			}
		}
		some = some || allow[0] && !deny[1]
		all = all || allow[1] && !deny[0]
	}
	return some, all
}

// sees reports whether a grant permits one of the actions for a version: for its content and the newest one,
// and for a deletion what was before.
func (m *permitModel) sees(g *access.Grant, actions access.Actions, f fact) bool {
	all := m.versions[f.key]
	for _, n := range []int{f.version, len(all)} {
		if n < 1 {
			return false
		}
		if all[n-1].deleted {
			n--
		}
		if !m.permits(g, actions, f.key, all[n-1]) {
			return false
		}
	}
	return true
}

// outcome names an error, for comparison.
func outcome(err error) string {
	for text, is := range map[string]error{"forbidden": access.ErrForbidden, "not found": resources.ErrNotFound, "gone": resources.ErrGone} {
		if errors.Is(err, is) {
			return text
		}
	}
	return fmt.Sprint(err)
}

// read returns the outcome of reading a version.
func (m *permitModel) read(g *access.Grant, f fact) string {
	if some, _ := m.covers(g, access.Read, f.key.Type); !some {
		return "forbidden"
	}
	switch all := m.versions[f.key]; {
	case f.version < 1, f.version > len(all), !m.sees(g, access.Read, f):
		return "not found"
	case all[f.version-1].deleted:
		return "gone"
	}
	return "<nil>"
}

// write returns the outcome of a change, and whether it stores a version.
func (m *permitModel) write(g *access.Grant, action access.Actions, patch bool, key resources.Key, c content) (string, bool) {
	const seen = access.Read | access.Search
	if some, _ := m.covers(g, action, key.Type); !some {
		return "forbidden", false
	}
	now, n := m.last(key), len(m.versions[key])
	hidden := n == 0 || !m.sees(g, seen|action, fact{key, n})
	if !hidden && (!m.sees(g, action, fact{key, n}) || patch && !m.sees(g, seen, fact{key, n})) {
		return "forbidden", false
	}
	if hidden || now.deleted {
		switch {
		case patch && hidden:
			return "not found", false
		case patch:
			return "gone", false
		case action == access.Delete:
			return "<nil>", false
		}
	} else if c == now {
		return "<nil>", false
	}
	if action == access.Delete {
		return "<nil>", true
	}
	if _, all := m.covers(g, seen|action, key.Type); hidden && action == access.Update && !all {
		return "not found", false
	}
	some, _ := m.covers(g, seen, key.Type)
	if !m.permits(g, action, key, c) || some && !m.permits(g, seen, key, c) {
		return "forbidden", false
	}
	return "<nil>", true
}

// TestGrants compares what random grants permit of a random history with the definition: every way to read,
// outside of a transaction and within one, and every way to write.
func TestGrants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	made := 0
	s := resources.NewService(memory.New(), nil, resources.WithoutValidation(), resources.WithIDs(func() string { made++; return fmt.Sprint("made", made) }))
	m := &permitModel{versions: map[resources.Key][]content{}}
	types := slices.Sorted(maps.Keys(codes))
	for typ := range codes {
		some, all, err := s.Covers(t.Context(), typ, access.All)
		if every, failed := s.Permits(t.Context(), typ, access.All); !some || !all || !every || err != nil || failed != nil {
			t.Errorf("without a grant: %v, %v, %v, %v, %v", some, all, every, err, failed)
		}
	}
	var keys []resources.Key
	for typ, n := range map[string]int{"Patient": 3, "Observation": 5, "Practitioner": 2, "Task": 2} {
		for i := range n {
			keys = append(keys, resources.Key{Type: typ, ID: fmt.Sprint(i)})
		}
	}
	slices.SortFunc(keys, func(a, b resources.Key) int { return strings.Compare(a.String(), b.String()) })
	scope := func() access.Scope {
		of := access.Scope{Level: access.Level(1 + rng.IntN(3)), Type: pick(append(types, "*", "Observation")...), Actions: access.Actions(1 + rng.IntN(int(access.All)))}
		if rng.IntN(2) == 0 {
			of.Actions = access.All
		}
		switch rng.IntN(4) {
		case 0:
			typ := of.Type
			if typ == "*" {
				typ = "Task"
			}
			of.Query = param(typ) + "=" + pick(codes[typ]...)
		case 1:
			if of.Type == "Observation" {
				of.Query = "subject:Patient.gender=" + pick("male", "female")
			}
		}
		return of
	}
	grants := make([]*access.Grant, 40)
	for i := range grants {
		g := &access.Grant{Patient: pick("", "0", "1")}
		for range 1 + rng.IntN(3) {
			g.Allow = append(g.Allow, scope())
		}
		for range rng.IntN(2) {
			g.Deny = append(g.Deny, scope())
		}
		grants[i] = g
	}
	for i := range 15 { // more often what may be seen and not changed
		scopes := []string{"user/*.rs user/*.cud?status=final", "patient/*.rs user/Observation.cud?status=final", "user/Patient.rs user/Patient.cud?gender=male"}[i%3]
		grants = append(grants, access.ScopesGrant(&access.Principal{Patient: "0", Scopes: strings.Fields(scopes)}))
	}
	counts := map[string]int{}
	for step := range 1000 {
		g := grants[rng.IntN(len(grants))]
		key := keys[rng.IntN(len(keys))]
		c := content{code: pick(codes[key.Type]...)}
		if key.Type == "Observation" {
			c.patient = pick("0", "1", "2")
		}
		ctx, name := access.WithGrant(t.Context(), g), fmt.Sprintf("step %d, %+v", step, *g)
		if rng.IntN(2) == 0 {
			ctx = t.Context()
			g = &access.Grant{Allow: []access.Scope{{Level: access.System, Type: "*", Actions: access.All}}}
		}
		action, patch := access.Update, false
		way := pick("direct", "transaction", "load")
		var o resources.Outcome
		var err error
		transact := func(method, url string, body []byte) {
			outcomes, failed := s.Transaction(ctx, &resources.Bundle{Type: "transaction", Entries: []resources.BundleEntry{{Method: method, URL: url, Resource: body}}}, resources.TransactionOptions{})
			if err = failed; err == nil {
				o = outcomes[0]
			}
		}
		switch kind := rng.IntN(8); {
		case kind == 0:
			action, c = access.Delete, content{deleted: true}
			if way == "direct" {
				o, err = s.Delete(ctx, key.Type, key.ID, resources.UpdateOptions{})
			} else {
				transact("DELETE", key.String(), nil)
			}
		case kind == 1:
			patch = true
			o, err = s.Patch(ctx, key.Type, key.ID, replaced(c.body(key)), resources.UpdateOptions{})
		case way == "load":
			results, failed := s.Load(ctx, []resources.LoadItem{{Body: c.body(key)}})
			if failed != nil {
				t.Fatalf("%s: a load of %s fails: %v", name, key, failed)
			}
			o, err = results[0].Outcome, results[0].Err
		case kind == 2:
			action, key.ID = access.Create, ""
			if way == "direct" {
				o, err = s.Create(ctx, key.Type, c.body(key), resources.CreateOptions{})
			} else {
				transact("POST", key.Type, c.body(key))
			}
			key.ID = fmt.Sprint("made", made)
		case way == "direct":
			o, err = s.Update(ctx, key.Type, key.ID, c.body(key), resources.UpdateOptions{})
		default:
			transact("PUT", key.String(), c.body(key))
		}
		want, changes := m.write(g, action, patch, key, c)
		if got := outcome(err); got != want || o.Changed != changes {
			t.Fatalf("%s: %s, action %s, %s, patch %v, %+v after %+v: %s, changed %v, want %s, %v", name, way, key, action, patch, c, m.versions[key], got, o.Changed, want, changes)
		}
		counts[fmt.Sprint("write: ", want)]++
		if some, _ := m.covers(g, access.Read|access.Search, key.Type); err == nil && way != "load" && !o.Deleted && o.VersionID > 0 && some != (o.Body != nil) {
			t.Fatalf("%s: the outcome of %s has the body %q", name, key, o.Body)
		}
		if changes {
			m.put(key, c)
			if key.ID == fmt.Sprint("made", made) { // they are many
				if _, err := s.Delete(t.Context(), key.Type, key.ID, resources.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				m.put(key, content{deleted: true})
			}
		}

		if step%5 > 0 {
			continue
		}
		g = grants[rng.IntN(len(grants))]
		check := permitCheck{t, s, m, g, rng, counts, fmt.Sprintf("step %d, %+v", step, *g)}
		if ctx := access.WithGrant(t.Context(), g); step%2 == 0 {
			check.all(ctx, keys)
			for _, typ := range types {
				check.each(ctx, typ)
			}
		} else if _, err := s.Transaction(ctx, bundleOf(t, entry("", "GET", "Patient", "")), resources.TransactionOptions{Answer: func(ctx context.Context, _ int, _ *resources.BundleEntry) error {
			check.all(ctx, keys)
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	for _, text := range []string{"write: <nil>", "write: forbidden", "write: not found", "write: gone", "read: <nil>", "read: forbidden", "read: not found", "read: gone"} {
		if counts[text] < 3 {
			t.Errorf("%s: only %d times", text, counts[text])
		}
	}
}

// permitCheck compares what a grant permits with the model.
type permitCheck struct {
	t      *testing.T
	s      *resources.Service
	m      *permitModel
	g      *access.Grant
	rng    *rand.Rand
	counts map[string]int
	name   string
}

func (p permitCheck) equal(what string, got, want any) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("%s: %s (-want +got):\n%s", p.name, what, diff)
	}
}

// current returns the ids of the resources of a type that one of the actions may be done with, ascending.
func (p permitCheck) current(typ string, actions access.Actions, is func(content) bool) []string {
	ids := []string{}
	for key, all := range p.m.versions {
		if c := all[len(all)-1]; key.Type == typ && !c.deleted && p.m.sees(p.g, actions, fact{key, len(all)}) && is(c) {
			ids = append(ids, key.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func every(content) bool { return true }

func (p permitCheck) all(ctx context.Context, keys []resources.Key) {
	actions := access.Actions(1 + p.rng.IntN(int(access.All)))
	has, err := p.s.Holds(ctx, keys)
	may, failed := p.s.Permitted(ctx, actions, keys)
	if err = errors.Join(err, failed); err != nil {
		p.t.Fatal(err)
	}
	for i, key := range keys {
		n := len(p.m.versions[key])
		exists := !p.m.last(key).deleted
		p.equal(fmt.Sprint("Holds ", key), has[i], exists && p.m.sees(p.g, access.Search, fact{key, n}))
		p.equal(fmt.Sprint("Permitted ", actions, key), may[i], exists && p.m.sees(p.g, actions, fact{key, n}))
		v, err := p.s.Read(ctx, key.Type, key.ID)
		want := p.m.read(p.g, fact{key, n})
		p.equal(fmt.Sprint("Read ", key), outcome(err), want)
		if err == nil && (v.VersionID != int64(n) || !strings.Contains(string(v.Body), p.m.last(key).code)) {
			p.t.Errorf("%s: Read %s: %+v", p.name, key, v)
		}
		p.counts["read: "+want]++
		version := p.rng.IntN(n + 2)
		_, err = p.s.ReadVersion(ctx, key.Type, key.ID, int64(version))
		p.equal(fmt.Sprint("ReadVersion ", key, version), outcome(err), p.m.read(p.g, fact{key, version}))
	}
	p.history(ctx, keys[p.rng.IntN(len(keys))])
	p.history(ctx, resources.Key{})
	for typ := range codes {
		p.history(ctx, resources.Key{Type: typ})
		some, all, err := p.s.Covers(ctx, typ, actions)
		wantSome, wantAll := p.m.covers(p.g, actions, typ)
		p.equal(fmt.Sprint("Covers ", typ, actions), []any{some, all, err}, []any{wantSome, wantAll, error(nil)})
	}
	p.search(ctx)
	id := fmt.Sprint(p.rng.IntN(3))
	key := resources.Key{Type: "Patient", ID: id}
	page, err := p.s.Everything(ctx, resources.EverythingRequest{Type: key.Type, ID: id})
	if want := p.m.read(p.g, fact{key, len(p.m.versions[key])}); want != "<nil>" || err != nil {
		p.equal(fmt.Sprint("Everything of ", id), outcome(err), want)
		return
	}
	got := []string{}
	for _, v := range page.Versions[1:] {
		got = append(got, v.ID)
	}
	slices.Sort(got)
	p.equal(fmt.Sprint("Everything of ", id), got, p.current("Observation", access.Read, func(c content) bool { return c.patient == id }))
}

// history compares the history of a resource, of a type or of the system.
func (p permitCheck) history(ctx context.Context, key resources.Key) {
	r := resources.HistoryRequest{Type: key.Type, ID: key.ID, Count: p.rng.IntN(20)}
	actions := access.Search
	if key.ID != "" {
		actions = access.Read
	}
	some := false
	for typ := range codes {
		is, _ := p.m.covers(p.g, actions, typ)
		some = some || is && (key.Type == "" || key.Type == typ)
	}
	var want, got []fact
	for _, f := range slices.Backward(p.m.facts) {
		if (key.Type == "" || f.key.Type == key.Type) && (key.ID == "" || f.key == key) && p.m.sees(p.g, actions, f) {
			want = append(want, f)
		}
	}
	for {
		page, err := p.s.History(ctx, r)
		switch {
		case err != nil && some && key.ID != "" && len(want) == 0:
			p.equal(fmt.Sprint("History ", key), outcome(err), "not found")
			return
		case err != nil && !some:
			if key.Type != "" || outcome(err) != "forbidden" { // it may cover other types
				p.equal(fmt.Sprint("History ", key), outcome(err), "forbidden")
			}
			return
		case err != nil:
			p.t.Errorf("%s: History %v: %v", p.name, key, err)
			return
		case page.Total != nil:
			p.equal(fmt.Sprint("total of ", key), *page.Total, len(want))
		}
		for _, v := range page.Versions {
			got = append(got, fact{v.Key, int(v.VersionID)})
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("%s: History %v: %v, want %v", p.name, key, got, want)
	}
}

// search compares searches: of a type, with a chain and with includes, also of documents that are not stored.
func (p permitCheck) search(ctx context.Context) {
	male := p.current("Patient", access.Search, func(c content) bool { return c.code == "male" })
	ofMale := func(c content) bool { return slices.Contains(male, c.patient) }
	for text, want := range map[string]func(content) bool{
		"Patient?": every, "Observation?": every, "Practitioner?": every, "Task?": every,
		"Task?status=final":                        func(c content) bool { return c.code == "final" },
		"Observation?subject:Patient.gender=male":  ofMale,
		"Observation?_include=Observation:subject": every,
	} {
		typ, params, _ := strings.Cut(text, "?")
		r := resources.SearchRequest{Type: typ, Params: query(p.t, params+"&_total=accurate"), Options: search.Options{DefaultCount: 1000}}
		page, err := p.s.Search(ctx, r)
		if some, _ := p.m.covers(p.g, access.Search, typ); !some || err != nil {
			p.equal(text, outcome(err), map[bool]string{true: "<nil>", false: "forbidden"}[some])
			continue
		}
		ids, included := []string{}, map[string]bool{}
		for i := range page.Matches {
			ids = append(ids, page.Matches[i].ID)
		}
		slices.Sort(ids)
		wanted := p.current(typ, access.Search, want)
		p.equal(text, ids, wanted)
		p.equal("total of "+text, *page.Total, len(wanted))
		for i := range page.Included {
			included[page.Included[i].ID] = true
		}
		if !strings.Contains(text, "_include") {
			continue
		}
		wantIncluded, matched := map[string]bool{}, make([]index.Record, len(page.Matches))
		for i := range matched {
			if matched[i], err = p.s.Outside(page.Matches[i].Body); err != nil {
				p.t.Fatal(err)
			}
		}
		for _, id := range wanted {
			owner := p.m.last(resources.Key{Type: typ, ID: id}).patient
			if slices.Contains(p.current("Patient", access.Search, every), owner) {
				wantIncluded[owner] = true
			}
		}
		p.equal(text, included, wantIncluded)
		q, err := p.s.ParseSearch(r)
		if err != nil {
			p.t.Fatal(err)
		}
		again, err := p.s.Included(ctx, q, matched)
		if err != nil {
			p.t.Fatal(err)
		}
		included = map[string]bool{}
		for i := range again.Included {
			included[again.Included[i].ID] = len(again.Included[i].Body) > 0
		}
		p.equal("Included", included, wantIncluded)
	}
	c := content{code: "final", patient: fmt.Sprint(p.rng.IntN(3))}
	rec, err := p.s.Outside(c.body(resources.Key{Type: "Observation", ID: "outside"}))
	q, failed := p.s.ParseSearch(resources.SearchRequest{Type: "Observation", Params: query(p.t, "subject:Patient.gender=male")})
	if err = errors.Join(err, failed); err != nil {
		p.t.Fatal(err)
	}
	matches, err := p.s.Among(ctx, q, []index.Record{rec})
	if err != nil {
		p.t.Fatal(err)
	}
	p.equal("Among", matches, []bool{ofMale(c)})
}

// each compares Each.
func (p permitCheck) each(ctx context.Context, typ string) {
	ids := []string{}
	err := p.s.Each(ctx, typ, func(v resources.Version) error {
		ids = append(ids, v.ID)
		return nil
	})
	if some, _ := p.m.covers(p.g, access.Read, typ); !some || err != nil {
		p.equal("Each "+typ, outcome(err), map[bool]string{true: "<nil>", false: "forbidden"}[some])
		return
	}
	p.equal("Each "+typ, ids, p.current(typ, access.Read, every))
}

// TestUndecided checks that what depends on a scope with an unknown parameter is refused, in words that do not
// repeat the scope, and nothing else.
func TestUndecided(t *testing.T) {
	s := resources.NewService(memory.New(), nil, resources.WithoutValidation())
	o, p := resources.Key{Type: "Observation", ID: "o"}, resources.Key{Type: "Patient", ID: "0"}
	body := content{code: "final", patient: "0"}.body(o)
	for key, body := range map[resources.Key][]byte{o: body, p: content{code: "male"}.body(p)} {
		if _, err := s.Update(t.Context(), key.Type, key.ID, body, resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"colour=red", "_sort=date", "%ff=1", "code:in=http://x.example"} {
		for _, g := range []*access.Grant{
			{Allow: []access.Scope{{Level: access.User, Type: "Patient", Actions: access.All}, {Level: access.User, Type: "Observation", Actions: access.All, Query: query}}},
			{Allow: []access.Scope{{Level: access.User, Type: "*", Actions: access.All}}, Deny: []access.Scope{{Level: access.User, Type: "Observation", Actions: access.All, Query: query}}},
		} {
			ctx := access.WithGrant(t.Context(), g)
			q, err := s.ParseSearch(resources.SearchRequest{Type: "Patient", Params: []search.Param{{Name: "_revinclude", Value: "Observation:subject"}}})
			if err != nil {
				t.Fatal(err)
			}
			outside, err := s.Outside(content{code: "male"}.body(p))
			if err != nil {
				t.Fatal(err)
			}
			for name, err := range map[string]error{
				"read":              second(s.Read(ctx, o.Type, o.ID)),
				"read of a version": second(s.ReadVersion(ctx, o.Type, o.ID, 1)),
				"history":           second(s.History(ctx, resources.HistoryRequest{Type: o.Type, ID: o.ID})),
				"history of all":    second(s.History(ctx, resources.HistoryRequest{})),
				"search":            second(s.Search(ctx, resources.SearchRequest{Type: o.Type})),
				"search of all":     second(s.Search(ctx, resources.SearchRequest{})),
				"included":          second(s.Included(ctx, q, []index.Record{outside})),
				"everything":        second(s.Everything(ctx, resources.EverythingRequest{Type: p.Type, ID: p.ID})),
				"each":              s.Each(ctx, o.Type, func(resources.Version) error { return nil }),
				"holds":             second(s.Holds(ctx, []resources.Key{p, o})),
				"permitted":         second(s.Permitted(ctx, access.Read, []resources.Key{o})),
				"permits":           second(s.Permits(ctx, o.Type, access.Update)),
				"update":            second(s.Update(ctx, o.Type, o.ID, body, resources.UpdateOptions{})),
				"create":            second(s.Create(ctx, o.Type, body, resources.CreateOptions{})),
				"delete":            second(s.Delete(ctx, o.Type, o.ID, resources.UpdateOptions{})),
				"check":             s.CheckGrant(ctx, g),
			} {
				if says := fmt.Sprint(err); name != "check" && (!errors.Is(err, access.ErrForbidden) || strings.Contains(says, "red") || strings.Contains(says, "x.example")) || err == nil {
					t.Errorf("%s with %+v: %v", name, *g, err)
				}
			}
			if _, err := s.Read(ctx, p.Type, p.ID); err != nil {
				t.Errorf("another type, with %+v: %v", *g, err)
			}
		}
	}
}
