package backend

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/roget-health/roget/cliadapter"
)

// operated opens a service with metrics, and sends it requests of each kind.
func operated(t *testing.T, o cliadapter.ServeOptions) *Service {
	t.Helper()
	data, _, _ := loadLetters(t)
	o.Data, o.Store, o.Samples, o.Base, o.CacheSize, o.MaxBody = data, "memory:", true, true, 1<<20, 1<<20
	o.Metrics, o.Operations.Addr, o.ExpandDefaultCount, o.ExpandLimit = true, "127.0.0.1:0", 100, 1000
	o.Version.Version = "v1.2.3"
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	svc, err := Open(t.Context(), o, silent{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	const patient = `{"resourceType":"Patient","id":"p-secret","identifier":[{"value":"12345-secret"}]}`
	send := func(method, path, body string, want int) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/fhir+json")
		r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		w := httptest.NewRecorder()
		svc.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
	}
	send("PUT", "/Patient/p-secret", patient, 201)
	send("GET", "/Patient/p-secret", "", 200)
	send("GET", "/Patient/q-secret", "", 404)
	send("GET", "/Patient?identifier=12345-secret", "", 200)
	send("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Patient/p-secret"}}]}`, 200)
	send("POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Patient/x-secret"}}]}`, 200)
	send("GET", "/CodeSystem/$lookup?system=http://example.org/letters&code=b", "", 200)
	send("GET", "/ValueSet/$expand?url=https://roget.health/fhir/ValueSet/pets", "", 200)
	return svc
}

var (
	metricInDoc  = regexp.MustCompile("(?m)^\\| `(roget_[a-z_]+)` \\| (gauge|counter|histogram) \\|")
	metricServed = regexp.MustCompile(`(?m)^# TYPE ([a-z_]+) ([a-z]+)$`)
	metricUsed   = regexp.MustCompile(`\b(?:roget|go|process)_[a-z_]+\b`)
)

// TestMetricsAreDocumented: the table of metrics has what the server serves, and nothing else; the
// dashboard and the alert rules use only that.
func TestMetricsAreDocumented(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	svc := operated(t, cliadapter.ServeOptions{
		Operations: cliadapter.OperationsOptions{OTLP: collector.URL},
		Audit:      cliadapter.AuditOptions{Folder: t.TempDir(), Events: true},
	})
	w := httptest.NewRecorder()
	svc.handler.OperationsHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	served := map[string]string{"roget_store_connections": "gauge"} // with PostgreSQL
	for _, found := range metricServed.FindAllStringSubmatch(w.Body.String(), -1) {
		served[found[1]] = found[2]
	}
	const folder = "../../docs/operations/"
	table, err := os.ReadFile(folder + "metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, found := range metricInDoc.FindAllStringSubmatch(string(table), -1) {
		documented[found[1]] = true
		if served[found[1]] != found[2] {
			t.Errorf("%s is documented as %s, and served as %q", found[1], found[2], served[found[1]])
		}
	}
	for name := range served {
		if strings.HasPrefix(name, "roget_") && !documented[name] {
			t.Errorf("%s is not in %smetrics.md", name, folder)
		}
	}
	for _, file := range []string{"dashboard.json", "alerts.yaml", "metrics.md"} {
		text, err := os.ReadFile(folder + file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("%s is not JSON", file)
		}
		used := metricUsed.FindAllString(string(text), -1)
		if len(used) < 10 {
			t.Errorf("%s uses %d metrics", file, len(used))
		}
		for _, name := range used {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
			if served[name] == "" && served[base] != "histogram" && name != "go_" && name != "process_" {
				t.Errorf("%s: the server has no metric %s", file, name)
			}
		}
	}
}

// TestTraces: the spans of requests hang together and have no data of patients and no codes.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	spans := map[string][]*v1.Span{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		message := new(collector.ExportTraceServiceRequest)
		if err != nil || proto.Unmarshal(body, message) != nil {
			t.Error("not a request of OTLP")
		}
		if strings.Contains(string(body), "secret") || strings.Contains(string(body), "letters") || strings.Contains(string(body), "12345") {
			t.Error("spans have data of requests")
		}
		mu.Lock()
		defer mu.Unlock()
		for _, s := range message.ResourceSpans[0].ScopeSpans[0].Spans {
			spans[s.Name] = append(spans[s.Name], s)
		}
	}))
	defer receiver.Close()
	var log strings.Builder
	svc := operated(t, cliadapter.ServeOptions{
		Operations: cliadapter.OperationsOptions{OTLP: receiver.URL}, AccessLog: true,
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	svc.Close()
	for _, edge := range [][2]string{
		{"update Patient", "validate"},
		{"read Patient", "store-read"},
		{"search Patient", "search"},
		{"search", "store-view"},
		{"batch", "read Patient"},
		{"transaction", "store-transact"},
		{"lookup CodeSystem", "lookup"},
		{"expand ValueSet", "expand"},
	} {
		if !slices.ContainsFunc(spans[edge[1]], func(child *v1.Span) bool {
			return slices.ContainsFunc(spans[edge[0]], func(s *v1.Span) bool { return string(s.SpanId) == string(child.ParentSpanId) })
		}) {
			t.Errorf("no span %q within %q: %v", edge[1], edge[0], spans)
		}
	}
	lines := 0
	for line := range strings.Lines(log.String()) {
		if !strings.Contains(line, `"msg":"request"`) {
			continue
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		lines++
		for key, sample := range map[string]any{"id": "", "method": "", "action": "", "type": "", "status": 0.0, "ms": 0.0, "bytes": 0.0, "client": "", "trace": ""} {
			if _, text := sample.(string); got[key] == nil || text != func() bool { _, is := got[key].(string); return is }() {
				t.Errorf("%s: %v in %s", key, got[key], line)
			}
		}
		if got["trace"] != "4bf92f3577b34da6a3ce929d0e0e4736" || got["path"] != nil {
			t.Errorf("%s", line)
		}
	}
	if lines < 8 || strings.Contains(log.String(), "secret") {
		t.Errorf("%d lines of requests\n%s", lines, log.String())
	}
}

// TestView runs views over the store and over files, with codes of files.
func TestView(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	definition := func(more string) string {
		return `{"resource":"Patient","select":[{"column":[{"name":"id","path":"id"},{"name":"g","path":"name.given"}]}]` + more + `}`
	}
	patients := file("patients.ndjson", `{"resourceType":"Patient","id":"1","gender":"male","name":[{"given":["A"]}]}`+"\n"+
		`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"2","gender":"female"}}]}`+"\n")
	two := file("two.ndjson", `{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}`)
	plain := file("plain.json", definition(""))
	coded := file("coded.json", definition(`,"where":[{"path":"gender.memberOf('http://example.org/v')"}]`))
	wrong := file("wrong.json", definition(`,"where":[{"path":"gender ="}]`))
	values := file("values.json", `{"resourceType":"ValueSet","url":"http://example.org/v","status":"active","compose":{"include":[{"system":"http://hl7.org/fhir/administrative-gender","concept":[{"code":"female"}]}]}}`)
	data := filepath.Join(folder, "data")
	if code, out, errs := cli(t, "import", patients, "--data", data); code != 0 {
		t.Fatal(out, errs)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{plain + " --data " + data, 0, "id,g\n1,A\n2,\n"},
		{plain + " --data " + data + " --limit 1 --no-header", 0, "1,A\n"},
		{plain + " " + patients + " -o ndjson", 0, "{\"id\":\"1\",\"g\":\"A\"}\n{\"id\":\"2\",\"g\":null}\n"},
		{coded + " " + patients + " --load " + values, 0, "id,g\n2,\n"},
		{coded + " --data " + data + " --load " + values + " -o json", 0, "[{\"id\":\"2\",\"g\":null}]\n"},
		{coded + " --data " + data, 3, "ViewDefinition.where[0].path: "},
		{wrong + " " + patients, 3, wrong + ": ViewDefinition.where[0].path: "},
		{plain + " " + two, 3, "plain.json Patient/1: ViewDefinition"},
		{plain + " " + wrong + "x", 3, "wrong.jsonx"},
		{plain + " --limit x", 2, "--limit"},
	} {
		code, out, errs := cli(t, append([]string{"view", "-q"}, strings.Fields(test.args)...)...)
		if code != test.code || code == 0 && out != test.want || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit code %d, want %d; no %q in\n%s%s", test.args, code, test.code, test.want, out, errs)
		}
	}
}

// TestValidateProfiles checks files against the profiles of a package, with and without value sets.
func TestValidateProfiles(t *testing.T) {
	const (
		pkg = "../../resources/profile/testdata/package.ndjson"
		url = "http://example.org/fhir/StructureDefinition/organization"
	)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all, err := os.ReadFile(pkg)
	if err != nil {
		t.Fatal(err)
	}
	var definitions []string
	for line := range strings.Lines(string(all)) {
		if strings.Contains(line, `"StructureDefinition"`) {
			definitions = append(definitions, strings.TrimSpace(line))
		}
	}
	alone := file("definitions.ndjson", strings.Join(definitions, "\n"))
	bundled := file("bundle.json", `{"resourceType":"Bundle","type":"collection","entry":[{"resource":`+strings.Join(definitions, `},{"resource":`)+`}]}`)
	bad := file("bad.json", `{"resourceType":"Organization","identifier":[{"value":"1"}]}`)
	grouped := file("person.json", `{"resourceType":"Patient","maritalStatus":{"text":"m"}}`)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{bad}, 0, "0 with errors"},
		{[]string{bad, "--profile", url}, 0, "is not checked: the profile is not known"},
		{[]string{bad, "--profile", url, "--load", pkg}, 1, "Organization.name"},
		{[]string{bad, "--profile", url, "--load", alone}, 1, "Organization.name"},
		{[]string{bad, "--profile", url, "--load", bundled}, 1, "Organization.name"},
		{[]string{grouped, "--profile", strings.Replace(url, "organization", "patient", 1), "--load", pkg}, 1, "there is no code of the value set"},
		{[]string{bad, "--profile", url, "--load", folder + "/none"}, 3, "no such file"},
	} {
		code, out, errs := cli(t, append([]string{"validate"}, test.args...)...)
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit code %d, want %d; no %q in\n%s%s", strings.Join(test.args, " "), code, test.code, test.want, out, errs)
		}
	}
}
