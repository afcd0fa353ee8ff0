package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// A world contains the examples of R4 and a Synthea patient. Every seventh resource was written
// twice, and every eleventh deleted.
type world struct {
	*searchtest.Reader
	at     time.Time
	n      int
	bodies [][]byte
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		w.add(t, line)
	}
	files, err := filepath.Glob(sharedtest.Path(t, "data/synthea") + "/[1-9a-f]*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var bundle struct {
		Entry []struct {
			FullURL  string
			Resource json.RawMessage
		}
	}
	if err := json.Unmarshal(sharedtest.Unzipped(t, files[0]), &bundle); err != nil {
		t.Fatal(err)
	}
	var urns []string
	for _, e := range bundle.Entry {
		typ, id := head(t, e.Resource)
		urns = append(urns, `"`+e.FullURL+`"`, `"`+typ+"/"+id+`"`)
	}
	resolve := strings.NewReplacer(urns...)
	for _, e := range bundle.Entry {
		w.add(t, []byte(resolve.Replace(string(e.Resource))))
	}
	return w
}

func head(t testing.TB, body []byte) (typ, id string) {
	t.Helper()
	var head struct{ ResourceType, ID string }
	if err := json.Unmarshal(body, &head); err != nil {
		t.Fatal(err)
	}
	return head.ResourceType, head.ID
}

func (w *world) add(t testing.TB, body []byte) {
	t.Helper()
	typ, id := head(t, body)
	if id == "" || typ == "Parameters" {
		return
	}
	w.at = w.at.Add(time.Duration(w.n%3) * time.Second)
	w.bodies = append(w.bodies, body)
	if _, err := w.Add(body, w.at); err != nil {
		t.Fatalf("%s/%s: %v", typ, id, err)
	}
	if w.n++; w.n%7 == 0 {
		if _, err := w.Add(bytes.Replace(body, []byte(`"final"`), []byte(`"amended"`), 1), w.at); err != nil {
			t.Fatal(err)
		}
	}
	if w.n%11 == 0 {
		w.Delete(index.Key{Type: typ, ID: id}, w.at)
	}
}

// searches cover all code paths: criteria of each kind, chains, _has, sorts.
var searches = []string{
	"Observation", "Patient?_id=example", "Patient?_id=example,f001,none", "Observation?_id:not=example",
	"Observation?status=final", "Observation?status:not=final", "Observation?code=http://loinc.org|8302-2",
	"Observation?code=8302-2", "Observation?code=http://loinc.org|", "Observation?code=http://loinc.org|8302-2,http://loinc.org|29463-7,8867-4",
	"Observation?code=http://loinc.org|8302-2&status=final", "Observation?category=vital-signs&status=final&date=ge2010",
	"Observation?date=gt2000&date=lt2016", "Observation?date=eq2012", "Observation?date=ne2012", "Observation?date=ap2015-06",
	"Observation?value-quantity=gt100", "Observation?value-quantity=le72.5||kg", "Observation?value-quantity=gt1.5|http://unitsofmeasure.org|m",
	"Observation?code-value-quantity=http://loinc.org|8302-2$gt150", "Observation?component-code-value-quantity=8480-6$gt110",
	"Observation?subject=Patient/example", "Observation?patient=example", "Observation?subject:Patient=f001",
	"Observation?subject.name=peter", "Observation?subject:Patient.gender=male", "Observation?subject:Patient.birthdate=ge1960&status=final",
	"Observation?encounter.status=finished", "Observation?code:missing=false", "Observation?value-concept:missing=true", "Observation?code:text=body",
	"Patient?_has:Observation:patient:code=8302-2", "Patient?_has:Observation:subject:status=final&gender=male",
	"Patient?name=pe", "Patient?name:contains=et", "Patient?family:exact=Chalmers", "Patient?gender=male,female&active=true", "Patient?gender=|male",
	"Patient?general-practitioner:missing=true", "Patient?organization.name=gastro",
	"Patient?_lastUpdated=ge2023-11-14T22:20:00Z", "Observation?_lastUpdated=lt2023-11-14T22:40:00Z&status=final",
	"QuestionnaireResponse?questionnaire.title=lifelines", "ValueSet?url=http://hl7.org/fhir/ValueSet/example-extensional", "ValueSet?url:below=http://hl7.org/fhir/", "ValueSet?url:above=http://hl7.org/fhir/ValueSet/example-extensional/_history/5",
	"Observation?_sort=date", "Observation?_sort=-date", "Observation?status=final&_sort=-date,code", "Observation?_sort=status,-date",
	"Observation?_sort=value-quantity", "Patient?_sort=family,given", "Patient?_sort=-birthdate,_id", "Observation?_sort=_lastUpdated", "Observation?_sort=-_lastUpdated,code",
	"Observation?code=http://loinc.org|8302-2&_sort=-date", "Patient?_sort=gender,-_lastUpdated", "Observation?_sort=subject,-date&status=final",
	"?_id=example", "?_lastUpdated=ge2023-11-14T22:30:00Z&_type=Patient,Observation,Encounter", "?_type=Patient,Practitioner&_sort=-_lastUpdated", "?_type=Patient,Practitioner&name=a&_sort=family",
	"Procedure?date=gt2000&_sort=date", "Condition?onset-date=lt2015&clinical-status=active&_sort=-onset-date", "Encounter?date=sa2010&_sort=date&class=AMB", "Patient?_text=e", "Observation?_content=body,weight&_sort=code",
	"Observation?_filter=status eq final and code eq 8302-2", "Observation?_filter=code eq 8302-2 or patient eq example", "Observation?_filter=not(status eq final) and code eq 8302-2",
	"Patient?_id=example,f001&_revinclude=Observation:subject", "Observation?status=final&_include=Observation:subject&_include:iterate=Patient:organization&_sort=-date",
}

// base is the address of the server.
const base = "http://me"

func query(t testing.TB, s *search.Searcher, text string, more ...search.Param) *search.Query {
	t.Helper()
	typ, rest, _ := strings.Cut(text, "?")
	var params []search.Param
	for part := range strings.SplitSeq(rest, "&") {
		if name, value, ok := strings.Cut(part, "="); ok {
			params = append(params, search.Param{Name: name, Value: value})
		}
	}
	q, err := s.Parse(typ, append(params, more...), search.Options{Strict: true, Bases: []string{base}})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

func param(name string, value any) search.Param {
	return search.Param{Name: name, Value: fmt.Sprint(value)}
}

func names(records []index.Record) []string {
	out := make([]string, len(records))
	for i := range records {
		out[i] = fmt.Sprintf("%s/%s/%d", records[i].Type, records[i].ID, records[i].VersionID)
	}
	return out
}

// TestSearch compares every page, forward and back, with a full scan.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	for _, tight := range []int{0, 1, 4, 20} {
		s := search.New(definitions.R4())
		if tight > 0 {
			s.Tighten(tight)
		}
		empty := 0
		for _, text := range searches {
			if !checkPages(t, w, s, text, 7) {
				empty++
			}
		}
		if empty > len(searches)/10 {
			t.Errorf("%d of %d searches find nothing", empty, len(searches))
		}
	}
}

// checkPages goes through all pages of a search. It returns false if it finds nothing.
func checkPages(t *testing.T, r index.Reader, s *search.Searcher, text string, count int) bool {
	t.Helper()
	ctx := t.Context()
	q := query(t, s, text, param("_count", count), param("_total", "accurate"))
	want, err := search.FullScan(ctx, q, search.NewEnv(definitions.R4(), nil, r, r.At()))
	if err != nil {
		t.Fatalf("%s: full scan: %v", text, err)
	}
	all := names(want)
	page := func(cursor string) *search.Page {
		q := *q
		q.Cursor = cursor
		p, err := s.Search(ctx, r, &q)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if p.Total == nil || *p.Total != len(all) {
			t.Errorf("%s: total is not %d", text, len(all))
		}
		for i := range p.Matches {
			if len(p.Matches[i].Body) == 0 {
				t.Fatalf("%s: %s has no body", text, p.Matches[i].ID)
			}
		}
		return p
	}
	var forward, back []string
	p := page("")
	first := p
	for {
		forward = append(forward, names(p.Matches)...)
		if p.Next == "" || len(forward) > len(all) {
			break
		}
		p = page(p.Next)
	}
	if !slices.Equal(forward, all) {
		t.Errorf("%s: pages have\n%q\nwant\n%q", text, forward, all)
	}
	for p = page(first.Last); ; p = page(p.Previous) {
		back = append(names(p.Matches), back...)
		if p.Previous == "" || len(back) > len(all) {
			break
		}
	}
	if !slices.Equal(back, all) {
		t.Errorf("%s: pages going back have\n%q\nwant\n%q", text, back, all)
	}
	if q.Count = 0; true {
		if p := page(""); len(p.Matches) > 0 || p.Next != "" {
			t.Errorf("%s: counting gave a page", text)
		}
	}
	return len(all) > 0
}

// rowsNow is the time of the searches of searchtest.Rows.
var rowsNow = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// rows returns the documents and the terminology of searchtest.Rows.
func rows(t *testing.T) (*searchtest.Reader, *engine.Engine) {
	r, known := searchtest.NewReader(definitions.R4()), engine.New()
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, body := range searchtest.Resources() {
		if _, err := r.Add(body, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if err := searchtest.Publish(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	return r, known
}

var errBroken = errors.New("broken")

// broken is a reader that fails once, after a number of calls.
type broken struct {
	index.Reader
	left int
}

func broke[T any](r *broken, do func() (T, error)) (none T, err error) {
	if r.left--; r.left == -1 {
		return none, errBroken
	}
	return do()
}

func (r *broken) Scan(ctx context.Context, of index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	_, err := broke(r, func() (int, error) { return 0, r.Reader.Scan(ctx, of, fn) })
	return err
}

func (r *broken) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	return broke(r, func() ([]index.Record, error) { return r.Reader.Load(ctx, seqs, parts) })
}

func (r *broken) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	return broke(r, func() ([]index.Record, error) { return r.Reader.Find(ctx, keys, parts) })
}

func (r *broken) Versions(ctx context.Context, of index.VersionsRequest) ([]index.Record, error) {
	return broke(r, func() ([]index.Record, error) { return r.Reader.Versions(ctx, of) })
}

// TestBrokenReads: whichever read fails, a search returns that error, and the next one is not spoilt.
func TestBrokenReads(t *testing.T) {
	r, known := rows(t)
	for _, tight := range []int{0, 1, 2, 3} {
		law := func(name string, ask func(*search.Searcher, index.Reader) (string, error)) {
			want := ""
			for left := math.MaxInt; ; left += 1 + left/20 {
				s, b := search.New(definitions.R4(), search.WithTerminology(known)), &broken{r, left}
				if tight > 0 {
					s.Tighten(tight)
				}
				got, err := ask(s, b)
				switch {
				case want == "":
					want, left = got, -1
					continue
				case b.left >= 0:
					return
				case !errors.Is(err, errBroken):
					t.Errorf("%s, tight %d, read %d: %v", name, tight, left, err)
				}
				if got, err := ask(s, r); err != nil || got != want {
					t.Errorf("%s, tight %d, after read %d: %s, %v, want %s", name, tight, left, got, err, want)
				}
			}
		}
		for i, row := range searchtest.Rows() {
			if i%8 != tight {
				continue
			}
			law(row.Text, func(s *search.Searcher, r index.Reader) (string, error) {
				q, err := s.Parse(row.Type, row.Params, search.Options{Strict: true, Compartment: row.Compartment, Now: rowsNow})
				if err != nil {
					return "", err
				}
				page, err := s.Search(t.Context(), r, q)
				if err != nil {
					return "", err
				}
				return fmt.Sprint(names(page.Matches), names(page.Included), *page.Total), nil
			})
		}
		law("codes", func(s *search.Searcher, r index.Reader) (string, error) {
			list, err := s.Uses(t.Context(), r, "http://loinc.org", func(code string) bool { return code != "" }, 3)
			return fmt.Sprint(list), err
		})
		law("ids", func(s *search.Searcher, r index.Reader) (string, error) {
			list, err := s.Keys(t.Context(), r, "Observation", []search.Param{param("_id", "none")}, 2)
			return fmt.Sprint(names(list)), err
		})
		law("keys", func(s *search.Searcher, r index.Reader) (string, error) {
			list, err := s.Keys(t.Context(), r, "Observation", []search.Param{param("status", "final")}, 2)
			return fmt.Sprint(names(list)), err
		})
	}
}

// TestBrokenNews: whichever read of what is new fails, a searcher that has answered before returns that error, and
// then answers as a new one does.
func TestBrokenNews(t *testing.T) {
	r, known := rows(t)
	at := time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)
	all := append(searchtest.Rows(), searchtest.Row{Text: "Procedure?code:", Type: "Procedure", Params: params("_summary=count")})
	for n, left := 0, 0; n < 2*len(all); left += 1 + left/4 { // what is new makes reads more
		row := all[n/2]
		if !strings.HasPrefix(row.Text, "Procedure?code:") {
			n, left = n+1, -1
			continue
		}
		fresh := func() *search.Searcher {
			s := search.New(definitions.R4(), search.WithTerminology(known), search.WithLimits(search.Limits{Columns: int64(n%2*1_000_000 - 1)}))
			s.Tighten(1 + n%3)
			return s
		}
		ask := func(s *search.Searcher, r index.Reader) (string, error) {
			q, err := s.Parse(row.Type, row.Params, search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			page, err := s.Search(t.Context(), r, q)
			if err != nil {
				return "", err
			}
			return fmt.Sprint(names(page.Matches), *page.Total), nil
		}
		s := fresh()
		if err := s.Know(t.Context(), r, definitions.R4().SearchParam("Procedure", "code")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := ask(s, r); err != nil {
				t.Fatalf("%s: %v", row.Text, err)
			}
		}
		at = at.Add(time.Second)
		_, err := r.Add(fmt.Appendf(nil, `{"resourceType":"Procedure","id":"news","code":{"coding":[{"code":"%d"},{"system":"http://example.org/CodeSystem/diseases","code":"%d"}]}}`,
			at.Unix(), 100_000_001+at.Unix()%5), at)
		if err != nil {
			t.Fatal(err)
		}
		b := &broken{r, left}
		if _, err := ask(s, b); b.left >= 0 {
			n, left = n+1, -1
		} else if !errors.Is(err, errBroken) {
			t.Errorf("%s, read %d: %v", row.Text, left, err)
		}
		got, err := ask(s, r)
		if want, _ := ask(fresh(), r); err != nil || got != want {
			t.Errorf("%s, after read %d: %s, %v, want %s", row.Text, left, got, err, want)
		}
	}
}

// TestSearchRows runs the table of searches, including _include, on the searcher.
func TestSearchRows(t *testing.T) {
	r, known := rows(t)
	for _, tight := range []int{0, 1} {
		s := search.New(definitions.R4(), search.WithTerminology(known))
		if tight > 0 {
			s.Tighten(tight)
		}
		for _, row := range searchtest.Rows() {
			q, err := s.Parse(row.Type, row.Params, search.Options{Strict: true, Compartment: row.Compartment, Now: rowsNow})
			if err != nil {
				t.Errorf("%s: %v", row.Text, err)
				continue
			}
			page, err := s.Search(t.Context(), r, q)
			if err != nil {
				t.Errorf("%s: %v", row.Text, err)
				continue
			}
			var got, included []string
			for _, rec := range page.Matches {
				got = append(got, rec.ID)
			}
			if !row.Ordered {
				slices.Sort(got)
			}
			for _, rec := range page.Included {
				included = append(included, rec.Type+"/"+rec.ID)
			}
			slices.Sort(included)
			slices.Sort(row.Included)
			if !slices.Equal(got, row.Want) || !slices.Equal(included, row.Included) {
				t.Errorf("%s\ngot %v + %v", row.Text, got, included)
			}
			if page.Total == nil || *page.Total != len(row.Want) && q.Count > 0 && len(row.Want) < q.Count {
				t.Errorf("%s: total %v", row.Text, page.Total)
			}
		}
	}
}
