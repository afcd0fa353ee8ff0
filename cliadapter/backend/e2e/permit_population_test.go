package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/synth"
)

const (
	clinic           = "https://roget.health/fhir/CodeSystem/clinic"
	clinicInfections = "https://roget.health/fhir/ValueSet/clinic-infections"
)

// below returns a code of the clinic and all codes below it, from the plain JSON of the code system.
func below(t *testing.T, code string) map[string]bool {
	t.Helper()
	var cs struct {
		Concept []struct {
			Code     string
			Property []struct{ Code, ValueCode string }
		}
	}
	if err := json.Unmarshal(synth.Clinic(), &cs); err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{clinic + "|" + code: true}
	for grown := true; grown; {
		grown = false
		for _, c := range cs.Concept {
			for _, p := range c.Property {
				if p.Code == "parent" && set[clinic+"|"+p.ValueCode] && !set[clinic+"|"+c.Code] {
					set[clinic+"|"+c.Code], grown = true, true
				}
			}
		}
	}
	return set
}

// permitPopulation is a population of synthetic patients in a store, and on plain JSON.
type permitPopulation struct {
	service *resources.Service
	handler http.Handler
	docs    map[string][]map[string]any // conditions and observations
	patient string
}

// patients returns the number of patients: ROGET_PATIENTS, by default few.
func patients(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("ROGET_PATIENTS")
	if text == "" {
		return 60
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func newPermitPopulation(t *testing.T, store resources.Store) *permitPopulation {
	t.Helper()
	eng := engine.New()
	file := filepath.Join(t.TempDir(), "clinic.json")
	if err := os.WriteFile(file, synth.Clinic(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := eng.Load(t.Context(), filepath.Join("..", "..", "..", "examples", "samples"), file); err != nil {
		t.Fatal(err)
	}
	p := &permitPopulation{docs: map[string][]map[string]any{}}
	p.service = resources.NewService(store, eng, resources.WithTerminology(eng), resources.WithoutValidation())
	population, err := synth.NewPopulation(synth.PopulationOptions{Seed: 7, Patients: patients(t)})
	if err != nil {
		t.Fatal(err)
	}
	var items []resources.LoadItem
	flush := func() {
		results, err := p.service.Load(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if results[i].Err != nil {
				t.Fatal(results[i].Err)
			}
		}
		items = items[:0]
	}
	err = population.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error {
		for line := range strings.Lines(string(c.Bytes)) {
			var doc map[string]any
			typ := line[len(`{"resourceType":"`):]
			switch typ = typ[:strings.IndexByte(typ, '"')]; typ {
			case "Patient", "Condition", "Observation", "Encounter":
			default:
				continue
			}
			if items = append(items, resources.LoadItem{Body: []byte(line)}); len(items) == 2000 {
				flush()
			}
			if typ == "Condition" || typ == "Observation" {
				if err := json.Unmarshal([]byte(line), &doc); err != nil {
					return err
				}
				subject := values(doc, "subject", "reference")[0].(string)
				p.docs[typ] = append(p.docs[typ], map[string]any{"resourceType": typ, "id": doc["id"], "code": doc["code"], "subject": doc["subject"], "clinicalStatus": doc["clinicalStatus"]})
				if typ == "Condition" {
					p.patient = strings.TrimPrefix(subject, "Patient/")
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	flush()
	if p.handler, err = httpadapter.New(httpadapter.Config{Engine: eng, Resources: p.service}); err != nil {
		t.Fatal(err)
	}
	return p
}

// permitPolicies are policies by meaning.
func permitPolicies(t *testing.T, patient string) []permitGrant {
	infections, respiratory := codingIn(below(t, "infection")), codingIn(below(t, "respiratory-infection"))
	s := func(text string) permitScope { return permitScope{text: text} }
	ecl := "Condition.rs?code:ecl=" + clinic + "|" + url.QueryEscape("<< code#infection MINUS << code#respiratory-infection")
	return []permitGrant{
		{"user, deny in", "", []permitScope{s("user/*.rs")}, []permitScope{{"system/*.cruds?code:in=" + clinicInfections, infections}}},
		{"user, not in", "", []permitScope{{"user/Condition.rs?code:not-in=" + clinicInfections, not(infections)}, s("user/Observation.rs")}, nil},
		{"user, below", "", []permitScope{{"user/Condition.rs?code:below=" + clinic + "|respiratory-infection", respiratory}}, nil},
		{"user, deny ecl", "", []permitScope{s("user/*.rs")}, []permitScope{{"user/" + ecl, both(infections, not(respiratory))}}},
		{"user, active and in", "", []permitScope{{"user/Condition.rs?clinical-status=active&code:in=" + clinicInfections, both(infections, hasToken("clinicalStatus.coding.code", "active"))}}, nil},
		{"patient, deny in", patient, []permitScope{s("patient/*.rs")}, []permitScope{{"system/*.cruds?code:in=" + clinicInfections, infections}}},
	}
}

// TestPermissionPopulation compares what policies by meaning show of a population with what plain JSON
// says: every resource on all pages, and the totals. ROGET_PATIENTS is the number of patients.
func TestPermissionPopulation(t *testing.T) {
	store := resources.Store(memory.New())
	if os.Getenv("ROGET_PATIENTS") != "" { // many do not fit into memory
		var err error
		if store, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
	}
	p := newPermitPopulation(t, store)
	o := newPermitOracle(t)
	for _, g := range permitPolicies(t, p.patient) {
		grant := grantOf(t, &g)
		if err := p.service.CheckGrant(t.Context(), grant); err != nil {
			t.Fatal(err)
		}
		ctx := access.WithGrant(t.Context(), grant)
		for typ, docs := range p.docs {
			if !o.covered(&g, typ, 's') {
				continue
			}
			var want []string
			for _, doc := range docs {
				if o.permits(&g, 's', doc) {
					want = append(want, doc["id"].(string))
				}
			}
			var got []string
			request := resources.SearchRequest{Type: typ, Params: []search.Param{{Name: "_count", Value: "1000"}, {Name: "_total", Value: "accurate"}}}
			for {
				found, err := p.service.Search(ctx, request)
				if err != nil {
					t.Fatal(err)
				}
				for i := range found.Matches {
					got = append(got, found.Matches[i].ID)
				}
				if found.Total == nil || *found.Total != len(want) {
					t.Fatalf("%s: %s: total %v, want %d", g.name, typ, found.Total, len(want))
				}
				if found.Next == "" {
					break
				}
				request.Params = append(request.Params[:2:2], search.Param{Name: search.CursorParam, Value: found.Next})
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: %d resources, want %d", g.name, typ, len(got), len(want))
			}
			if typ == "Condition" && (len(want) == 0 || len(want) == len(docs)) {
				t.Errorf("%s: the policy shows %d of %d", g.name, len(want), len(docs))
			}
			t.Logf("%-20s %-12s %6d of %6d", g.name, typ, len(want), len(docs))
		}
	}
}

// TestPermissionSpeed reports how much processor time searches take with policies, in relation to a
// server without permissions that is asked for the same. The first figure is about a grant that the
// server knows, the other one about grants that it never saw. The time of PostgreSQL itself is not in
// it. The test runs if ROGET_PATIENTS is set.
func TestPermissionSpeed(t *testing.T) {
	if os.Getenv("ROGET_PATIENTS") == "" {
		t.Skip("set ROGET_PATIENTS to measure")
	}
	for _, at := range freshStores {
		t.Run(at.name, func(t *testing.T) {
			store, err := at.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			p := newPermitPopulation(t, store)
			p.docs = nil // the collector need not look at them
			permissionSpeed(t, p)
		})
	}
}

func permissionSpeed(t *testing.T, p *permitPopulation) {
	t.Helper()
	policies := permitPolicies(t, p.patient)
	of := map[string]*access.Grant{
		"deny in": grantOf(t, &policies[0]), "not in": grantOf(t, &policies[1]), "deny ecl": grantOf(t, &policies[3]),
		"all": {Allow: []access.Scope{{Level: access.System, Type: "*", Actions: access.All}}}, "patient": grantOf(t, &policies[5]),
	}
	mine, asked := "Patient/"+p.patient, 0
	for _, row := range []struct {
		grant, with, without string // what a client without a grant asks for instead
	}{
		{"all", "Condition?_count=50", "Condition?_count=50"},
		{"deny in", "Condition?_count=50", "Condition?_count=50"},
		{"not in", "Condition?_count=50", "Condition?_count=50"},
		{"deny ecl", "Condition?_count=50", "Condition?_count=50"},
		{"deny in", "Condition?_count=50&clinical-status=active", "Condition?_count=50&clinical-status=active"},
		{"deny in", "Condition?_count=50&_sort=-onset-date", "Condition?_count=50&_sort=-onset-date"},
		{"deny in", "Condition?code:below=" + clinic + "|disease&_count=50", "Condition?code:below=" + clinic + "|disease&_count=50"},
		{"deny in", "Condition?subject:Patient.gender=female&_count=50", "Condition?subject:Patient.gender=female&_count=50"},
		{"deny in", "Patient?_has:Condition:subject:clinical-status=active&_count=50", "Patient?_has:Condition:subject:clinical-status=active&_count=50"},
		{"deny in", "Observation?_count=50&_include=Observation:subject", "Observation?_count=50&_include=Observation:subject"},
		{"deny in", "Patient?_count=20&_revinclude=Condition:subject", "Patient?_count=20&_revinclude=Condition:subject"},
		{"deny in", "Condition?subject=" + mine, "Condition?subject=" + mine},
		{"deny in", "Condition?_summary=count", "Condition?_summary=count"},
		{"patient", "Observation?_count=50", "Observation?_count=50&subject=" + mine},
		{"patient", "Condition?_count=50", "Condition?_count=50&subject=" + mine},
	} {
		ask := func(query string, grant *access.Grant) func() {
			r := httptest.NewRequest(http.MethodGet, "/"+query, nil)
			if grant != nil {
				r = r.WithContext(access.WithGrant(t.Context(), grant))
			}
			return func() {
				rec := httptest.NewRecorder()
				if p.handler.ServeHTTP(rec, r); rec.Code != http.StatusOK {
					t.Fatalf("%s: %s", query, rec.Body)
				}
			}
		}
		with, without, share := relativeSpeed(ask(row.with, of[row.grant]), ask(row.without, nil))
		first := of[row.grant]
		_, _, shareOfFirst := relativeSpeed(func() {
			// A denial about nothing makes the grant one that was never decided on before.
			asked++
			one := *first
			one.Deny = append(slices.Clone(one.Deny), access.Scope{Level: access.System, Type: "Basic", Actions: access.Read, Query: fmt.Sprint("_id=", asked)})
			ask(row.with, &one)()
		}, ask(row.without, nil))
		t.Logf("%3.0f %%, first %3.0f %%  %-8s %s (%v, %v)", 100*share, 100*shareOfFirst, row.grant, row.with, with, without)
	}
}

// relativeSpeed returns the processor time of two functions, and the share of the first that the second
// takes: the median of many short rounds in which they take turns. The garbage collector rests during a
// round, as what it does then depends on what ran before.
func relativeSpeed(with, without func()) (first, second time.Duration, share float64) {
	with()
	start, n := time.Now(), 0
	for time.Since(start) < 10*time.Millisecond {
		without()
		n++
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const rounds = 41
	var spent [2][]time.Duration
	var shares []float64
	for round := range rounds {
		if round%8 == 0 {
			runtime.GC()
		}
		var took [2]time.Duration
		for i := range took {
			which := (i + round) % 2
			before := processorTime()
			for range n {
				if which == 0 {
					with()
				} else {
					without()
				}
			}
			took[which] = (processorTime() - before) / time.Duration(n)
		}
		spent[0], spent[1] = append(spent[0], took[0]), append(spent[1], took[1])
		shares = append(shares, float64(took[1])/float64(took[0]))
	}
	slices.Sort(spent[0])
	slices.Sort(spent[1])
	slices.Sort(shares)
	return spent[0][rounds/2], spent[1][rounds/2], shares[rounds/2]
}

// processorTime returns the time that this process has spent on processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprint("getrusage: ", err))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
