package bulk_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/validate"
)

func TestProduce(t *testing.T) {
	to := newTarget()
	report, err := bulk.Produce(t.Context(), to, func(_ context.Context, w io.Writer) error {
		for i := range 2000 {
			if _, err := fmt.Fprintln(w, resource(fmt.Sprintf("Patient/%d", i))); err != nil {
				return err
			}
		}
		return nil
	}, bulk.Options{})
	if err != nil || report.Stored != 2000 || len(to.have) != 2000 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestProduceEnds checks that an error of the producer ends the import, and an error of the target
// ends the producer.
func TestProduceEnds(t *testing.T) {
	broken := errors.New("broken")
	_, err := bulk.Produce(t.Context(), newTarget(), func(context.Context, io.Writer) error { return broken }, bulk.Options{})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	to := newTarget()
	to.fail = errors.New("full")
	var ended error
	_, err = bulk.Produce(t.Context(), to, func(ctx context.Context, w io.Writer) error {
		for i := 0; ended == nil; i++ {
			_, ended = fmt.Fprintln(w, resource(fmt.Sprintf("Patient/%d", i)))
		}
		return ended
	}, bulk.Options{})
	if !errors.Is(err, to.fail) || ended == nil {
		t.Errorf("%v, %v", err, ended)
	}
}

// TestManifest checks that what is no manifest, or cannot be read, is an error.
func TestManifest(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		in   io.Reader
		want string
	}{
		{nil, "broken"},
		{iotest.ErrReader(broken), "broken"},
		{strings.NewReader("{"), "this is not the manifest of a bulk export: unexpected end of JSON input"},
		{strings.NewReader("{}"), "it has no output"},
		{strings.NewReader(`{"output":[{"url":"ftp://a"}]}`), `the file "ftp://a"`},
	} {
		_, err := bulk.Import(t.Context(), newTarget(), []string{"http://a"}, bulk.Options{Remote: func(context.Context, string) (io.ReadCloser, error) {
			if test.in == nil {
				return nil, broken
			}
			return io.NopCloser(test.in), nil
		}})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// FuzzManifest checks that whatever a manifest says, only http and https URLs are opened.
func FuzzManifest(f *testing.F) {
	const at = "http://example.org/m"
	f.Add(`{"transactionTime":"2026-01-01T00:00:00Z","output":[{"type":"Patient","url":"a"},{"url":"//b/c"}],"deleted":[{"url":"HTTPS://d"}]}`)
	f.Add(`{"output":[{"url":"file:///etc/passwd"}]}`)
	f.Fuzz(func(t *testing.T, manifest string) {
		_, _ = bulk.Import(t.Context(), newTarget(), []string{at}, bulk.Options{Remote: func(_ context.Context, url string) (io.ReadCloser, error) {
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
				t.Errorf("%q is opened", url)
			}
			if url == at {
				return io.NopCloser(strings.NewReader(manifest)), nil
			}
			return io.NopCloser(strings.NewReader(`{"resourceType":"Patient","id":"a"}`)), nil
		}})
	})
}

// packed returns a tar archive of files, in their order: name, text, name, text.
func packed(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchive reads npm packages and other tar archives.
func TestArchive(t *testing.T) {
	noPackage := packed(t, "a/b.ndjson", resource("Patient/1")+"\n"+resource("Patient/2"), "c.xml", `<Patient xmlns="http://hl7.org/fhir"><id value="3"/></Patient>`, "d.txt", "x", ".e.json", "x")
	for _, test := range []struct{ name, text, want string }{
		{"x.tgz.gz", packed(t, "package/package.json", `{"name":"x"}`, "package/a.json", resource("Patient/1"), "package/other/b.json", resource("Patient/2"), "package/.index.json", "{}"), "[package/a.json Patient/1]"},
		{"x.tar", noPackage, "[ Patient/3 line 1 Patient/1 line 2 Patient/2]"},
		{"x.tar", noPackage[:1300], "[error line 1 Patient/1 line 2 Patient/2]"},
		{"x.tar", packed(t, "a.json", resource("Patient/"+strings.Repeat("x", 300))), "[error a.json]"},
	} {
		folder := write(t, map[string]string{test.name: test.text})
		var got []string
		_, err := bulk.Each(t.Context(), []string{folder + "/" + test.name}, bulk.Options{Limits: loader.Limits{MaxDocument: 300}}, func(f bulk.Found) error {
			if f.Err != nil {
				got = append(got, strings.TrimSpace("error "+f.Place))
			} else {
				got = append(got, fmt.Sprintf("%s %s/%s", f.Place, f.Document.ResourceType(), f.Document.Root().Get("id").Text()))
			}
			return nil
		})
		slices.Sort(got)
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestEach(t *testing.T) {
	folder := write(t, map[string]string{
		"b.ndjson":     resource("Patient/2") + "\n\n" + resource("Patient/3") + "\n{\n" + resource("Patient/4"),
		"a.json":       resource("Patient/1"),
		"c/d.json":     `{"resourceType":"Bundle","id":"b","type":"transaction","entry":[]}` + resource("Patient/5"),
		"e.json":       resource("Patient/6") + " nothing",
		"passed.over":  "x",
		"f.json":       "[" + strings.Repeat(" ", 3000) + "]",
		"g.jsonl":      resource("Patient/7") + "\n" + strings.Repeat("x", 3000),
		"h-empty.json": "",
	})
	each := func(ctx context.Context, paths []string, visit func(bulk.Found) error) (int, error) {
		return bulk.Each(ctx, paths, bulk.Options{Stdin: strings.NewReader(resource("Patient/0")), Limits: loader.Limits{MaxDocument: 2000}}, visit)
	}
	var got []string
	note := func(f bulk.Found) error {
		what := "error"
		if f.Err == nil {
			what = f.Document.ResourceType() + "/" + f.Document.Root().Get("id").Text()
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", filepath.Base(f.File), f.Place, what)))
		return nil
	}
	files, err := each(t.Context(), []string{"-", folder}, note)
	if err != nil || files != 8 {
		t.Errorf("%d, %v", files, err)
	}
	want := []string{
		"standard input  Patient/0", "a.json  Patient/1", "b.ndjson line 1 Patient/2", "b.ndjson line 3 Patient/3", "b.ndjson line 4 error",
		"b.ndjson line 5 Patient/4", "d.json  Bundle/b", "d.json  Patient/5", "e.json  Patient/6", "e.json  error", "f.json  error",
		"g.jsonl line 1 Patient/7", "g.jsonl line 2 error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// an error of visit ends it, wherever it occurs
	enough := errors.New("enough")
	for _, most := range []int{1, 5, 10} {
		n := 0
		_, err := each(t.Context(), []string{folder}, func(bulk.Found) error {
			if n++; n == most {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || n != most {
			t.Errorf("%d: %d, %v", most, n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := each(ctx, []string{folder}, note); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := each(t.Context(), []string{filepath.Join(folder, "nothing")}, note); err == nil {
		t.Error("a path that is not there")
	}
}

// judge returns a Judge of R4 alone.
func judge() bulk.Judge {
	v := validate.New(definitions.R4())
	return func(_ context.Context, d *document.Document) ([]validate.Issue, error) { return v.Validate(d), nil }
}

func TestCheck(t *testing.T) {
	folder := write(t, map[string]string{
		"a.json":   resource("Patient/1", `"gender":"male"`),
		"b.ndjson": resource("Patient/2") + "\n" + resource("Patient/3", `"gender":"x","y":1`) + "\n{",
		"c.json":   `{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + resource("Patient/4", `"active":"yes"`) + `}]}`,
		"d.json":   "nothing",
	})
	var told []string
	done := 0
	sum, err := bulk.Check(t.Context(), judge(), []string{folder}, bulk.Options{Progress: func(p loader.Progress) { done = p.Resources }}, func(j bulk.Judgement) {
		line := fmt.Sprintf("%s %s %s/%s failed %v", strings.TrimPrefix(j.File, folder)[1:], j.Place, j.Type, j.ID, j.Failed())
		for _, i := range j.Issues {
			line += " " + i.Expression
		}
		told = append(told, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != 5 {
		t.Errorf("the progress says %d resources", done)
	}
	slices.Sort(told)
	want := []string{ // the expressions of the types are of dom-6
		"a.json  Patient/1 failed false Patient",
		"b.ndjson line 1 Patient/2 failed false Patient",
		"b.ndjson line 2 Patient/3 failed true Patient.gender Patient.y Patient",
		"b.ndjson line 3 / failed true",
		"c.json  Bundle/ failed true Bundle.entry[0].resource.active Bundle.entry[0].resource",
		"d.json  / failed true",
	}
	if !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if sum != (bulk.Checked{Files: 4, Resources: 6, Failed: 4}) {
		t.Errorf("%+v", sum)
	}
}

// TestXML reads a folder with resources in XML and JSON, and with XML of another kind.
func TestXML(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.xml":     `<Patient xmlns="http://hl7.org/fhir"><id value="a"/><gender value="x"/></Patient>`,
		"b.XML":     `<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/><entry><resource><Patient><id value="b"/></Patient></resource></entry></Bundle>`,
		"c.json":    `{"resourceType":"Patient","id":"c"}`,
		"d.xml":     "<Patient xmlns='http://hl7.org/fhir'>\n <gendre/></Patient>",
		"other.xml": `<ClaML version="2.0.0"/>`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]string{}
	visit := func(j bulk.Judgement) {
		text := ""
		if j.Err != nil {
			text = j.Err.Error()
		}
		for _, is := range j.Issues {
			text += is.R4().Diagnostics
		}
		found[filepath.Base(j.File)] = text
	}
	sum, err := bulk.Check(t.Context(), judge(), []string{folder}, bulk.Options{}, visit)
	if err != nil || sum.Files != 4 || sum.Resources != 4 || sum.Failed != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
	if text := found["a.xml"]; !strings.Contains(text, `"x" is not one of`) || strings.Contains(text, "line") {
		t.Errorf("a.xml: %s", text)
	}
	if text := found["d.xml"]; !strings.Contains(text, "line 2, column 2: Patient.gendre: unknown element") {
		t.Errorf("d.xml: %s", text)
	}
	// A file that is named is not skipped.
	if _, err := bulk.Check(t.Context(), judge(), []string{filepath.Join(folder, "other.xml")}, bulk.Options{}, visit); err != nil || !strings.Contains(found["other.xml"], "namespace") {
		t.Errorf("other.xml: %v, %s", err, found["other.xml"])
	}
	files, err := bulk.Each(t.Context(), []string{filepath.Join(folder, "b.XML")}, bulk.Options{}, func(f bulk.Found) error {
		if !f.XML || f.Err != nil || f.Document.ResourceType() != "Bundle" {
			t.Errorf("%+v", f)
		}
		return nil
	})
	if files != 1 || err != nil {
		t.Error(files, err)
	}
}
