package bulk_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// A target stores resources in a map. It refuses documents that contain "bad", and those with
// "needs":"Type/id" while that resource is missing.
type target struct {
	mu    sync.Mutex
	have  map[string]string
	made  int
	fail  error
	bad   map[*resources.Bundle]bool
	again bool // a bad bundle came twice
}

func newTarget() *target {
	return &target{have: map[string]string{}, bad: map[*resources.Bundle]bool{}}
}

var errBad = errors.New("it is bad")

func (s *target) check(body []byte) (*document.Document, error) {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte("bad")) {
		return nil, errBad
	}
	if needs := d.Root().Get("needs").Text(); needs != "" && s.have[needs] == "" {
		return nil, fmt.Errorf("%s: %w", needs, resources.ErrNoMatch)
	}
	return d, nil
}

func (s *target) put(d *document.Document, id string) resources.Outcome {
	if id == "" {
		s.made++
		id = fmt.Sprintf("made%d", s.made)
	}
	key := resources.Key{Type: d.ResourceType(), ID: id}
	was, now := s.have[key.String()], string(d.Source())
	s.have[key.String()] = now
	return resources.Outcome{Version: resources.Version{Key: key, VersionID: 1}, Changed: was != now}
}

func (s *target) Load(_ context.Context, items []resources.LoadItem) ([]resources.LoadResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	results := make([]resources.LoadResult, len(items))
	for i := range items {
		d, err := s.check(items[i].Body)
		if err != nil {
			results[i].Err = err
			continue
		}
		id := d.Root().Get("id").Text()
		if items[i].New || items[i].IfNoneExist != "" {
			id = ""
		}
		results[i].Outcome = s.put(d, id)
	}
	return results, s.fail
}

func (s *target) Transaction(_ context.Context, b *resources.Bundle, _ resources.TransactionOptions) ([]resources.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var outcomes []resources.Outcome
	for i := range b.Entries {
		if _, err := s.check(b.Entries[i].Resource); err != nil {
			s.again = s.again || s.bad[b]
			s.bad[b] = errors.Is(err, errBad)
			return nil, &resources.EntryError{Index: i, Err: err}
		}
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		d, err := s.check(e.Resource)
		if err != nil {
			return nil, err
		}
		typ, id, _ := strings.Cut(e.URL, "/")
		if typ, _, _ = strings.Cut(typ, "?"); typ != d.ResourceType() {
			return nil, &resources.EntryError{Index: i, Err: fmt.Errorf("%s at %s", d.ResourceType(), e.URL)}
		}
		outcomes = append(outcomes, s.put(d, id))
	}
	return outcomes, s.fail
}

func (s *target) keys() string {
	var keys []string
	for key := range s.have {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// write writes files into a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(data)
			_ = z.Close()
			data = b.Bytes()
		}
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func resource(key string, more ...string) string {
	typ, id, _ := strings.Cut(key, "/")
	text := `{"resourceType":"` + typ + `"`
	if id != "" {
		text += `,"id":"` + id + `"`
	}
	for _, m := range more {
		text += "," + m
	}
	return text + "}"
}

func bundle(typ string, entries ...string) string {
	return `{"resourceType":"Bundle","type":"` + typ + `","entry":[` + strings.Join(entries, ",") + `]}`
}

func entry(resource, method, url string) string {
	return `{"fullUrl":"urn:uuid:1","resource":` + resource + `,"request":{"method":"` + method + `","url":"` + url + `"}}`
}

// tell formats a report and its refusals.
func tell(folder string, r bulk.Report, refused []bulk.Refusal) string {
	lines := []string{fmt.Sprintf("files %d done %d other %d stored %d unchanged %d refused %d", r.Files, r.Done, r.Other, r.Stored, r.Unchanged, r.Refused)}
	var more []string
	for _, x := range refused {
		more = append(more, strings.TrimPrefix(strings.ReplaceAll(x.Error(), folder+string(filepath.Separator), ""), folder))
	}
	slices.Sort(more)
	return strings.Join(append(lines, more...), "\n")
}

func run(t *testing.T, into *target, folder string, o bulk.Options) string {
	t.Helper()
	var refused []bulk.Refusal
	o.Refused = func(r bulk.Refusal) { refused = append(refused, r) }
	var last loader.Progress
	o.Progress = func(p loader.Progress) { last = p }
	report, err := bulk.Import(t.Context(), into, []string{folder}, o)
	if err != nil {
		t.Fatal(err)
	}
	if last.Resources != report.Stored+report.Unchanged || last.Concepts != 0 {
		t.Errorf("the progress is %+v of %+v", last, report)
	}
	if into.again {
		t.Error("a bundle that was refused is tried again")
	}
	return tell(folder, report, refused)
}

func TestImport(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		keys  string
		want  string
		o     bulk.Options
	}{
		{
			name:  "single resources",
			files: map[string]string{"a.json": resource("Patient/1"), "deep/b.json.gz": "\n" + resource("Patient/2"), "readme.txt": "x", "both.json": resource("Group/1") + "\n" + resource("Group/2")},
			keys:  "Group/1 Group/2 Patient/1 Patient/2",
			want:  "files 3 done 0 other 1 stored 4 unchanged 0 refused 0",
		},
		{
			name:  "lines",
			files: map[string]string{"a.ndjson": resource("Patient/1") + "\n\n" + `{"bad` + "\n" + resource("Patient/2") + "\n" + resource("Patient/3", `"x":"bad"`) + "\n" + resource("Patient/1")},
			keys:  "Patient/1 Patient/2",
			want:  "files 1 done 0 other 0 stored 2 unchanged 1 refused 2\na.ndjson: line 3: line 1, column 6: the input ends inside a string\na.ndjson: line 5: it is bad",
		},
		{
			name:  "a file that breaks off",
			files: map[string]string{"a.json": resource("Patient/1") + "\n{", "b.json": "text", "c.json": resource("Patient/2")},
			keys:  "Patient/1 Patient/2",
			want:  "files 3 done 0 other 0 stored 2 unchanged 0 refused 2\na.json: line 2, column 2: the input ends too early\nb.json: line 1, column 1: expected true",
		},
		{
			name: "transaction keeps ids",
			files: map[string]string{"a.json": bundle("transaction",
				entry(resource("Patient/1"), "POST", "Patient"), entry(resource("Group"), "POST", "Group"), entry(resource("Group/5"), "PUT", "Group/5"),
				`{"request":{"method":"GET","url":"Patient"}}`)},
			keys: "Group/5 Group/made1 Patient/1",
			want: "files 1 done 0 other 0 stored 3 unchanged 0 refused 0",
		},
		{
			name: "transaction with new ids", o: bulk.Options{NewIDs: true},
			files: map[string]string{"a.json": bundle("transaction", entry(resource("Patient/1"), "POST", "Patient"))},
			keys:  "Patient/made1",
			want:  "files 1 done 0 other 0 stored 1 unchanged 0 refused 0",
		},
		{
			name: "transaction is all or nothing",
			files: map[string]string{"a.json": bundle("transaction",
				`{"request":{"method":"GET","url":"Patient"}}`, entry(resource("Patient/1"), "POST", "Patient"), entry(resource("Patient/2", `"x":"bad"`), "POST", "Patient"))},
			want: "files 1 done 0 other 0 stored 0 unchanged 0 refused 2\na.json: Bundle.entry[2]: it is bad",
		},
		{
			name: "batch goes on",
			files: map[string]string{"a.ndjson": bundle("batch",
				entry(resource("Patient/1"), "POST", "Patient"), entry(resource("Patient/2", `"x":"bad"`), "PUT", "Patient/2"), entry(resource("Patient/3"), "PUT", "Patient/3"),
				entry(resource("Patient/4"), "PUT", "Patient?x=y"), entry(resource("Patient/5", `"x":"bad"`), "PUT", "Patient?x=y"), entry(resource("Patient"), "POST", "Patient"),
				`{"request":{"method":"GET","url":"Patient/1"}}`)},
			keys: "Patient/1 Patient/3 Patient/made1 Patient/made2",
			want: "files 1 done 0 other 0 stored 4 unchanged 0 refused 2\na.ndjson: line 1, Bundle.entry[1]: it is bad\na.ndjson: line 1, Bundle.entry[4]: it is bad",
		},
		{
			name: "collections",
			files: map[string]string{
				"a.json": bundle("collection", `{"resource":`+resource("Patient/1")+`}`, `{"resource":`+resource("Patient/2", `"x":"bad"`)+`}`, `{}`),
				"b.json": bundle("searchset", entry(resource("Group/1"), "GET", "x"), entry(resource("Group"), "GET", "x")),
				"c.json": bundle("history"), "d.json": resource("Bundle/1", `"type":"document"`),
			},
			keys: "Bundle/1 Group/1 Group/made1 Patient/1",
			want: "files 4 done 0 other 0 stored 4 unchanged 0 refused 2\na.json: Bundle.entry[1]: it is bad\nc.json: bundle cannot be processed: a history cannot be imported",
		},
		{
			name: "what waits for others",
			files: map[string]string{
				"a.json":   bundle("transaction", entry(resource("Group/1", `"needs":"Patient/2"`), "POST", "Group")),
				"b.json":   bundle("batch", entry(resource("Group/2", `"needs":"Group/1"`), "POST", "Group"), entry(resource("Group/3", `"needs":"Group/9"`), "POST", "Group")),
				"c.ndjson": resource("Group/4", `"needs":"Group/2"`) + "\n" + resource("Group/5", `"needs":"Group/9"`),
				"d.json":   resource("Patient/2"),
				"e.json":   bundle("transaction", entry(resource("Group/6", `"needs":"Group/9"`), "POST", "Group")),
			},
			keys: "Group/1 Group/2 Group/4 Patient/2",
			want: "files 5 done 0 other 0 stored 4 unchanged 0 refused 3\nb.json: Bundle.entry[1]: Group/9: no match\nc.ndjson: line 2: Group/9: no match\ne.json: Bundle.entry[0]: Group/9: no match",
		},
		{
			name:  "too large",
			files: map[string]string{"a.ndjson": resource("Patient/1") + "\n" + resource("Patient/2", `"x":"`+strings.Repeat("x", 1000)+`"`), "b.json": resource("Patient/3", `"x":"`+strings.Repeat("x", 1000)+`"`)},
			o:     bulk.Options{Limits: loader.Limits{MaxDocument: 500}},
			keys:  "Patient/1",
			want:  "files 2 done 0 other 0 stored 1 unchanged 0 refused 2\na.ndjson: line 2: source too large: a resource has more than 500 bytes\nb.json: line 1, column 1043: the value is larger than 500 bytes",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Workers = 1
			folder, into := write(t, test.files), newTarget()
			if got := run(t, into, folder, test.o); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if into.keys() != test.keys {
				t.Errorf("stored %s, want %s", into.keys(), test.keys)
			}
		})
	}
}

// TestImportMany imports many files with many workers and checks that each resource is stored once.
func TestImportMany(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		var lines strings.Builder
		for j := range 100 {
			lines.WriteString(resource(fmt.Sprintf("Patient/%d-%d", i, j)) + "\n")
		}
		files[fmt.Sprintf("%d.ndjson", i)] = lines.String()
		files[fmt.Sprintf("t%d.json", i)] = bundle("transaction", entry(resource(fmt.Sprintf("Group/%d", i), fmt.Sprintf(`"needs":"Patient/%d-99"`, i)), "POST", "Group"))
	}
	into, told := newTarget(), 0
	report, err := bulk.Import(t.Context(), into, []string{write(t, files)}, bulk.Options{Workers: 8, Progress: func(loader.Progress) { told++ }})
	if err != nil || report.Stored != 4040 || report.Refused != 0 || len(into.have) != 4040 || report.Types["Patient"] != 4000 || told == 0 {
		t.Errorf("%+v, %d kept, %v", report, len(into.have), err)
	}
}

func TestImportJournal(t *testing.T) {
	folder := write(t, map[string]string{"a.json": resource("Patient/1"), "b.json": resource("Patient/2", `"x":"bad"`)})
	journal := filepath.Join(t.TempDir(), "journal")
	o := bulk.Options{Journal: journal, Into: "here"}
	into := newTarget()
	if got, want := run(t, into, folder, o), "files 2 done 0 other 0 stored 1 unchanged 0 refused 1\nb.json: it is bad"; got != want {
		t.Fatalf("first: %s", got)
	}
	if got, want := run(t, into, folder, o), "files 1 done 1 other 0 stored 0 unchanged 0 refused 1\nb.json: it is bad"; got != want {
		t.Errorf("again: %s", got)
	}
	if got := run(t, into, folder, bulk.Options{Journal: journal, Into: "there"}); !strings.HasPrefix(got, "files 2 done 0 ") {
		t.Errorf("elsewhere: %s", got)
	}
	if err := os.WriteFile(filepath.Join(folder, "b.json"), []byte(resource("Patient/2")), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := run(t, into, folder, bulk.Options{Journal: journal, Into: "there"}), "files 1 done 1 other 0 stored 1 unchanged 0 refused 0"; got != want {
		t.Errorf("mended: %s", got)
	}
	if _, err := os.Stat(journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
}

func TestImportStdin(t *testing.T) {
	into := newTarget()
	o := bulk.Options{Stdin: strings.NewReader(resource("Patient/1") + resource("Patient/2"))}
	report, err := bulk.Import(t.Context(), into, []string{"-"}, o)
	if err != nil || report.Stored != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestImportEnds(t *testing.T) {
	folder := write(t, map[string]string{"a.json": resource("Patient/1"), "b.json": bundle("transaction", entry(resource("Patient/1"), "POST", "Patient"))})
	into := newTarget()
	into.fail = fmt.Errorf("disk full: %w", resources.ErrStoreFailed)
	if _, err := bulk.Import(t.Context(), into, []string{folder}, bulk.Options{}); !errors.Is(err, resources.ErrStoreFailed) {
		t.Errorf("a store that fails: %v", err)
	}
	if _, err := bulk.Import(t.Context(), newTarget(), []string{filepath.Join(folder, "none")}, bulk.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bulk.Import(ctx, newTarget(), []string{folder}, bulk.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// ending is a target whose caller goes while it stores.
type ending struct {
	*target
	end func()
}

func (s ending) Transaction(ctx context.Context, b *resources.Bundle, o resources.TransactionOptions) ([]resources.Outcome, error) {
	synctest.Wait() // for the next bundle
	s.end()
	synctest.Wait()
	return s.target.Transaction(ctx, b, o)
}

// TestImportEndsBetween: an import that ends between two entries of a batch says so.
func TestImportEndsBetween(t *testing.T) {
	entry := entry(resource("Patient/1"), "PUT", "Patient?x=y")
	folder := write(t, map[string]string{"a.ndjson": bundle("batch", entry, entry)})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		if report, err := bulk.Import(ctx, ending{newTarget(), cancel}, []string{folder}, bulk.Options{Workers: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

// TestImportGoesOn interrupts an import and repeats the same call.
func TestImportGoesOn(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("%02d.json", i)] = bundle("transaction", entry(resource(fmt.Sprintf("Patient/%d", i)), "POST", "Patient"))
	}
	folder, journal, into := write(t, files), filepath.Join(t.TempDir(), "journal"), newTarget()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := bulk.Options{Journal: journal, Workers: 1, Progress: func(p loader.Progress) {
		if p.Resources >= 10 {
			cancel()
		}
	}}
	first, err := bulk.Import(ctx, into, []string{folder}, o)
	if !errors.Is(err, context.Canceled) || first.Stored < 10 || first.Stored == 30 {
		t.Fatalf("%+v, %v", first, err)
	}
	o.Progress = nil
	second, err := bulk.Import(t.Context(), into, []string{folder}, o)
	if err != nil || second.Done == 0 || second.Done > first.Stored || second.Done+second.Files != 30 || len(into.have) != 30 {
		t.Errorf("%+v, %v, %d stored", second, err, len(into.have))
	}
}

// FuzzImport imports any text, which must not fail, and checks that refusals are counted.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		resource("Patient/1") + "\n" + resource("Patient/2"), "{", bundle("transaction", entry(resource("Patient/1"), "POST", "Patient")),
		bundle("batch", entry(resource("Patient/1"), "DELETE", "Patient/1"), `{}`), bundle("collection", entry(resource("Patient/1"), "GET", "x"), `{"resource":{}}`),
		`{"resourceType":"Bundle","entry":{}}`, `{"resourceType":"Bundle","type":"batch","entry":[1]}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, lines bool) {
		name := "f.json"
		if lines {
			name = "f.ndjson"
		}
		refused := 0
		report, err := bulk.Import(t.Context(), newTarget(), []string{write(t, map[string]string{name: text})}, bulk.Options{
			Refused: func(r bulk.Refusal) { refused += r.Count },
		})
		if err != nil || report.Refused != refused {
			t.Fatalf("%+v, %d refused, %v", report, refused, err)
		}
	})
}
