package export_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/export"
)

// files are the files of another host.
type files map[string]string

func (f files) Check(url string) error {
	if !strings.HasPrefix(url, "https://here.example/") {
		return errors.New("allow the host")
	}
	return nil
}

func (f files) Open(_ context.Context, url string) (io.ReadCloser, error) {
	text, found := f[strings.TrimPrefix(url, "https://here.example/")]
	if !found {
		return nil, fs.ErrNotExist
	}
	return fstest.MapFS{"f": {Data: []byte(text)}}.Open("f")
}

// imports opens a folder of imports into a service.
func imports(t *testing.T, folder string, to *resources.Service, from files) *export.Jobs {
	t.Helper()
	j, err := export.Open(folder, to, export.Options{MaxFile: 3000, Import: export.ImportOptions{Target: to, Remote: from, MaxResource: 500}})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestImports counts what is stored and refused of each file, and writes why. A line that is refused
// does not concern the others, and a Bundle is a resource.
func TestImports(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	var many strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&many, `{"resourceType":"Patient","id":"p%d"}`+"\n", i)
	}
	const bundle = `{"resourceType":"Bundle","id":"b","type":"collection","entry":[{"resource":{"resourceType":"Basic","id":"c","code":{"text":"x"}}}]}` + "\n"
	from := files{
		"Patient/some": `{"resourceType":"Patient","id":"a"}` + "\n\n" + `{"resourceType":"Patient","id":"b","gender":"blue","birthDate":"soon"}` + "\n" + `{"resourceType":"Basic","id":"c"}` + "\n" +
			`{"resourceType":"Patient"}` + "\n" + `{"resourceType":"Patient","id":"d"` + "\n" + bundle + `{"id":"e"}` + "\n" +
			`{"resourceType":"Patient","id":"f","generalPractitioner":[{"reference":"Practitioner?identifier=s|1"}]}` + "\n" + `{"resourceType":"Patient","id":"g"}` + "\n" +
			`{"resourceType":"Patient","id":"` + strings.Repeat("h", 1000) + `"}` + "\n" + `{"resourceType":"Patient","id":"i"}`,
		"Patient/many": many.String(),
		"Basic/bad":    strings.Repeat(bundle, 100),
		"Bundle/b":     bundle,
	}
	j := imports(t, t.TempDir(), service, from)
	var request export.Request
	for _, name := range []string{"Patient/some", "Patient/many", "Patient/gone", "Basic/bad", "Bundle/b"} {
		typ, _, _ := strings.Cut(name, "/")
		request.Inputs = append(request.Inputs, export.Input{Type: typ, URL: "https://here.example/" + name})
	}
	id, err := j.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	job := finish(t, j, id)
	if job.State != export.Done || !slices.Equal(job.Counts, []int{2, 1200, 0, 0, 1}) || len(job.Files) != 3 {
		t.Fatalf("%+v", job)
	}
	for i, want := range []struct {
		input, count int
		texts        []string
	}{
		{0, 8, []string{
			`"line 3: `, `"expression":["Patient.gender"]`, `"expression":["Patient.birthDate"]`, `"line 4: the resource has the type Basic`, `"line 5: the resource has no valid id`, `"line 6: `,
			`"line 7: the resource has the type Bundle`, `"line 8: `, `"line 9: `, `"line 11: source too large`,
		}},
		{2, 1, []string{fs.ErrNotExist.Error()}},
		{3, 100, []string{`"line 1: `}},
	} {
		f := job.Files[i]
		file, _, err := j.Open(id, "", f.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		file.Close()
		if err != nil || f.Input != want.input || f.Name != fmt.Sprintf("OperationOutcome.%d.ndjson", want.input+1) || f.Count != want.count || int64(len(text)) != f.Bytes || i == 2 && f.Bytes > 4000 {
			t.Errorf("%+v: %v %d bytes", f, err, len(text))
		}
		for _, part := range want.texts {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %s: %s", f.Name, part, text)
			}
		}
	}
	for url, want := range map[string]string{"https://there.example/x": "allow the host", "https://here.example/" + strings.Repeat("x", 5000): "at most 4096"} {
		if _, err := j.Start(t.Context(), export.Request{Inputs: []export.Input{{Type: "Patient", URL: url}}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v", url, err)
		}
	}
	for _, n := range []int{0, 1001} {
		if _, err := j.Start(t.Context(), export.Request{Inputs: make([]export.Input, n)}); err == nil {
			t.Errorf("%d files are accepted", n)
		}
	}
}

// watched is a source and a target that notes holds, the last size of a page, and what loads find.
type watched struct {
	*resources.Service
	holds, page int
	load        func()
}

func (s *watched) Hold(since time.Time) (release func()) {
	s.holds++
	return s.Service.Hold(since)
}

func (s *watched) Search(ctx context.Context, r resources.SearchRequest) (resources.SearchResult, error) {
	s.page = r.Options.MaxCount
	return s.Service.Search(ctx, r)
}

func (s *watched) Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error) {
	s.load()
	return s.Service.Load(ctx, items)
}

// TestNotes: pages of one, jobs that no longer hold a state, an import that notes its first part, and no folder.
func TestNotes(t *testing.T) {
	source, folder := &watched{Service: store(t, 2)}, t.TempDir()
	lines := strings.Repeat(`{"resourceType":"Patient","id":"a"}`+"\n", 501)
	for o, request := range map[*export.Options]export.Request{
		{Page: 1}: {Types: []string{"Patient"}},
		{Import: export.ImportOptions{Target: source, Remote: files{"p": lines}}}: {Inputs: []export.Input{{Type: "Patient", URL: "https://here.example/p"}}},
	} {
		path := fmt.Sprintf("%s/%d", folder, o.Page)
		j, err := export.Open(path, source, *o)
		if err != nil {
			t.Fatal(err)
		}
		id, err := j.Start(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		noted := 0
		source.load = func() {
			job, _ := j.Job(id, "")
			noted = job.Counts[0]
		}
		job := finish(t, j, id)
		source.holds = 0
		if j, err = export.Open(path, source, *o); job.State != export.Done || err != nil || source.holds != 0 || o.Page == 0 && noted != 500 || o.Page == 1 && source.page != 1 {
			t.Errorf("%+v, %v, %d noted, %+v", job, err, noted, source)
		}
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if id, err := j.Start(t.Context(), request); id != "" || err == nil {
			t.Errorf("a file instead of a folder: %q, %v", id, err)
		}
	}
}

// TestImportGrants does what the request of a job may do, and nothing once that is not known.
func TestImportGrants(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	folder := t.TempDir()
	from := files{"p": `{"resourceType":"Patient","id":"a"}`, "o": `{"resourceType":"Basic","id":"a","code":{"text":"x"}}`}
	request := export.Request{TokenNeeded: true, Inputs: []export.Input{{Type: "Basic", URL: "https://here.example/o"}, {Type: "Patient", URL: "https://here.example/p"}}}
	ctx := access.WithGrant(t.Context(), access.ScopesGrant(&access.Principal{Scopes: []string{"system/Patient.cu"}}))
	j := imports(t, folder, service, from)
	id, err := j.Start(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if job := finish(t, j, id); job.State != export.Done || !slices.Equal(job.Counts, []int{0, 1}) || len(job.Files) != 1 {
		t.Errorf("%+v", job)
	}
	if id, err = j.Start(ctx, request); err != nil {
		t.Fatal(err)
	}
	again := imports(t, folder, service, files{})
	if job := finish(t, again, id); job.State != export.Refused || !strings.Contains(job.Problem, "send the request again") {
		t.Errorf("%+v", job)
	}
	if _, err := export.Open(folder, service, export.Options{}); err == nil || !strings.Contains(err.Error(), "folder of its own") {
		t.Errorf("imports are done as exports: %v", err)
	}
}
