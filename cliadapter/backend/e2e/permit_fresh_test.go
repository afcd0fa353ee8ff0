package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
)

// permitModel is what a server should have: the code and the patient of each condition, and the codes
// of the value set of the policies.
type permitModel struct {
	conditions map[string][2]string // code and patient
	sensitive  []string
	female     bool // the gender of Patient/b
}

// permitFreshCodes are the codes of the conditions, and of the value set.
var permitFreshCodes = []string{"hiv", "hiv-1", "cold", "infection", "abuse", "fracture"}

// permitLoaded are the codes of the value set that newPermitWorld loads.
var permitLoaded = []string{"hiv", "hiv-1", "abuse"}

// permitFreshWriter are the scopes of a client that also writes.
var permitFreshWriter = []string{"user/*.cruds", "!user/Condition.cruds?code:in=http://example.org/sensitive"}

// permitFreshGrants are grants by meaning, and which conditions they show.
var permitFreshGrants = []struct {
	name, patient string
	scopes        []string
	shows         func(m *permitModel, code, patient string) bool
}{
	{"deny in", "", permitFreshWriter, func(m *permitModel, code, _ string) bool {
		return !slices.Contains(m.sensitive, code)
	}},
	{"in", "", []string{"user/Condition.rs?code:in=http://example.org/sensitive", "user/Patient.rs"}, func(m *permitModel, code, _ string) bool {
		return slices.Contains(m.sensitive, code)
	}},
	{"below", "", []string{"user/Condition.rs?code:below=" + permitSystem + "|hiv"}, func(_ *permitModel, code, _ string) bool {
		return code == "hiv" || code == "hiv-1"
	}},
	{"patient, not in", "a", []string{"patient/Condition.rs?code:not-in=http://example.org/sensitive"}, func(m *permitModel, code, patient string) bool {
		return patient == "a" && !slices.Contains(m.sensitive, code)
	}},
	{"other patient, not in", "b", []string{"patient/Condition.rs?code:not-in=http://example.org/sensitive"}, func(m *permitModel, code, patient string) bool {
		return patient == "b" && !slices.Contains(m.sensitive, code)
	}},
	{"chain", "", []string{"user/Condition.rs?subject:Patient.gender=female"}, func(m *permitModel, _, patient string) bool {
		return patient == "b" && m.female
	}},
}

// freshStores are the stores that can be searched.
var freshStores = []struct {
	name  string
	steps int
	open  func(t *testing.T) (resources.Store, error)
}{
	{"memory", 200, func(*testing.T) (resources.Store, error) { return memory.New(), nil }},
	{"sqlite", 120, func(t *testing.T) (resources.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db"))
	}},
	{"postgres", 60, func(t *testing.T) (resources.Store, error) {
		return postgres.Open(t.Context(), postgresServer.Schema(t))
	}},
}

// TestPermissionFresh changes conditions and the value set of the policies in every way, and asks after
// each change what several clients see. A verdict of a former state would show.
func TestPermissionFresh(t *testing.T) {
	for _, at := range freshStores {
		t.Run(at.name, func(t *testing.T) {
			store, err := at.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			f := &permitFresh{
				permitWorld: newPermitWorld(t, store, nil, nil), random: rand.New(rand.NewPCG(4, 2)),
				model: permitModel{conditions: map[string][2]string{}, sensitive: permitLoaded},
			}
			for _, p := range []string{"a", "b"} {
				f.must(t, http.StatusCreated, "PUT", "/Patient/"+p, `{"resourceType":"Patient","id":"`+p+`"}`)
			}
			for range at.steps {
				f.step(t)
				f.look(t)
				if t.Failed() {
					t.Fatal(f.done)
				}
			}
			if len(f.kinds) != 8 {
				t.Errorf("only %d kinds of changes: %v", len(f.kinds), f.kinds)
			}
		})
	}
}

// permitFresh is a world that changes, and what it should have.
type permitFresh struct {
	*permitWorld
	random *rand.Rand
	model  permitModel
	done   []string
	kinds  map[int]bool
}

func (f *permitFresh) pick(list ...string) string { return list[f.random.IntN(len(list))] }

// some returns an id and a condition.
func (f *permitFresh) some() (id, body string, is [2]string) {
	id, is = fmt.Sprint("c", f.random.IntN(12)), [2]string{f.pick(permitFreshCodes...), f.pick("a", "b", "c")}
	return id, condition(id, is[1], is[0]), is
}

// step makes one change. Many changes happen within the same millisecond, so that their numbers are
// close to each other.
func (f *permitFresh) step(t *testing.T) {
	t.Helper()
	f.grant = nil
	kind := f.random.IntN(8)
	if f.kinds == nil {
		f.kinds = map[int]bool{}
	}
	f.kinds[kind] = true
	id, body, is := f.some()
	f.done = append(f.done, fmt.Sprint(kind, id, is))
	send := func(method, path, body string, below int) {
		t.Helper()
		if a := f.do(method, path, body); a.status >= below {
			t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
		}
	}
	switch kind {
	case 0, 1:
		send("PUT", "/Condition/"+id, body, 300)
		f.model.conditions[id] = is
	case 2:
		send("DELETE", "/Condition/"+id, "", 300)
		delete(f.model.conditions, id)
	case 3: // a load
		items := []resources.LoadItem{{Body: []byte(body)}}
		f.model.conditions[id] = is
		if other, more, what := f.some(); other != id {
			items = append(items, resources.LoadItem{Body: []byte(more)})
			f.model.conditions[other] = what
		}
		results, err := f.service.Load(t.Context(), items)
		for i := range results {
			if results[i].Err != nil {
				err = results[i].Err
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	case 4: // a transaction that a client with a policy sends, which fails after it was read within
		f.permit(t, "", permitFreshWriter...)
		entry := func(method, url, resource string) string {
			if resource != "" {
				resource = `"resource":` + resource + `,`
			}
			return `{` + resource + `"request":{"method":"` + method + `","url":"` + url + `"}}`
		}
		a := f.do("POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[`+strings.Join([]string{
			entry("PUT", "Condition/"+id, condition(id, is[1], "cold")), entry("GET", "Condition?_count=100", ""), entry("GET", "Condition/missing", ""),
		}, ",")+`]}`)
		if a.status < 400 {
			t.Fatalf("the transaction did not fail: %s", a.body)
		}
		f.grant = nil
		send("PUT", "/Condition/"+id, body, 300) // may get the same number
		f.model.conditions[id] = is
	case 5: // the value set changes
		f.model.sensitive = nil
		var codes []string
		for _, code := range permitFreshCodes {
			if f.random.IntN(2) == 0 || code == is[0] {
				f.model.sensitive = append(f.model.sensitive, code)
				codes = append(codes, `{"code":"`+code+`"}`)
			}
		}
		send("PUT", "/ValueSet/mine", `{"resourceType":"ValueSet","id":"mine","url":"http://example.org/sensitive","version":"9","status":"active","compose":{"include":[{"system":"`+
			permitSystem+`","concept":[`+strings.Join(codes, ",")+`]}]}}`, 300)
	case 6: // what was loaded counts again
		send("DELETE", "/ValueSet/mine", "", 300)
		f.model.sensitive = permitLoaded
	case 7: // what a chain leads to
		f.model.female = !f.model.female
		gender := "male"
		if f.model.female {
			gender = "female"
		}
		send("PUT", "/Patient/b", `{"resourceType":"Patient","id":"b","gender":"`+gender+`"}`, 300)
	}
	if f.random.IntN(3) == 0 {
		f.at = f.at.Add(1e6)
	}
}

// look compares what clients see with the model.
func (f *permitFresh) look(t *testing.T) {
	t.Helper()
	for i := range permitFreshGrants {
		g := &permitFreshGrants[i]
		f.permit(t, g.patient, g.scopes...)
		want := []string{}
		for id, is := range f.model.conditions {
			if g.shows(&f.model, is[0], is[1]) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		a := f.do("GET", "/Condition?_count=100&_total=accurate", "")
		var found struct {
			Total int
			Entry []struct{ Resource struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(a.raw), &found); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s: %d %s", g.name, a.status, a.body)
		}
		got := []string{}
		for _, e := range found.Entry {
			got = append(got, e.Resource.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || found.Total != len(want) {
			t.Errorf("%s: %v (total %d), want %v", g.name, got, found.Total, want)
		}
		if count := f.do("GET", "/Condition?_summary=count", ""); !strings.Contains(count.raw, fmt.Sprintf(`"total":%d`, len(want))) {
			t.Errorf("%s: count %s, want %d", g.name, count.raw, len(want))
		}
		id := fmt.Sprint("c", f.random.IntN(12))
		if read := f.do("GET", "/Condition/"+id, ""); (read.status == http.StatusOK) != slices.Contains(want, id) {
			t.Errorf("%s: GET Condition/%s: status %d, want it among %v", g.name, id, read.status, want)
		}
	}
}

// TestPermissionPolicyReload asks for the same before and after the policy file changes.
func TestPermissionPolicyReload(t *testing.T) {
	w := permitCase(t)
	for _, code := range permitFreshCodes {
		w.must(t, http.StatusCreated, "PUT", "/Condition/"+code, condition(code, "a", code))
	}
	path := filepath.Join(t.TempDir(), "policy.toml")
	write := func(deny string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("[[rule]]\nallow = [\"user/*.rs\"]\ndeny = [\""+deny+"\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("user/Condition.rs?code:in=http://example.org/sensitive")
	file, err := policy.Open(path, func(s access.Scope) error { return w.service.CheckScope(t.Context(), s) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	who := &access.Principal{Subject: "tester", Issuer: "test", Scopes: []string{"user/*.rs"}}
	see := func(want int, hidden string) {
		t.Helper()
		if w.grant, err = file.Authorize(t.Context(), who); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a := w.asked(t, http.StatusOK, "GET", "/Condition", "")
			if n := strings.Count(a.body, `"fullUrl"`); n != want || strings.Contains(a.body, `"`+hidden+`"`) {
				t.Errorf("%d conditions, want %d without %s: %s", n, want, hidden, a.body)
			}
		}
	}
	see(3, "hiv")
	write("user/Condition.rs?code=" + permitSystem + "|cold")
	if err := file.Reload(); err != nil {
		t.Fatal(err)
	}
	see(5, "cold")
	write("user/Condition.rs?code:in=http://example.org/sensitive")
	if err := file.Reload(); err != nil {
		t.Fatal(err)
	}
	see(3, "hiv")
}

// TestPermissionConcurrent searches with several grants while conditions and the value set change. When
// the changes are over, every client sees what it should.
func TestPermissionConcurrent(t *testing.T) {
	w := permitCase(t)
	var group sync.WaitGroup
	for i := range permitFreshGrants {
		g := &permitFreshGrants[i]
		w.permit(t, g.patient, g.scopes...)
		ctx := access.WithGrant(t.Context(), w.grant)
		group.Go(func() {
			for range 60 {
				if _, err := w.service.Search(ctx, resources.SearchRequest{Type: "Condition"}); err != nil {
					t.Errorf("%s: %v", g.name, err)
				}
			}
		})
	}
	f := &permitFresh{permitWorld: w, random: rand.New(rand.NewPCG(1, 1)), model: permitModel{conditions: map[string][2]string{}, sensitive: permitLoaded}}
	w.must(t, http.StatusCreated, "PUT", "/Patient/a", `{"resourceType":"Patient","id":"a"}`)
	for range 40 {
		f.step(t)
	}
	group.Wait()
	f.look(t)
}
