package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// TestSearchScale searches many Observations whose codes are of a code system with several
// parents, and checks the pages against a scan of everything: a small world on each store.
// Where ROGET_SCALE_CODESYSTEM names the file of a code system it is one large world on one
// store, and what the searches take is told (docs/benchmarks.md). ROGET_SCALE_FOLDER keeps
// what was made from one run to the next, ROGET_SCALE_RESOURCES says how many
// (1,000,000), and ROGET_SCALE_POSTGRES is the address of a PostgreSQL schema to use instead
// of SQLite.
func TestSearchScale(t *testing.T) {
	path := os.Getenv("ROGET_SCALE_CODESYSTEM")
	if path == "" {
		t.Run("sqlite", func(t *testing.T) {
			(&scaleWorld{index: smallIndex(t), resources: 4_000}).run(t, filepath.Join(t.TempDir(), "scale.sqlite"), "")
		})
		t.Run("postgres", func(t *testing.T) {
			(&scaleWorld{index: smallIndex(t), resources: 4_000}).run(t, "", postgresServer.Schema(t))
		})
		return
	}
	folder := os.Getenv("ROGET_SCALE_FOLDER")
	if folder == "" {
		folder = t.TempDir()
	}
	w := &scaleWorld{index: scaleIndex(t, path, folder), resources: 1_000_000}
	if n, err := strconv.Atoi(os.Getenv("ROGET_SCALE_RESOURCES")); err == nil {
		w.resources = n
	}
	w.run(t, filepath.Join(folder, "scale.sqlite"), os.Getenv("ROGET_SCALE_POSTGRES"))
}

// run makes the world in SQLite, or in PostgreSQL where there is an address, and searches it.
func (w *scaleWorld) run(t *testing.T, file, address string) {
	t.Helper()
	var err error
	var writers []scaleStore
	if address != "" {
		for range 2 { // as two servers do
			other, err := postgres.Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			writers = append(writers, other)
		}
		w.store, err = postgres.Open(t.Context(), address)
	} else {
		w.store, err = sqlite.Open(t.Context(), file)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.store.Close()
	if writers == nil {
		writers = []scaleStore{w.store}
	}
	w.patients = min(20_000, w.resources/20)
	w.choose()
	(&feedReader{seen: make([]bool, w.resources)}).follow(t, w.store, func() { w.fill(t, writers...) })
	w.measure(t)
}

// smallIndex is a code system of 3,000 concepts with up to three parents each.
func smallIndex(t *testing.T) *codesystem.Index {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", URL: "http://example.org/CodeSystem/synthetic-clinical", Status: "active"},
		Content: "complete",
	})
	for n := range 3_000 {
		c := &codesystem.Concept{Code: strconv.Itoa(n), Display: "Concept " + strconv.Itoa(n), Parent: -1}
		parents := make([]int, min(n, 1+r.IntN(3)))
		for i := range parents {
			parents[i] = r.IntN(n)
		}
		slices.Sort(parents)
		for _, parent := range slices.Compact(parents) {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(strconv.Itoa(parent))})
		}
		if _, err := b.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// scaleStore is what both stores offer.
type scaleStore interface {
	resources.Store
	resources.Indexed
	resources.Transactor
}

// scaleWorld is a store with Observations, and the engine with their codes.
type scaleWorld struct {
	store     scaleStore
	index     *codesystem.Index
	resources int
	patients  int      // the first of them
	codes     []string // in an order of chance: the first are used most
	engine    *engine.Engine
	searches  []*scaleSearch
}

// scaleIndex reads the code system, from a snapshot where there is one.
func scaleIndex(t *testing.T, path, folder string) *codesystem.Index {
	t.Helper()
	snapshot := filepath.Join(folder, "scale.index")
	if x, err := codesystem.Open(snapshot); err == nil {
		return x
	}
	var sink scaleSink
	if err := fhir.Load(t.Context(), path, fhir.Options{}, &sink); err != nil || sink.index == nil {
		t.Fatal("code system: ", err)
	}
	if err := os.WriteFile(snapshot, sink.index.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return sink.index
}

// scaleSink takes the code system out of a file.
type scaleSink struct{ index *codesystem.Index }

func (s *scaleSink) CodeSystem(x *codesystem.Index, _ fhir.Origin) error { s.index = x; return nil }
func (s *scaleSink) Document(string, *r4.Header, []byte, fhir.Origin) error {
	return nil
}

// choose shuffles the codes, and makes value sets and searches of them.
func (w *scaleWorld) choose() {
	x, r := w.index, rand.New(rand.NewPCG(1, 2))
	w.codes = make([]string, x.Len())
	for o := range w.codes {
		w.codes[o] = strings.Clone(x.Code(codesystem.Ord(o)))
	}
	r.Shuffle(len(w.codes), func(i, j int) { w.codes[i], w.codes[j] = w.codes[j], w.codes[i] })
	w.engine = engine.New()
	entries := []*engine.Entry{engine.CodeSystemEntry(x, "scale")}
	add := func(name, text string) { w.searches = append(w.searches, &scaleSearch{name: name, text: text}) }
	for _, n := range []int{50, 500, 5_000, 50_000} {
		if n >= len(w.codes) {
			continue
		}
		vs := &r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: fmt.Sprintf("http://example.org/vs/%d", n), Status: "active"}, Compose: &r4.Compose{}}
		inc := r4.Include{System: x.URL()}
		for i := range n { // rare ones among them
			inc.Concept = append(inc.Concept, r4.ConceptReference{Code: w.codes[len(w.codes)-1-i]})
		}
		vs.Compose.Include = []r4.Include{inc}
		entries = append(entries, engine.ValueSetEntry(vs, "scale"))
		add(fmt.Sprintf("in a value set of %d", n), "Observation?code:in="+vs.URL)
	}
	if err := w.engine.Publish(entries...); err != nil {
		panic(err)
	}
	for _, size := range []float64{10, 100, 1_000, 3_000, 10_000, 50_000} {
		o := w.subtree(size)
		n := x.Descendants(o).GetCardinality() + 1
		add(fmt.Sprintf("below a concept of %d", n), "Observation?code:below="+x.URL()+"|"+x.Code(o))
		add(fmt.Sprintf("ecl, %d", n), "Observation?code:ecl="+x.URL()+"|< "+w.literal(o)+" OR "+w.literal(o))
	}
	common, rare := w.codes[0], w.codes[len(w.codes)-1]
	wide := w.subtree(30_000)
	more := []string{
		"code=" + x.URL() + "|" + rare, "code=" + x.URL() + "|" + common, "code=" + common + "&status=final",
		"patient=p17&code:below=" + x.URL() + "|" + x.Code(wide), "status=final&category=vital-signs", "code=" + x.URL() + "|" + common + "&patient=p17",
		"code=" + x.URL() + "|" + common + "&date=ge2020-03-01&date=lt2020-04-01", "date=ge2020-03-01&date=lt2020-03-02", "date=ge2020-03-01&date=lt2020-03-02&status=preliminary",
		"status=preliminary&category=laboratory", "patient=p17&status=final", "patient=p17&_sort=-date", "_sort=-date", "_sort=date&status=final",
		"code=" + x.URL() + "|" + common + "&_sort=-date", "value-quantity=gt99.9&status=final", "patient.gender=female&status=preliminary",
		"code:below=" + x.URL() + "|" + x.Code(wide) + "&_sort=-date", "code:below=" + x.URL() + "|" + x.Code(wide) + "&status=cancelled", "code:not-in=http://example.org/vs/500&status=cancelled", "", "status:not=final",
	}
	for _, text := range more {
		add(text, "Observation?"+text)
	}
	add("patients by _has", "Patient?_has:Observation:patient:code="+x.URL()+"|"+common)
}

// literal writes a concept in an expression.
func (w *scaleWorld) literal(o codesystem.Ord) string { return "code#" + w.index.Code(o) }

// subtree finds the concept whose number of descendants is closest to n.
func (w *scaleWorld) subtree(n float64) codesystem.Ord {
	best, off := codesystem.Ord(0), math.Inf(1)
	for o := range codesystem.Ord(w.index.Len()) {
		if w.index.Leaf(o) {
			continue
		}
		have := float64(w.index.Descendants(o).GetCardinality() + 1)
		if d := math.Abs(math.Log(have / n)); d < off {
			best, off = o, d
		}
	}
	return best
}

// body writes resource n: the first are patients.
func (w *scaleWorld) body(n int) (typ, id string, body []byte) {
	if n < w.patients {
		id = "p" + strconv.Itoa(n)
		gender := []string{"female", "male", "other", "unknown"}[n%4]
		return "Patient", id, fmt.Appendf(nil, `{"resourceType":"Patient","id":%q,"name":[{"family":"Family %d","given":["Given %d"]}],"gender":%q,"birthDate":"19%02d-%02d-%02d"}`,
			id, n%5_000, n%900, gender, 30+n%70, 1+n%12, 1+n%28)
	}
	r := rand.New(rand.NewPCG(uint64(n), 7))
	code := w.codes[r.IntN(len(w.codes))]
	if n%2 == 0 { // half of the codes are common ones
		code = w.codes[int(math.Pow(float64(len(w.codes)), r.Float64()))-1]
	}
	status := "final"
	switch k := r.IntN(100); {
	case k < 5:
		status = "preliminary"
	case k < 8:
		status = "amended"
	case k == 8 && r.IntN(20) == 0:
		status = "cancelled"
	}
	category := []string{"vital-signs", "laboratory", "exam", "survey", "imaging"}[r.IntN(5)]
	at := time.Unix(1_420_000_000+r.Int64N(300_000_000), 0).UTC()
	id = "o" + strconv.Itoa(n)
	return "Observation", id, fmt.Appendf(nil, `{"resourceType":"Observation","id":%q,"status":%q,"category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":%q}]}],`+
		`"code":{"coding":[{"system":%q,"code":%q,"display":"An observable"}]},"subject":{"reference":"Patient/p%d"},"effectiveDateTime":%q,"issued":%q,`+
		`"valueQuantity":{"value":%.1f,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"}}`,
		id, status, category, w.index.URL(), code, r.IntN(w.patients), at.Format(time.RFC3339), at.Add(time.Hour).Format(time.RFC3339), r.Float64()*100)
}

// fill writes the resources, unless they are there, by each of the stores at once.
func (w *scaleWorld) fill(t *testing.T, writers ...scaleStore) {
	t.Helper()
	ctx, start := t.Context(), time.Now()
	_, last, _ := w.body(w.resources - 1)
	if _, err := w.store.Read(ctx, resources.Key{Type: "Observation", ID: last}); err == nil {
		return
	}
	var next, written atomic.Int64
	var group sync.WaitGroup
	tenth, since := int64(w.resources/10), start
	var told sync.Mutex
	for _, store := range writers {
		group.Go(func() {
			x := index.NewExtractor(definitions.R4())
			var known index.Vocabulary
			for {
				to := int(next.Add(1000))
				if to-1000 >= w.resources {
					return
				}
				n, err := w.write(ctx, store, x, &known, to-1000, min(to, w.resources))
				if err != nil {
					t.Errorf("import: %v", err)
					return
				}
				if have := written.Add(int64(n)); have/tenth > (have-int64(n))/tenth {
					told.Lock()
					t.Logf("%d resources, the last %d at %.0f/s", have, tenth, float64(tenth)/time.Since(since).Seconds())
					since = time.Now()
					told.Unlock()
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d resources by %d writers in %v", w.resources, len(writers), time.Since(start).Round(time.Millisecond))
}

// write writes the resources of a range in one transaction.
func (w *scaleWorld) write(ctx context.Context, store scaleStore, x *index.Extractor, known *index.Vocabulary, from, to int) (int, error) {
	var writes []resources.Write
	for n := from; n < to; n++ {
		typ, id, body := w.body(n)
		d, err := document.Parse(body, r4.Limits{})
		if err != nil {
			return 0, err
		}
		values, err := x.Extract(d)
		if err != nil {
			return 0, err
		}
		writes = append(writes, resources.Write{
			Key: resources.Key{Type: typ, ID: id}, Render: func(int64, time.Time) ([]byte, error) { return body, nil },
			Entries: values.Entries(known), Terms: values.Terms(known), Values: values.Append(nil),
		})
	}
	err := store.Transact(ctx, func(tx resources.Tx) error {
		keys := make([]resources.Key, len(writes))
		for i := range writes {
			keys[i] = writes[i].Key
		}
		_, err := tx.Find(ctx, keys, 0) // all at once
		for i := 0; i < len(writes) && err == nil; i++ {
			_, err = tx.Write(ctx, writes[i])
		}
		return err
	})
	for i := range writes {
		known.Add(writes[i].Terms)
	}
	return len(writes), err
}

// scaleSearch is a search with what a scan of everything says of it.
type scaleSearch struct {
	name, text string
	query      *search.Query
	env        *search.Env
	best       []index.Record // the first of all matches, in their order
	total      int
}

// measure runs each search a few times, and compares with a scan.
func (w *scaleWorld) measure(t *testing.T) {
	t.Helper()
	ctx, s := t.Context(), search.New(definitions.R4(), search.WithTerminology(w.engine), search.WithLimits(search.Limits{Columns: int64(max(2<<30, 500*w.resources))}))
	type answer struct {
		page        *search.Page
		first, best time.Duration
	}
	start := time.Now()
	if err := w.store.View(ctx, func(r index.Reader) error { return s.Warm(ctx, r) }); err != nil {
		t.Fatal(err)
	}
	t.Logf("tokens in use read in %v", time.Since(start).Round(time.Millisecond))
	builder := &columnBuilder{view: w.store.View, pause: time.Duration(max(200, w.resources/2_000)) * time.Millisecond}
	go s.Build(ctx, builder.run, func(typ string, err error) { t.Errorf("columns of %s: %v", typ, err) })
	answers := make([]answer, len(w.searches))
	before := heap()
	for i, q := range w.searches {
		typ, rest, _ := strings.Cut(q.text, "?")
		var params []search.Param
		for pair := range strings.SplitSeq(rest, "&") {
			if name, value, ok := strings.Cut(pair, "="); ok {
				params = append(params, search.Param{Name: name, Value: value})
			}
		}
		a := &answers[i]
		for run := range 5 {
			start := time.Now()
			var err error
			if q.query, err = s.Parse(typ, params, search.Options{Strict: true, Explain: true}); err != nil {
				t.Fatalf("%s: %v", q.name, err)
			}
			err = w.store.View(ctx, func(r index.Reader) error {
				a.page, err = s.Search(ctx, r, q.query)
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", q.name, err)
			}
			took := time.Since(start)
			if run == 0 {
				a.first, a.best = took, took
			}
			if run == 0 || run < 4 && w.resources > 10_000 { // a chain asks for one table after the other
				builder.wait()
			}
			a.best = min(a.best, took)
		}
	}
	t.Logf("columns, orders and caches of all searches: %.1f bytes a resource", float64(heap()-before)/float64(w.resources))
	if os.Getenv("ROGET_SCALE_CHECK") != "0" {
		w.scan(t)
	}
	for i, q := range w.searches {
		a := &answers[i]
		total := "-"
		if a.page.Total != nil {
			total = strconv.Itoa(*a.page.Total)
		}
		t.Logf("%8.2f ms, first %8.2f ms, page of %2d, total %7s of %7d: %s", a.best.Seconds()*1e3, a.first.Seconds()*1e3, len(a.page.Matches), total, q.total, q.name)
		if a.best > 5*time.Millisecond {
			t.Logf("%+v", a.page.Steps)
		}
		if q.env == nil {
			continue
		}
		few := q.total / 10 // by which an estimate may be wrong
		if !slices.Contains(a.page.Self, search.Param{Name: "_total", Value: "estimate"}) {
			few = 0
		}
		if a.page.Total == nil || *a.page.Total < q.total-few || *a.page.Total > q.total+few {
			t.Errorf("%s: total %s, want %d", q.name, total, q.total)
		}
		for j := range q.best {
			if j >= len(a.page.Matches) || a.page.Matches[j].Seq != q.best[j].Seq {
				t.Errorf("%s: match %d is not what a scan finds", q.name, j)
				break
			}
		}
		if len(a.page.Matches) > len(q.best) {
			t.Errorf("%s: %d matches, want %d", q.name, len(a.page.Matches), len(q.best))
		}
	}
}

// columnBuilder is the view in which columns are built in the background.
type columnBuilder struct {
	view  func(context.Context, func(index.Reader) error) error
	last  atomic.Int64  // when it was used, in nanoseconds
	pause time.Duration // the longest between parts
}

func (b *columnBuilder) run(ctx context.Context, fn func(index.Reader) error) error {
	b.last.Store(math.MaxInt64)
	defer func() { b.last.Store(time.Now().UnixNano()) }()
	return b.view(ctx, fn)
}

// wait returns when no columns are being built: there are pauses of an eighth of a part's time between parts.
func (b *columnBuilder) wait() {
	for time.Sleep(100 * time.Millisecond); time.Now().UnixNano()-b.last.Load() < int64(b.pause); {
		time.Sleep(20 * time.Millisecond)
	}
}

// heap returns the bytes that are reachable.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// scan goes through all resources once for all searches.
func (w *scaleWorld) scan(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	err := w.store.View(ctx, func(r index.Reader) error {
		for _, q := range w.searches {
			q.env = search.NewEnv(definitions.R4(), w.engine, r, r.At())
		}
		for _, typ := range []string{"Patient", "Observation"} {
			var seqs []index.Seq
			err := r.Scan(ctx, index.TypeRange(typ), func(_ []byte, seq index.Seq) bool {
				seqs = append(seqs, seq)
				return true
			})
			if err != nil {
				return err
			}
			for batch := range slices.Chunk(seqs, 1000) {
				if err := w.scanBatch(ctx, r, typ, batch); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func (w *scaleWorld) scanBatch(ctx context.Context, r index.Reader, typ string, seqs []index.Seq) error {
	records, err := r.Load(ctx, seqs, index.WithValues)
	if err != nil {
		return err
	}
	for _, q := range w.searches {
		of := &q.query.Types[0]
		if of.Type != typ {
			continue
		}
		for i := range records {
			rec := &records[i]
			match, err := search.MatchAll(ctx, of.Criteria, rec, index.NewView(rec.Values), q.env)
			if err != nil {
				return err
			}
			if match {
				q.add(rec)
			}
		}
	}
	return nil
}

// add keeps the first 50 in the order asked for.
func (q *scaleSearch) add(rec *index.Record) {
	q.total++
	if len(q.best) == 50 && q.query.Compare(rec, &q.best[49]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(q.best, rec, func(a index.Record, b *index.Record) int { return q.query.Compare(&a, b) })
	q.best = slices.Insert(q.best, at, *rec)
	q.best = q.best[:min(len(q.best), 50)]
}
