package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/synth"
)

var postgresServer pgtest.Server

func TestMain(m *testing.M) { os.Exit(postgresServer.Main(m)) }

// A shelf is a store with what is needed to write to it.
type shelf struct {
	testing.TB
	resources.Store
	extractor *index.Extractor
	known     index.Vocabulary
}

// eachStore runs fn with every store, each empty.
func eachStore[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, fn func(t T, s *shelf)) {
	for name, open := range map[string]func(t T) (resources.Store, error){
		"memory":   func(T) (resources.Store, error) { return memory.New(), nil },
		"sqlite":   func(t T) (resources.Store, error) { return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s")) },
		"postgres": func(t T) (resources.Store, error) { return postgres.Open(t.Context(), postgresServer.Schema(t)) },
	} {
		t.Run(name, func(t T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			fn(t, &shelf{TB: t, Store: store, extractor: index.NewExtractor(definitions.R4())})
		})
	}
}

// put stores documents in one transaction.
func (s *shelf) put(bodies ...string) {
	s.Helper()
	err := s.Store.(resources.Transactor).Transact(s.Context(), func(tx resources.Tx) error {
		for _, body := range bodies {
			d, err := document.Parse([]byte(body), r4.Limits{})
			if err != nil {
				return err
			}
			values, err := s.extractor.Extract(d)
			if err != nil {
				return err
			}
			if _, err = tx.Write(s.Context(), resources.Write{
				Key:    resources.Key{Type: d.ResourceType(), ID: d.Root().Get("id").Text()},
				Render: func(int64, time.Time) ([]byte, error) { return []byte(body), nil },
				Values: values.Append(nil), Entries: values.Entries(&s.known), Terms: values.Terms(&s.known),
			}); err != nil {
				return err
			}
			s.known.Add(values.Terms(&s.known))
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) view(fn func(index.Reader) error) {
	s.Helper()
	if err := s.Store.(resources.Indexed).View(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

// draw makes documents and searches with few different values, so that many are equal.
type draw struct{ *rand.Rand }

func (d draw) of(list ...string) string { return list[d.IntN(len(list))] }

// change writes or deletes a few resources at random.
func (d draw) change(s *shelf, n int) {
	bodies := make([]string, 0, n)
	for range n {
		switch id := d.IntN(60); d.IntN(9) {
		case 0:
			bodies = append(bodies, fmt.Sprintf(`{"resourceType":"Organization","id":"r%d","name":%q%s}`, id%5, d.of("North", "East"), d.of("", `,"partOf":`+d.reference("Organization", 5))))
		case 1, 2:
			bodies = append(bodies, d.patient(id))
		default:
			bodies = append(bodies, d.observation(id))
		}
	}
	s.put(bodies...)
	if d.IntN(3) == 0 { // what is not there is not deleted
		_, _ = s.Write(s.Context(), resources.Write{Key: resources.Key{Type: d.of("Observation", "Patient", "Organization"), ID: fmt.Sprint("r", d.IntN(60))}})
	}
}

// reference returns a reference in one of its forms, also to what is not there and to other servers.
func (d draw) reference(typ string, n int) string {
	return fmt.Sprintf(`{"reference":"%s%s/r%d%s"}`, d.of("", "", "", base+"/", "http://other/"), typ, d.IntN(n), d.of("", "", "/_history/1"))
}

func (d draw) date() string {
	return fmt.Sprintf("20%02d", 18+d.IntN(3)) + d.of("", "-0"+d.of("1", "2", "3"), "-01-1"+d.of("0", "1", "2"), "-02-03T10:0"+d.of("0", "1")+":00Z")
}

func (d draw) observation(id int) string {
	b := fmt.Sprintf(`{"resourceType":"Observation","id":"r%d","status":%q,"code":{"text":%q,"coding":[`, id, d.of("final", "amended", "preliminary"), d.of("pulse", "Weight"))
	b += fmt.Sprintf(`{"system":"http://%s","code":"c%d"},{"code":"c%d"}]}`, d.of("s", "t"), d.IntN(6), d.IntN(9))
	b += d.of("", `,"subject":`+d.reference(d.of("Patient", "Patient", "Patient", "Group"), 60), `,"subject":`+d.reference("Patient", 60))
	b += d.of("", "", `,"performer":[`+d.reference("Organization", 5)+","+d.reference("Patient", 60)+"]")
	b += d.of("", `,"hasMember":[`+d.reference("Observation", 60)+","+d.reference("Observation", 60)+"]", `,"hasMember":[`+d.reference("Observation", 60)+"]")
	b += d.of("", fmt.Sprintf(`,"effectiveDateTime":%q`, d.date()), fmt.Sprintf(`,"effectivePeriod":{"start":%q}`, d.date()))
	b += d.of("", `,"valueString":"`+d.of("Ärger", "arm", "Bein links", "bein")+`"`,
		fmt.Sprintf(`,"valueQuantity":{"value":%d.%d,"system":"http://unitsofmeasure.org","code":"%s"}`, d.IntN(3), d.IntN(10), d.of("kg", "g", "cm")),
		fmt.Sprintf(`,"valueQuantity":{"value":%d}`, d.IntN(4)))
	return b + d.of("", `,"identifier":[{"system":"urn:i","value":"`+fmt.Sprint(d.IntN(40))+`"}]`) + "}"
}

func (d draw) patient(id int) string {
	b := fmt.Sprintf(`{"resourceType":"Patient","id":"r%d","gender":%q,"active":%s`, id, d.of("male", "female"), d.of("true", "false"))
	b += `,"name":[{"family":"` + d.of("Müller", "Muller", "meier", "Zoë") + `","given":["` + d.of("Ann", "Bob") + `","` + d.of("C", "ann-d") + `"]}]`
	b += d.of("", `,"birthDate":"`+fmt.Sprint(1990+d.IntN(5))+`"`) + d.of("", `,"meta":{"profile":["http://p/`+d.of("a", "a/b", "c")+`"]}`)
	return b + d.of("", `,"managingOrganization":`+d.reference("Organization", 5)) + "}"
}

// search returns a random search.
func (d draw) search() string {
	number := fmt.Sprint(d.IntN(3))
	criteria, sorts := []string{
		"status=final", "status:not=final", "status=amended,preliminary", "code=c" + number, "code=http://s|c" + number, "code=|c1", "code=http://t|",
		"code:text=pul", "code:not=c1,c2", "date=" + d.of("ge", "lt", "ne", "sa", "eb", "ap", "", "le", "gt") + d.date(), "date=ge2018-02&date=lt2020",
		"date=2018,2020-01", "subject=Patient/r" + number, "patient=r" + number, "subject:missing=true", "date:missing=" + d.of("true", "false"),
		"value-quantity=" + d.of("gt", "le", "", "ne") + number, "value-quantity=ge0.5|http://unitsofmeasure.org|kg", "value-string=a", "value-string:contains=ei",
		"value-string:exact=arm", "code-value-quantity=c1$gt1", "identifier=urn:i|" + number, "identifier=urn:i|", "_lastUpdated=ge2020", "_lastUpdated=lt2021",
		"_filter=status eq final or (code eq c1 and not(date lt 2019))", "_id=r1,r2,r3", "subject.name=mu", "combo-code=c" + number, "_id:not=r1", "_id:missing=false",
		"patient.family=mu", "patient.gender=male", "patient.active:not=true", "subject:Patient.name=ann", "patient._id=r1,r2,r3,r4", "patient.organization.name=no",
		"subject:Patient.organization.partof.name=ea", "performer.name=mu", "performer:Organization.partof:below=r1", "has-member.status=final",
		"has-member.patient.gender=male", "has-member.has-member.code=c1", "has-member.has-member:missing=true", "_has:Observation:has-member:status=final",
		"_has:Observation:has-member:patient.gender=male", "_has:Observation:has-member:_has:Observation:has-member:code=c1",
		"_filter=patient.gender eq male or not(has-member.status eq final)", "has-member:missing=true", "patient:missing=false",
	}, []string{"date", "status", "code", "value-quantity", "value-string", "subject", "identifier", "_id", "_lastUpdated"}
	typ := "Observation"
	if d.IntN(4) == 0 {
		typ = "Patient"
		criteria, sorts = []string{
			"gender=male", "active:not=true", "name=mu", "family:exact=Müller", "given:contains=n", "birthdate=" + d.of("ge", "lt") + "1992", "_profile=http://p/a",
			"_profile:below=http://p/a", "_profile:above=http://p/a/b", "organization=1", "organization:missing=true", "_has:Observation:patient:status=final",
			"_has:Observation:patient:code:not=c1", "_has:Observation:subject:_has:Observation:has-member:status=final", "_has:Observation:patient:has-member.status=final",
			"_has:Observation:performer:value-quantity=gt1", "organization.name=no", "organization.partof.name=ea", "organization:below=r1", "organization:above=r" + number,
			"organization._has:Patient:organization:gender=male", "_id=r1,r2,r3,r4,r5,r6", "_id:not=r1",
			"_filter=name sw z or gender ne male", "birthdate:missing=true",
		}, []string{"family", "given", "birthdate", "gender", "_profile", "organization", "active", "_id", "_lastUpdated"}
	}
	if d.IntN(10) == 0 {
		typ = "Organization"
		criteria, sorts = []string{"_has:Patient:organization:family=mu", "partof:below=r1", "partof.name=no", "_has:Organization:partof:name=ea", "name=no"}, []string{"name", "partof", "_id"}
	}
	if d.IntN(10) == 0 {
		typ = "?_type=Patient,Observation"
		criteria, sorts = []string{"_lastUpdated=ge2020", "_profile=http://p/a", "_profile:missing=true", "identifier=urn:i|1,urn:i|2", "_id=r1,r2,r3"}, []string{"identifier", "_profile", "_lastUpdated", "_id"}
	}
	text := typ
	if typ[0] != '?' {
		text += "?"
	}
	for range d.IntN(4) {
		text += "&" + criteria[d.IntN(len(criteria))]
	}
	var by []string
	for range d.IntN(4) {
		if s := d.of(sorts...); !slices.ContainsFunc(by, func(b string) bool { return strings.TrimPrefix(b, "-") == s }) {
			by = append(by, d.of("", "-")+s)
		}
	}
	if len(by) > 0 {
		text += "&_sort=" + strings.Join(by, ",")
	}
	if typ == "Observation" && d.IntN(6) == 0 {
		text += "&_include=Observation:subject"
	}
	return text
}

// TestColumns compares random searches with a full scan, page by page in both directions, while
// resources are written. ROGET_SEARCHES is their number for each store.
func TestColumns(t *testing.T) {
	number, _ := strconv.Atoi(os.Getenv("ROGET_SEARCHES"))
	eachStore(t, func(t *testing.T, s *shelf) {
		searches := number
		if searches == 0 {
			searches = map[string]int{"TestColumns/memory": 2_000, "TestColumns/sqlite": 60, "TestColumns/postgres": 30}[t.Name()]
		}
		seed := rand.Uint64()
		defer func() {
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		}()
		d := draw{rand.New(rand.NewPCG(seed, 1))}
		d.change(s, 60)
		var searcher *search.Searcher
		stop := func() {}
		defer func() { stop() }()
		for n := range searches {
			if n%50 == 0 {
				l := search.Limits{Columns: []int64{1 << 30, 60_000, 20_000}[d.IntN(3)]}
				searcher = search.New(definitions.R4(), search.WithLimits(l))
				searcher.Exact([]int{0, 4, 256}[d.IntN(3)])
				if tight := d.IntN(5); tight > 0 {
					searcher.Tighten(tight)
				}
				if d.IntN(3) == 0 {
					searcher.Try(d.IntN(40), d.IntN(40))
				}
				stop()
				if stop = func() {}; d.IntN(2) == 0 {
					searcher.Share(1+d.IntN(30), 1+d.IntN(30))
					stop = builds(t, s, searcher, nil)
				}
			}
			if n%100 == 99 {
				if _, err := s.Store.(resources.Indexed).Purge(t.Context(), time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if d.change(s, d.IntN(4)); !d.pages(t, s, searcher) {
				return
			}
		}
	})
}

// A veil hides the resources that do not meet criteria, as permissions do.
type veil struct {
	index.Reader
	test *testing.T
	of   map[string][]search.Criterion
}

func (v veil) Unrestricted() index.Reader { return v.Reader }

func (v veil) hide(records []index.Record, err error) ([]index.Record, error) {
	env := search.NewEnv(definitions.R4(), nil, v.Reader, v.At())
	for i := range records {
		r := &records[i]
		if is, err := search.MatchAll(v.test.Context(), v.of[r.Type], r, index.NewView(r.Values), env); !is || err != nil {
			*r = index.Record{}
		}
	}
	return records, err
}

func (v veil) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	return v.hide(v.Reader.Load(ctx, seqs, parts|index.WithValues))
}

func (v veil) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	return v.hide(v.Reader.Find(ctx, keys, parts|index.WithValues))
}

// permit returns the query of a reader that has only a part of a type, and the view of that reader.
func (d draw) permit(t *testing.T, q *search.Query, searcher *search.Searcher) (*search.Query, func(index.Reader) index.Reader) {
	of, limits := map[string][]search.Criterion{}, make([]search.Limit, len(q.Types))
	for i, typ := range q.Types {
		limits[i].Exact = d.IntN(5) > 0
		if d.IntN(3) > 0 {
			c := query(t, searcher, typ.Type+"?_filter="+d.of("_id ne r1", "_lastUpdated lt 2020 or not(_id eq r3)")).Types[0].Criteria
			if typ.Type == "Observation" {
				c = query(t, searcher, "Observation?"+d.of("status:not=final", "code=c1,c2,c3", "patient=r1,r2,r3")).Types[0].Criteria
			}
			of[typ.Type], limits[i].Criteria = c, c
			if limits[i].Exact {
				limits[i].Permitted = &search.Criterion{Group: &search.Group{Of: c}}
			}
		}
	}
	return q.Within(limits), func(r index.Reader) index.Reader { return veil{r, t, of} }
}

// pages compares all pages of a random search with a full scan.
func (d draw) pages(t *testing.T, s *shelf, searcher *search.Searcher) bool {
	text := d.search()
	q := query(t, searcher, text, param("_count", 1+d.IntN(12)), param("_total", d.of("accurate", "none", "estimate")))
	var want []string
	read := func(r index.Reader) index.Reader { return r }
	restricted := d.IntN(4) == 0 // then what is written takes part of the matches away
	if restricted {
		q, read = d.permit(t, q, searcher)
	}
	s.view(func(r index.Reader) error {
		r = read(r)
		records, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, r, r.At()))
		want = names(records)
		q.At = r.At()
		return err
	})
	without := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1}))
	at := 0 // matches before the page
	for range 12 {
		var page, plain *search.Page
		s.view(func(r index.Reader) (err error) {
			r = read(r)
			if page, err = searcher.Search(t.Context(), r, q); err == nil {
				plain, err = without.Search(t.Context(), r, q)
			}
			return err
		})
		if got, want := names(page.Included), names(plain.Included); !slices.Equal(got, want) {
			t.Errorf("%s: includes %q, want %q", text, got, want)
		}
		got := names(page.Matches)
		if end := min(at+q.Count, len(want)); !slices.Equal(got, want[at:end]) {
			t.Errorf("%s: from %d\n%q\nwant\n%q", text, at, got, want[at:end])
			return false
		}
		if page.Total != nil && *page.Total != len(want) && (q.Total == search.TotalAccurate || !slices.Contains(page.Self, param("_total", "estimate"))) {
			t.Errorf("%s: total %d of %d", text, *page.Total, len(want))
			return false
		}
		q.At = 0
		switch back := d.IntN(5) == 0; {
		case back && page.Previous != "" && at >= q.Count:
			q.Cursor, at = page.Previous, at-q.Count
		case page.Next != "" && at+q.Count < len(want):
			q.Cursor, at = page.Next, at+q.Count
		default:
			return true
		}
		if d.IntN(4) == 0 && !restricted {
			d.change(s, d.IntN(20))
			s.view(func(r index.Reader) error { // others see what is new
				_, err := searcher.Search(t.Context(), r, query(t, searcher, text))
				return err
			})
		}
	}
	return true
}

// TestColumnsConcurrently searches while others search and write.
func TestColumnsConcurrently(t *testing.T) {
	eachStore(t, func(t *testing.T, s *shelf) {
		searcher := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: 60_000}))
		searcher.Tighten(2)
		searcher.Share(5, 7)
		searcher.Wear(9, 4)
		defer builds(t, s, searcher, nil)()
		writer := draw{rand.New(rand.NewPCG(7, 8))}
		writer.change(s, 60)
		var group sync.WaitGroup
		for i := range uint64(3) {
			group.Go(func() {
				d := draw{rand.New(rand.NewPCG(i, 2))}
				for range 30 {
					text := d.search()
					q := query(t, searcher, text, param("_count", 1000), param("_total", "accurate"))
					err := s.Store.(resources.Indexed).View(t.Context(), func(r index.Reader) error {
						want, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, r, r.At()))
						if err != nil {
							return err
						}
						page, err := searcher.Search(t.Context(), r, q)
						if err == nil && (!slices.Equal(names(page.Matches), names(want)) || *page.Total != len(want)) {
							t.Errorf("%s: %d matches of %d", text, len(page.Matches), len(want))
						}
						return err
					})
					if err != nil {
						t.Errorf("%s: %v", text, err)
					}
				}
			})
		}
		for range 30 {
			writer.change(s, 2)
		}
		group.Wait()
	})
}

// builds runs Build until the returned function is called. away, if not nil, is an error instead of a view.
func builds(t testing.TB, s *shelf, searcher *search.Searcher, away func() error) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		searcher.Build(ctx, func(ctx context.Context, fn func(index.Reader) error) error {
			if away != nil {
				if err := away(); err != nil {
					return err
				}
			}
			return s.Store.(resources.Indexed).View(ctx, fn)
		}, func(typ string, err error) {
			if away == nil || typ != "Observation" {
				t.Errorf("%s: %v", typ, err)
			}
		})
	})
	return func() { cancel(); group.Wait() }
}

// TestBuild searches a type once that no search reads whole. The columns are built although the store is
// away at first, and have what was written and deleted meanwhile. With too little memory they are given up.
func TestBuild(t *testing.T) {
	eachStore(t, func(t *testing.T, s *shelf) {
		d := draw{rand.New(rand.NewPCG(1, 3))}
		for from := range 10 {
			bodies := make([]string, 100)
			for i := range bodies {
				bodies[i] = d.observation(100*from + i)
			}
			s.put(bodies...)
		}
		for _, bytes := range []int64{1 << 30, 40_000} {
			searcher := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: bytes}))
			searcher.Tighten(1)
			searcher.Share(10, 100)
			var views atomic.Int64
			stop := builds(t, s, searcher, func() error {
				if n := views.Add(1); n < 3 {
					return errors.New("away")
				} else if n == 7 {
					d.change(s, 30)
				}
				return nil
			})
			run := func() (n int) {
				q := query(t, searcher, "Observation?status:not=final&code:not=c1&_sort=-date,code&_count=1000")
				s.view(func(r index.Reader) error {
					want, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, r, r.At()))
					if err != nil {
						return err
					}
					page, err := searcher.Search(t.Context(), r, q)
					if err == nil && !slices.Equal(names(page.Matches), names(want)) {
						t.Errorf("%d matches of %d", len(page.Matches), len(want))
					}
					return err
				})
				return searcher.Wants()
			}
			// The first searches may cost too little to want columns.
			for end := time.Now().Add(time.Minute); (run() > 0 || views.Load() < 5) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			}
			if n := views.Load(); n < 5 || n > 100 || run() > 0 {
				t.Errorf("%d views", n)
			}
			if built := searcher.ColumnBytes() > 0; built != (bytes > 40_000) {
				t.Errorf("%d bytes of columns", searcher.ColumnBytes())
			}
			stop()
			searcher.Reset()
			if run(); run() > 0 {
				t.Error("a want that nothing builds")
			}
		}
	})
}

// TestColumnsKeepUp compares a table with a full scan after each of many changes for which there is
// little room in its order, and after those that do not only add versions.
func TestColumnsKeepUp(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := &shelf{TB: t, Store: store, extractor: index.NewExtractor(definitions.R4())}
	event := func(n int, recorded string) string {
		return fmt.Sprintf(`{"resourceType":"AuditEvent","id":"a%d","action":"C","recorded":"2024-01-01T00:00:%sZ"}`, n, recorded)
	}
	searcher := search.New(definitions.R4(), search.WithForgotten("AuditEvent"))
	searcher.Tighten(1)
	check := func(what, text string, total int) {
		t.Helper()
		q := query(t, searcher, text)
		s.view(func(r index.Reader) error {
			want, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, r, r.At()))
			if err != nil {
				return err
			}
			page, err := searcher.Search(t.Context(), r, q)
			if err == nil && (!slices.Equal(names(page.Matches), names(want)[:min(len(want), q.Count)]) || *page.Total != total || len(want) != total) {
				t.Errorf("%s: %d of %d, %q", what, *page.Total, total, names(page.Matches))
			}
			return err
		})
	}
	const all = "AuditEvent?_sort=date&action=C&_count=200"
	for n := range 3 {
		s.put(fmt.Sprintf(`{"resourceType":"Provenance","id":"p%d","target":[{"reference":"AuditEvent/a%d"}]}`, n, 98+n))
	}
	s.put(event(0, "59"))
	check("one", all, 1)
	for n := range 100 {
		at := n
		if n >= 50 { // and after the 50.
			at = 999 - n
		}
		s.put(event(n+1, fmt.Sprintf("58.%03d", at)))
		check("one before the last", all, n+2)
	}
	const count = "AuditEvent?_summary=count"
	check("a count", count, 101)
	const linked = "Provenance?target:AuditEvent.action=C"
	check("links", linked, 3)
	if n, err := store.Forget(t.Context(), "AuditEvent", time.Now().Add(time.Hour)); n != 100 || err != nil {
		t.Fatal(n, err)
	}
	check("a count of what the store has kept", count, 1)
	check("what the store has kept", all, 1)
	check("links to what the store has kept", linked, 1)

	var changed []resources.Reindexed
	s.view(func(r index.Reader) error {
		records, err := r.Versions(t.Context(), index.VersionsRequest{Parts: index.WithValues})
		for _, rec := range records {
			changed = append(changed, resources.Reindexed{Seq: rec.Seq, Entries: [][]byte{index.TypeRange("AuditEvent").From}, Values: new(index.Values).Append(nil)})
		}
		return err
	})
	if err := store.Reindex(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	searcher.Reset()
	var refused *search.Error
	s.view(func(r index.Reader) error {
		_, err := searcher.Search(t.Context(), r, query(t, searcher, "AuditEvent?_sort=date&action=X&type:in=http://none"))
		if !errors.As(err, &refused) {
			t.Errorf("an unknown value set where nothing matches otherwise: %v", err)
		}
		return nil
	})
	check("without values", "AuditEvent?_sort=date&action:not=C", 1)

	searcher = search.New(definitions.R4())
	searcher.Tighten(1)
	for range 2 {
		time.Sleep(2 * time.Millisecond) // a Seq contains the millisecond
		s.Store = memory.New()
		s.put(event(1, "01"), event(2, "02"))
		check("a store with other versions", "AuditEvent?_sort=date&action:not=D", 2)
	}
}

// TestExplain compares the steps of searches: rows that are left and records that were read.
func TestExplain(t *testing.T) {
	eachStore(t, func(t *testing.T, s *shelf) {
		searcher := search.New(definitions.R4(), search.WithForgotten("Patient"))
		searcher.Tighten(1)
		for n := range 6 {
			s.put(fmt.Sprintf(`{"resourceType":"Patient","id":"p%d","name":[{"family":"%c"}]}`, n, 'a'+n%3),
				fmt.Sprintf(`{"resourceType":"Observation","id":"o%d","status":%q,"subject":{"reference":"Patient/p%d"}}`, n, [2]string{"final", "amended"}[n%2], n/2))
		}
		const sorted = "Observation?patient.family=a&status=final&_sort=-_id&_count=1"
		for _, row := range []struct{ search, want string }{
			{"Patient?family=a&_count=1", "entries of Patient -1 0, columns of Patient 6 6, family 2 0, order 2 0, page 1 0, total 2 0, records 1 1, included 0 0"},
			{"Patient?family=a&_count=1", "columns of Patient 6 0, family 2 0, order 2 0, page 1 0, total 2 0, records 1 1, included 0 0"},
			{search: sorted},
			{search: sorted},
			{search: sorted},
			{sorted, "columns of Observation 6 0, patient.family 2 0, status 1 0, order 1 0, page 1 0, total 1 0, records 1 1, included 0 0"},
			{"Patient?_id=p1&_revinclude=Observation:subject", "entries of Patient 1 1, page 1 1, total 1 0, records 1 1, included 2 4"},
			{"Patient?family=b&_summary=count", "columns of Patient 6 0, family 2 0, order 1 0, total 2 0"},
		} {
			q := query(t, searcher, row.search)
			q.Explain = true
			var steps []string
			s.view(func(r index.Reader) error {
				page, err := searcher.Search(t.Context(), r, q)
				for _, step := range page.Steps {
					steps = append(steps, fmt.Sprint(step.What, " ", step.Rows, " ", step.Read))
				}
				hidden, _ := searcher.Search(t.Context(), veil{Reader: r, test: t}, q)
				if len(hidden.Steps) > 0 {
					t.Errorf("%s: explained to a reader that hides records", row.search)
				}
				return err
			})
			if got := strings.Join(steps, ", "); row.want != "" && got != row.want {
				t.Errorf("%s:\n%s\nwant\n%s", row.search, got, row.want)
			}
		}
	})
}

// TestColumnsOfFewValues compares the steps of searches by columns: what has the fewest values to compare comes first,
// what is known by its code even before, and if too many values are left, the index is asked before.
func TestColumnsOfFewValues(t *testing.T) {
	s := &shelf{TB: t, Store: memory.New(), extractor: index.NewExtractor(definitions.R4())}
	for n := range 12 {
		s.put(fmt.Sprintf(`{"resourceType":"Observation","id":"o%d","status":%q,"code":{"coding":[{"code":"c%d"}]},"valueString":%q,"issued":"2024-01-%02dT00:00:00Z","method":{"coding":[{"code":"m"}]}}`,
			n, [3]string{"final", "amended", "final"}[n%3], n%5, []string{"a", "b"}[n%3%2]+strings.Repeat("x", n%3%2*n), n+1))
	}
	run := func(searcher *search.Searcher, text string) (got string) {
		q := query(t, searcher, "Observation?"+text)
		q.Explain = true
		s.view(func(r index.Reader) error {
			page, err := searcher.Search(t.Context(), r, q)
			for _, step := range page.Steps {
				switch first, _, _ := strings.Cut(step.What, " "); first {
				case "entries":
					got += " entries"
				case "columns":
					got += fmt.Sprint(" ", step.Rows)
				case "order", "page", "total", "records", "included":
				default:
					got += fmt.Sprint(" ", step.What, " ", step.Rows)
				}
			}
			return err
		})
		return got
	}
	for _, row := range []struct {
		exact, values, rows int
		search, want        string
	}{
		{3, 1024, 1 << 16, "status=final&code=c1", "12 code 3 status 2"},
		{256, 1024, 1 << 16, "status=final&code=c1", "12 status 8 code 2"},
		{256, 7, 11, "status=final&value-string:contains=a", "12 status 8 entries 12 status 8 value-string:contains 8"},
		{256, 7, 12, "status=final&value-string:contains=a", "12 status 8 value-string:contains 8"},
		{256, 8, 11, "status=final&value-string:contains=a", "12 status 8 value-string:contains 8"},
		{256, 7, 11, "status=amended&value-string:contains=b", "12 status 4 value-string:contains 4"},
		{256, 2, 11, "status=final&method=m&value-string:contains=a", "12 method 12 entries 12 method 12 status 8 value-string:contains 8"},
		{256, 4, 11, "status=final&method=m", "12 method 12 status 8"},
		{256, 0, 11, "status=final", "12 entries 12 status 8"},
	} {
		searcher := search.New(definitions.R4())
		searcher.Tighten(1)
		searcher.Exact(row.exact)
		run(searcher, "status=final,amended&code=c0,c1,c2,c3,c4&value-string:contains=a,b&method=m,n") // has the columns built
		searcher.Try(row.values, row.rows)
		got := run(searcher, row.search)
		if got != " "+row.want {
			t.Errorf("%s, %d values of %d rows:%s, want %s", row.search, row.values, row.rows, got, row.want)
		}
	}
	parts, searches := search.New(definitions.R4()), [2]int{}
	parts.Tighten(1)
	parts.Share(3, 3)
	for i, text := range []string{"status:not=final", "code:not=c1"} { // then columns are built in parts
		for searches[i] < 9 && strings.HasPrefix(run(parts, text), " entries") {
			searches[i]++
		}
	}
	if searches != [2]int{5, 2} {
		t.Errorf("%d searches are not by columns", searches)
	}
}

// BenchmarkColumns measures searches of 12,000 Observations and as many Patients, or ROGET_RESOURCES, with columns and without.
func BenchmarkColumns(b *testing.B) {
	number, err := strconv.Atoi(os.Getenv("ROGET_RESOURCES"))
	if err != nil {
		number = 12_000
	}
	eachStore(b, func(b *testing.B, s *shelf) {
		for _, typ := range []string{"Patient", "Observation"} {
			g, err := synth.New(typ, synth.Options{Seed: 7})
			if err != nil {
				b.Fatal(err)
			}
			for from := 0; from < number; from += 1_000 {
				var bodies []string
				for n := range uint64(1_000) {
					bodies = append(bodies, string(g.Append(nil, uint64(from)+n)))
				}
				s.put(bodies...)
			}
		}
		for _, text := range []string{
			"code=heart-rate&date=ge2021&date=lt2024&_sort=-date", "category=vital-signs&date=ge2021&date=lt2024&_sort=-date", "_sort=-date",
			"status=final&_sort=code,-date", "status=final", "status=preliminary&category=laboratory", "value-quantity=gt100&_sort=value-quantity",
			"patient.family=Smith&code=heart-rate&_sort=-date", "patient.gender=female&category=vital-signs&_sort=-date", "_has:Observation:patient:status=final&_sort=family,_id",
			"_has:Observation:patient:code=heart-rate", "_has:Observation:patient:status=final&gender=female&birthdate=ge1990",
		} {
			for name, bytes := range map[string]int64{"before": -1, "after": 1 << 30} {
				b.Run(text+"/"+name, func(b *testing.B) {
					searcher := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: bytes}))
					q := query(b, searcher, map[bool]string{true: "Patient?", false: "Observation?"}[strings.HasPrefix(text, "_has")]+text)
					run := func() (page *search.Page) {
						s.view(func(r index.Reader) (err error) { page, err = searcher.Outline(b.Context(), r, q); return err })
						return page
					}
					defer builds(b, s, searcher, nil)()
					start := time.Now()
					page := run()
					first := time.Since(start)
					for searcher.Wants() > 0 {
						time.Sleep(time.Millisecond)
					}
					for range 2 + number/10_000 { // large tables and links are built by several searches
						run()
					}
					ready := time.Since(start)
					b.ReportAllocs()
					for b.Loop() {
						searcher.ForgetTotals()
						run()
					}
					b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
					b.ReportMetric(float64(ready.Microseconds())/1000, "ms-ready")
					b.ReportMetric(float64(*page.Total), "total")
					b.ReportMetric(float64(searcher.ColumnBytes())/float64(number), "B/resource")
				})
			}
		}
	})
}

// TestPay repeats a search that the index answers with few candidates. When this has taken as much as columns
// take, they are built, and answer.
func TestPay(t *testing.T) {
	s := &shelf{TB: t, Store: memory.New(), extractor: index.NewExtractor(definitions.R4())}
	d := draw{rand.New(rand.NewPCG(1, 4))}
	bodies := make([]string, 600)
	for i := range bodies {
		bodies[i] = d.observation(i)
	}
	s.put(bodies...)
	searcher := search.New(definitions.R4())
	searcher.Exact(1)
	defer builds(t, s, searcher, nil)()
	q, err := searcher.Parse("Observation", []search.Param{param("patient", "r1"), param("code", "c1"), param("status", "final")}, search.Options{Strict: true, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	byColumns, first := false, -1
	for n := 0; !byColumns && n < 5_000; n, first = n+1, n {
		s.view(func(r index.Reader) error {
			page, err := searcher.Search(t.Context(), r, q)
			byColumns = err == nil && slices.ContainsFunc(page.Steps, func(s search.Step) bool { return s.What == "columns of Observation" })
			return err
		})
		for wait := 0; searcher.Wants() > 0 && wait < 1_000; wait++ {
			time.Sleep(10 * time.Millisecond)
		}
	}
	if !byColumns || first < 11 {
		t.Errorf("by columns: %v, wanted after %d searches", byColumns, first)
	}
}
