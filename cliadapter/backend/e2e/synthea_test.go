package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// A record is a resource of a dataset. Its key is the type and id it has there, and its
// references are such keys.
type record struct {
	typ, key string
	body     *node
}

// A dataset is what was read from files, or made.
type dataset struct {
	folder  string
	bundles []bundleFile
	records []*record
	byKey   map[string]*record
}

// A bundleFile is one file, and the keys of its entries in order.
type bundleFile struct {
	name string
	text []byte
	typ  string
	keys []string
}

// readSynthea reads the files in their order: hospitals and practitioners, then a file for
// each patient. It counts and follows references by what the files say alone.
func readSynthea(t *testing.T) *dataset {
	t.Helper()
	s := &dataset{folder: sharedtest.Path(t, "data/synthea"), byKey: map[string]*record{}}
	paths, err := filepath.Glob(filepath.Join(s.folder, "*.json.gz"))
	if err != nil || len(paths) != 22 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	slices.Sort(paths)
	if raceDetector {
		paths = s.few(t, paths)
	}
	at := map[string]string{} // what references say: key
	for _, path := range paths {
		f := bundleFile{name: filepath.Base(path), text: sharedtest.Unzipped(t, path)}
		bundle := parsed(t, f.text)
		f.typ = bundle.first("type")
		for _, entry := range bundle.at("entry") {
			r := &record{typ: entry.first("resource.resourceType"), body: entry.get("resource").apart()}
			r.key = r.typ + "/" + r.body.first("id")
			at[entry.first("fullUrl")] = r.key
			for _, i := range r.body.at("identifier") {
				at[r.typ+"?identifier="+i.first("system")+"|"+i.first("value")] = r.key
			}
			f.keys = append(f.keys, r.key)
			s.records = append(s.records, r)
			s.byKey[r.key] = r
		}
		s.bundles = append(s.bundles, f)
	}
	for _, r := range s.records {
		refer(r.body, func(to string) string {
			if key := at[to]; key != "" {
				return key
			}
			if !strings.HasPrefix(to, "#") {
				t.Errorf("%s refers to %s, which is not there", r.key, to)
			}
			return to
		})
	}
	if len(s.records) != 16412 && !raceDetector {
		t.Errorf("%d resources", len(s.records))
	}
	return s
}

// few leaves the hospitals, the practitioners and the two smallest patients, in a folder of
// their own.
func (s *dataset) few(t *testing.T, paths []string) []string {
	t.Helper()
	s.folder = t.TempDir()
	var kept []string
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if !strings.HasPrefix(name, "0-") && len(content) > 40<<10 {
			continue
		}
		path = filepath.Join(s.folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, path)
	}
	return kept
}

// refer replaces all references in a resource.
func refer(body *node, to func(string) string) {
	body.walk(func(name string, value *node) {
		if name == "reference" && value.kind == '"' {
			value.text = to(value.text)
		}
	})
}

// of returns the records of some types, all without any.
func (s *dataset) of(types ...string) []*record {
	var out []*record
	for _, r := range s.records {
		if len(types) == 0 || slices.Contains(types, r.typ) {
			out = append(out, r)
		}
	}
	return out
}

// to returns the record that a resource refers to at a path, nil for none.
func (s *dataset) to(r *record, path string) *record { return s.byKey[r.body.first(path+".reference")] }

// loaded is a server with the content of the files, and how it calls what they have.
type loaded struct {
	handler http.Handler
	keys    map[string]string // of the files: of the server
	origins map[string]string // the other way
}

func newLoaded(handler http.Handler) *loaded {
	return &loaded{handler: handler, keys: map[string]string{}, origins: map[string]string{}}
}

func (s *loaded) named(file, server string) {
	s.keys[file], s.origins[server] = server, file
}

// send posts a file as it is.
func (s *loaded) send(t *testing.T, f bundleFile) {
	t.Helper()
	a := answered(s.handler, request(http.MethodPost, "/baseR4", "application/fhir+json", string(f.text)))
	if a.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", f.name, a.Code, short(a.Body.String()))
	}
	bundle := parsed(t, a.Body.Bytes())
	entries := bundle.at("entry")
	if bundle.first("type") != f.typ+"-response" || len(entries) != len(f.keys) {
		t.Fatalf("%s: a %s of %d entries", f.name, bundle.first("type"), len(entries))
	}
	for i, entry := range entries {
		typ, _, _ := strings.Cut(f.keys[i], "/")
		location := regexp.MustCompile(`\b` + typ + `/[^/]+`).FindString(entry.first("response.location"))
		if status := entry.first("response.status"); !strings.HasPrefix(status, "201") || location == "" {
			t.Fatalf("%s: entry %d: %s", f.name, i, short(entry.String()))
		}
		s.named(f.keys[i], location)
	}
}

// A listing is what a search found, over all its pages.
type listing struct {
	matches, included []found
	total             string
	pages             int
}

// found is one resource of a listing.
type found struct {
	ResourceType, ID string
	text             json.RawMessage
}

// A searchset is a page of a search.
type searchset struct {
	Total json.Number
	Link  []struct{ Relation, URL string }
	Entry []struct {
		Resource json.RawMessage
		Search   struct{ Mode string }
	}
}

// list follows the pages of a search to their end. @Type/id in it is a key of the files.
func (s *loaded) list(t *testing.T, target string) listing {
	t.Helper()
	return s.follow(t, s.target(target))
}

// follow follows the pages of a search to their end.
func (s *loaded) follow(t *testing.T, target string) listing {
	t.Helper()
	var l listing
	for target != "" {
		var page searchset
		if !s.get(t, target, &page) {
			return l
		}
		if l.pages++; l.pages == 1 {
			l.total = page.Total.String()
		}
		for _, entry := range page.Entry {
			f := found{text: entry.Resource}
			if err := json.Unmarshal(entry.Resource, &f); err != nil {
				t.Fatal(err)
			}
			switch entry.Search.Mode {
			case "match":
				l.matches = append(l.matches, f)
			case "include":
				l.included = append(l.included, f)
			default:
				t.Errorf("%s: an entry of mode %q: %s", target, entry.Search.Mode, short(string(f.text)))
			}
		}
		next := ""
		for _, link := range page.Link {
			if link.Relation == "next" {
				u, err := url.Parse(link.URL)
				if err != nil {
					t.Fatal(err)
				}
				next = u.RequestURI()
			}
		}
		if next == target || l.pages > 10_000 {
			t.Fatalf("%s: the pages do not end", target)
		}
		target = next
	}
	return l
}

var atKey = regexp.MustCompile(`@[A-Za-z]+/[0-9a-f-]+`)

func (s *loaded) target(text string) string {
	text = atKey.ReplaceAllStringFunc(text, func(at string) string { return s.keys[at[1:]] })
	path, query, _ := strings.Cut(text, "?")
	var params []string
	for param := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(param, "=")
		params = append(params, url.QueryEscape(name)+"="+url.QueryEscape(value))
	}
	return path + "?" + strings.Join(params, "&")
}

func (s *loaded) get(t *testing.T, target string, page *searchset) bool {
	t.Helper()
	a := answered(s.handler, httptest.NewRequest(http.MethodGet, target, http.NoBody))
	if a.Code != http.StatusOK {
		t.Errorf("%s: status %d: %s", target, a.Code, short(a.Body.String()))
		return false
	}
	if err := json.Unmarshal(a.Body.Bytes(), page); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return true
}

// origin returns the key of the files of a resource of the server.
func (s *loaded) origin(f found) string {
	key := f.ResourceType + "/" + f.ID
	if origin := s.origins[key]; origin != "" {
		return origin
	}
	return "unknown " + key
}

func (s *loaded) allOrigins(found []found) []string {
	keys := make([]string, len(found))
	for i := range found {
		keys[i] = s.origin(found[i])
	}
	return keys
}

// complete compares the content of a server with the files: the same resources, with the same
// members in the same order and the same digits. Ids, versions and references may differ, if the
// references name the same resources.
func (s *loaded) complete(t *testing.T, data *dataset) {
	t.Helper()
	types := map[string]int{}
	for _, r := range data.records {
		types[r.typ]++
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		l := s.list(t, "/baseR4/"+typ+"?_count=1000&_total=accurate")
		if len(l.matches) != types[typ] || l.total != fmt.Sprint(types[typ]) {
			t.Errorf("%s: %d, total %s, want %d", typ, len(l.matches), l.total, types[typ])
		}
		seen := map[string]bool{}
		for _, match := range l.matches {
			key := s.origin(match)
			r := data.byKey[key]
			if r == nil || seen[key] {
				t.Errorf("%s: is not of the files, or twice there", key)
				continue
			}
			seen[key] = true
			resource := parsed(t, match.text)
			refer(resource, func(to string) string {
				if origin := s.origins[to]; origin != "" {
					return origin
				}
				return to
			})
			resource.get("id").text = r.body.first("id")
			if got, want := resource.apart().String(), r.body.String(); got != want {
				t.Errorf("%s: has\n%s\nand the file\n%s", key, got, want)
				return
			}
		}
	}
}

// belonging are the elements by which a resource is in the compartment of a patient (R4,
// compartmentdefinition-patient), for the types of the datasets.
var belonging = map[string][]string{
	"AllergyIntolerance":       {"patient", "recorder", "asserter"},
	"CarePlan":                 {"subject", "activity.detail.performer"},
	"CareTeam":                 {"subject", "participant.member"},
	"Claim":                    {"patient", "payee.party"},
	"Condition":                {"subject", "asserter"},
	"Device":                   {"patient"},
	"DiagnosticReport":         {"subject"},
	"DocumentReference":        {"subject", "author"},
	"Encounter":                {"subject"},
	"ExplanationOfBenefit":     {"patient", "payee.party"},
	"Group":                    {"member.entity"},
	"ImagingStudy":             {"subject"},
	"Immunization":             {"patient"},
	"MedicationAdministration": {"subject", "performer.actor"},
	"MedicationRequest":        {"subject"},
	"Observation":              {"subject", "performer"},
	"Patient":                  {"link.other"},
	"Procedure":                {"subject", "performer.actor"},
	"Provenance":               {"target"},
	"QuestionnaireResponse":    {"subject", "author"},
	"RelatedPerson":            {"patient"},
	"ResearchSubject":          {"individual"},
	"ServiceRequest":           {"subject", "performer"},
	"SupplyDelivery":           {"patient"},
	"SupplyRequest":            {"deliverTo"},
}

// belongs reports whether a resource is the patient or in its compartment.
func belongs(r *record, patient string) bool {
	if r.key == patient {
		return true
	}
	for _, path := range belonging[r.typ] {
		for _, v := range r.body.at(path + ".reference") {
			if v.text == patient {
				return true
			}
		}
	}
	return false
}

// references adds the resources of a dataset to which a document refers, in whatever element, to a set,
// and what those refer to that cannot be in the compartment of a patient.
func (d *dataset) references(n *node, set map[string]bool) {
	for _, child := range n.content {
		d.references(child, set)
	}
	ref := n.get("reference")
	if ref == nil || d.byKey[ref.text] == nil || set[ref.text] {
		return
	}
	set[ref.text] = true
	if to := d.byKey[ref.text]; to.typ != "Patient" && belonging[to.typ] == nil {
		d.references(to.body, set)
	}
}

// everything compares $everything of patients with the dataset, type by type.
func (s *loaded) everything(t *testing.T, data *dataset, patients []*record) {
	t.Helper()
	for _, patient := range patients {
		want := map[string]int{}
		members := map[string]bool{}
		for _, r := range data.records {
			if belongs(r, patient.key) {
				members[r.key] = true
				data.references(r.body, members)
			}
		}
		for key := range members {
			want[data.byKey[key].typ]++
		}
		l := s.list(t, "/baseR4/@"+patient.key+"/$everything?_count=150")
		got := map[string]int{}
		for _, key := range s.allOrigins(l.matches) {
			typ, _, _ := strings.Cut(key, "/")
			got[typ]++
			if !members[key] {
				t.Errorf("%s: $everything has %s, which does not belong, or has it twice", patient.key, key)
			}
			delete(members, key)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: $everything (-want +got):\n%s", patient.key, diff)
		}
		total := 0
		for _, n := range want {
			total += n
		}
		if pages := (total + 149) / 150; l.pages != pages || l.total != fmt.Sprint(total) {
			t.Errorf("%s: $everything has %d pages, total %s; want %d, %d", patient.key, l.pages, l.total, pages, total)
		}
	}
}

// TestSynthea loads hospitals, practitioners and patients over HTTP as the bundles they
// are, and asks for them.
func TestSynthea(t *testing.T) {
	data := readSynthea(t)
	for _, place := range keptPlaces {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			s := newLoaded(backendtest.Handler(t, append(place.args(t), "--no-samples", "--timeout", "5m")...))
			for _, f := range data.bundles {
				s.send(t, f)
			}
			s.complete(t, data)
			s.everything(t, data, data.of("Patient"))
			s.searches(t, data)
		})
	}
}

// TestSyntheaImported imports the folder of the files, and what was exported from one store
// into another.
func TestSyntheaImported(t *testing.T) {
	data := readSynthea(t)
	for _, place := range keptPlaces[1:] {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			args := place.args(t)
			succeeds(t, append([]string{"import", data.folder}, args...)...)
			s := imported(t, data, args)
			s.complete(t, data)
			s.everything(t, data, data.of("Patient"))
			s.searches(t, data)

			out := t.TempDir()
			succeeds(t, append([]string{"export", "--to", out}, args...)...)
			for _, empty := range keptPlaces[1:] {
				if empty.name == place.name {
					continue
				}
				other := empty.args(t)
				succeeds(t, append([]string{"import", out}, other...)...)
				again := t.TempDir()
				succeeds(t, append([]string{"export", "--to", again}, other...)...)
				sameExport(t, out, again)
			}
		})
	}
}

// imported serves a store after an import. Resources have the ids in the files, except those of
// conditional creates, which are found by their identifiers.
func imported(t *testing.T, data *dataset, args []string) *loaded {
	t.Helper()
	s := newLoaded(backendtest.Handler(t, append(args, "--no-samples", "--timeout", "5m")...))
	conditional := []string{"Organization", "Location", "Practitioner"}
	for _, r := range data.records {
		if !slices.Contains(conditional, r.typ) {
			s.named(r.key, r.key)
		}
	}
	identifier := func(n *node) string { return n.first("identifier.system") + "|" + n.first("identifier.value") }
	for _, typ := range conditional {
		of := map[string]string{}
		for _, r := range data.of(typ) {
			of[identifier(r.body)] = r.key
		}
		for _, match := range s.list(t, "/"+typ+"?_count=1000").matches {
			s.named(of[identifier(parsed(t, match.text))], typ+"/"+match.ID)
		}
	}
	return s
}

// succeeds runs roget, which must succeed.
func succeeds(t *testing.T, args ...string) {
	t.Helper()
	cmd := backendtest.Tested(t, args...)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("roget %v: %v\n%s", args, err, short(string(out)))
	}
}

// sameExport compares two exports: the same resources, except for versions and times.
func sameExport(t *testing.T, one, other string) {
	t.Helper()
	a, b := exported(t, one), exported(t, other)
	if len(a) != len(b) {
		t.Errorf("%d and %d resources were exported", len(a), len(b))
	}
	for key, body := range a {
		if b[key] != body {
			t.Errorf("%s was exported as\n%s\nand then as\n%s", key, body, b[key])
			return
		}
	}
}

func exported(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range files {
		for line := range strings.Lines(string(sharedtest.Unzipped(t, file))) {
			resource := parsed(t, []byte(line))
			key := resource.first("resourceType") + "/" + resource.first("id")
			if all[key] != "" {
				t.Errorf("%s was exported twice", key)
			}
			all[key] = resource.apart().String()
		}
	}
	return all
}
