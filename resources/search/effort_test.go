package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// A meter adds up what reads cost: moving to a place of the index, each entry, and each record.
type meter struct {
	*searchtest.Reader
	cost, counts int
}

func (m *meter) Count(ctx context.Context, typ string) (int, error) {
	m.counts++
	return m.Reader.Count(ctx, typ)
}

func (m *meter) Scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	m.cost += 16
	return m.Reader.Scan(ctx, rng, func(entry []byte, seq index.Seq) bool { m.cost++; return fn(entry, seq) })
}

func (m *meter) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if m.cost += 3 * len(seqs); parts&index.WithValues != 0 {
		m.cost += 9 * len(seqs)
	}
	return m.Reader.Load(ctx, seqs, parts)
}

func (m *meter) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	m.cost += 12 * len(keys)
	return m.Reader.Find(ctx, keys, parts)
}

func (m *meter) Versions(ctx context.Context, of index.VersionsRequest) ([]index.Record, error) {
	records, err := m.Reader.Versions(ctx, of)
	m.cost += 12 * len(records)
	return records, err
}

// efforts has for each of searches what TestEffort reads.
var efforts = []int{3115, 227, 706, 24571, 23725, 27046, 5577, 5370, 24421, 17839, 6095, 22940, 24318, 16741, 23950, 18343, 17529, 42486, 5390, 5416, 19896, 7665, 7665, 4324, 9782, 26116, 26951, 26250, 24584, 24345, 26738, 35158, 36846, 812, 1481, 333, 4900, 4066, 3953, 2737, 3964, 23725, 256, 128, 160, 1024, 7606, 7086, 25524, 32622, 15653, 2214, 2663, 3736, 3736, 16120, 4219, 44536, 37940, 20314, 2503, 2239, 5292, 4719, 9483, 4670, 57394, 35144, 19129, 5536, 5942, 24824}

// TestEffort compares what searches read, and their totals, with efforts: a page, the next one and a count without
// columns in stores that seem large, larger and huge, and a page twice with columns.
func TestEffort(t *testing.T) {
	w := newWorld(t)
	for i, text := range searches {
		var costs []int
		run := func(s *search.Searcher, cursor string, count int) *search.Page {
			m := &meter{Reader: w.Reader}
			q := query(t, s, text, param("_count", count))
			q.Cursor = cursor
			page, err := s.Search(t.Context(), m, q)
			if err != nil {
				t.Fatal(err)
			}
			costs = append(costs, m.cost, *page.Total)
			return page
		}
		for _, tight := range []int{20, 4, 1} {
			s := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1, Total: 30 * tight}))
			s.Tighten(tight)
			run(s, run(s, "", 5).Next, 5)
			run(s, "", 0)
		}
		s := search.New(definitions.R4())
		s.Tighten(2)
		run(s, "", 5)
		run(s, "", 5)
		sum := 0
		for _, cost := range costs {
			sum += cost
		}
		if sum != efforts[i] {
			t.Errorf("%s: %d, not %d, with %d", text, sum, efforts[i], costs)
		}
	}
}

// TestCompartmentOfMany: a member by its id is found besides many by a reference.
func TestCompartmentOfMany(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	w.add(t, []byte(`{"resourceType":"Patient","id":"p"}`))
	for n := range 40 {
		w.add(t, fmt.Appendf(nil, `{"resourceType":"Patient","id":"l%d","link":[{"other":{"reference":"Patient/p"},"type":"seealso"}]}`, n))
	}
	for _, tight := range []int{0, 1, 2} {
		s := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1}))
		if tight > 0 {
			s.Tighten(tight)
		}
		q, err := s.Parse("Patient", params("_sort=_lastUpdated&_total=accurate"), search.Options{Compartment: &search.Compartment{Type: "Patient", ID: "p"}})
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Search(t.Context(), w, q)
		want, _ := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, w, w.At()))
		if err != nil || !slices.Equal(names(page.Matches), names(want)) {
			t.Errorf("tight %d: %q, want %q", tight, names(page.Matches), names(want))
		}
	}
}

// TestUses counts codes in a few resources by hand.
func TestUses(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	put := func(typ, id, more string) {
		w.at = w.at.Add(time.Second)
		if _, err := w.Add(fmt.Appendf(nil, `{"resourceType":%q,"id":%q%s}`, typ, id, more), w.at); err != nil {
			t.Fatal(err)
		}
	}
	coding := func(system, code string) string {
		return fmt.Sprintf(`{"coding":[{"system":%q,"code":%q}]}`, system, code)
	}
	put("Observation", "1", `,"code":{"coding":[{"system":"s","code":"a"},{"system":"s","code":"b"},{"system":"other","code":"x"}]},"valueCodeableConcept":`+coding("s", "a"))
	put("Observation", "2", `,"code":`+coding("s", "a"))
	put("Observation", "2", `,"code":`+coding("s", "b"))
	put("Observation", "3", `,"code":`+coding("other", "a")+`,"identifier":[{"system":"s","value":"a"}]`)
	put("Observation", "4", `,"code":`+coding("s", "a"))
	put("Observation", "5", `,"code":`+coding("s", "not asked"))
	put("Patient", "1", `,"telecom":[{"system":"phone","value":"a"}],"identifier":[{"system":"s","value":"only here"}]`)
	put("Procedure", "1", `,"code":`+coding("s", "a"))
	w.Delete(index.Key{Type: "Observation", ID: "4"}, w.at)
	s := search.New(definitions.R4())
	for _, row := range []struct {
		system, want string
		first        int
	}{
		{"s", "[{a 2 map[Observation:1 Procedure:1] [Observation/1 Procedure/1]} {b 2 map[Observation:2] [Observation/1 Observation/2]}]", 2},
		{"s", "[{a 2 map[Observation:1 Procedure:1] [Observation/1]} {b 2 map[Observation:2] [Observation/1]}]", 1},
		{"none", "[]", 3},
	} {
		list, err := s.Uses(t.Context(), w, row.system, func(code string) bool { return code != "not asked" }, row.first)
		if got := fmt.Sprint(list); err != nil || got != row.want {
			t.Errorf("%s: %s, %v, want %s", row.system, got, err, row.want)
		}
	}
}

// TestIncluded compares what is included, by reference and by canonical, with resources told by hand.
func TestIncluded(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	for _, body := range []string{
		`{"resourceType":"ValueSet","id":"v1","url":"http://v","version":"1"}`, `{"resourceType":"ValueSet","id":"v2","url":"http://v","version":"2"}`,
		`{"resourceType":"Library","id":"l1","relatedArtifact":[{"type":"depends-on","resource":"http://v"}]}`,
		`{"resourceType":"Library","id":"l2","url":"http://l","relatedArtifact":[{"type":"depends-on","resource":"http://v|2"},{"type":"depends-on","resource":"http://l"}]}`,
		`{"resourceType":"Library","id":"l3","relatedArtifact":[{"type":"depends-on","resource":"http://l"},{"type":"depends-on","resource":"http://none"}]}`,
		`{"resourceType":"Group","id":"g","member":[{"entity":{"reference":"Patient/p1"}},{"entity":{"reference":"Patient/p2"}},{"entity":{"reference":"Patient/p1"}},{"entity":{"reference":"Patient/none"}}]}`,
		`{"resourceType":"Patient","id":"p1","link":[{"other":{"reference":"Patient/p3"}}],"generalPractitioner":[{"reference":"Practitioner/d"}]}`,
		`{"resourceType":"Patient","id":"p2","link":[{"other":{"reference":"RelatedPerson/r"}}]}`, `{"resourceType":"Patient","id":"p3","link":[{"other":{"reference":"Patient/p1"}}]}`,
		`{"resourceType":"RelatedPerson","id":"r","patient":{"reference":"Patient/p3"}}`, `{"resourceType":"Practitioner","id":"d"}`,
	} {
		if _, err := w.Add([]byte(body), w.at); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ search, want string }{
		{"Library?_id=l1&_include=Library:depends-on", "ValueSet/v1 ValueSet/v2"},
		{"Library?_id=l2&_include=Library:depends-on", "ValueSet/v2"},
		{"Library?_id=l3&_include:iterate=Library:depends-on", "Library/l2 ValueSet/v2"},
		{"ValueSet?_id=v1&_revinclude=Library:depends-on", "Library/l1"},
		{"ValueSet?_id=v2&_revinclude:iterate=Library:depends-on", "Library/l1 Library/l2 Library/l3"},
		{"Group?_include=Group:member", "Patient/p1 Patient/p2"},
		{"Group?_include=Group:member&_include:iterate=Patient:*", "Patient/p1 Patient/p2 Patient/p3 Practitioner/d RelatedPerson/r"},
		{"Patient?_id=p3&_revinclude=Patient:link&_revinclude=RelatedPerson:patient", "Patient/p1 RelatedPerson/r"},
		{"Patient?_id=p3&_revinclude=RelatedPerson:*&_revinclude:iterate=Patient:link:RelatedPerson", "Patient/p2 RelatedPerson/r"},
	} {
		for _, limit := range []int{100, 2} {
			for _, tight := range []int{0, 1} {
				s := search.New(definitions.R4(), search.WithLimits(search.Limits{Included: limit}))
				if tight > 0 {
					s.Tighten(tight)
				}
				page, err := s.Search(t.Context(), w, query(t, s, row.search))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, rec := range page.Included {
					got = append(got, rec.Type+"/"+rec.ID)
				}
				slices.Sort(got)
				want := strings.Fields(row.want)
				if len(want) <= limit && (!slices.Equal(got, want) || len(page.Issues) > 0) || len(want) > limit && (len(got) != limit || len(page.Issues) != 1) {
					t.Errorf("%s, at most %d: %q, %v, want %q", row.search, limit, got, page.Issues, want)
				}
			}
		}
	}
}

// TestNews compares the total of a type with a count while resources come and go. It is counted anew only if many
// versions are new, and otherwise the version before each of them is read.
func TestNews(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	s, d := search.New(definitions.R4()), draw{rand.New(rand.NewPCG(1, 5))}
	m := &meter{Reader: w.Reader}
	former := 0
	for round, news := range []int{1, 0, 7, 20, 20, 200, 201, 3} {
		versions, at := 12*news, w.At()
		for range news {
			id := d.IntN(30)
			w.at = w.at.Add(time.Second)
			before, _ := w.Versions(t.Context(), index.VersionsRequest{Type: "Patient", ID: fmt.Sprint("r", id), Limit: 1})
			if len(before) > 0 {
				versions += 12
			}
			if d.IntN(3) == 0 && len(before) > 0 {
				w.Delete(index.Key{Type: "Patient", ID: fmt.Sprint("r", id)}, w.at)
			} else if _, err := w.Add([]byte(d.patient(id)), w.at); err != nil {
				t.Fatal(err)
			}
		}
		m.cost, m.counts = 0, 0
		page, err := s.Search(t.Context(), m, query(t, s, "Patient?_summary=count"))
		want, _ := w.Count(t.Context(), "Patient")
		counts := 0
		if round == 0 || news > 200 {
			counts, versions = 1, 12*news*min(round, 1)
		}
		if err != nil || *page.Total != want || m.counts != counts || m.cost-versions != 17 {
			t.Errorf("%d new: total %d, want %d; %d counts, a cost of %d, %v", news, *page.Total, want, m.counts, m.cost-versions, err)
		}
		q := query(t, s, "Patient?_summary=count")
		if q.At = at; round > 0 {
			if page, err := s.Search(t.Context(), m, q); err != nil || *page.Total != former {
				t.Errorf("before %d new: %v, want %d", news, page, former)
			}
		}
		former = want
	}
}

// TestFilter finds patients by filters.
func TestFilter(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	for _, body := range []string{
		`{"resourceType":"Organization","id":"o","name":"Ann"}`, `{"resourceType":"Organization","id":"q","name":"Anna"}`,
		`{"resourceType":"Patient","id":"1","gender":"male","name":[{"family":"Ann"}],"birthDate":"2000","managingOrganization":{"reference":"Organization/o"}}`,
		`{"resourceType":"Patient","id":"2","gender":"female","name":[{"family":"Anna"}],"managingOrganization":{"reference":"Organization/q"}}`,
		`{"resourceType":"Patient","id":"3","name":[{"family":"Joann"}],"birthDate":"2001-02"}`, `{"resourceType":"Patient","id":"4","name":[{"family":"a \"b\" \\,|c"}]}`,
	} {
		if _, err := w.Add([]byte(body), w.at); err != nil {
			t.Fatal(err)
		}
	}
	s := search.New(definitions.R4())
	for filter, want := range map[string]string{
		"name eq ann": "[1]", "name sw ann": "[1 2]", "name ew ann": "[1 3]", "name ne ann": "[2 3 4]", "name eq \"a \\\"b\\\" \\\\,|c\"": "[4]",
		"organization.name eq ann": "[1]", "organization.name co n": "[1 2]", "organization.name ne ann": "[2]",
		"birthdate pr true": "[1 3]", "birthdate gt 2000": "[3]", "gender ne male": "[2]",
		"(gender eq male or gender eq female) and not(birthdate pr true)": "[2]",
		"not(gender eq male or name co \"anna\")":                         "[3 4]", "organization re Organization/o": "[1]", "\tname  eq ann ": "[1]",
	} {
		page, err := s.Search(t.Context(), w, query(t, s, "Patient?_sort=_id&_filter="+filter))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range page.Matches {
			got = append(got, rec.ID)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %s, want %s", filter, got, want)
		}
	}
}
