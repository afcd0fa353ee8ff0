package backend

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter"
)

// TestLogStart: the first line names the data folder, the store, the base address, how requests say
// who makes them, and where that is recorded; passwords and keys are not in it.
func TestLogStart(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		options cliadapter.ServeOptions
		want    map[string]string
	}{
		"defaults": {
			cliadapter.ServeOptions{Addr: "127.0.0.1:8080", Data: "data"},
			map[string]string{
				"data": filepath.Join(here, "data"), "store": "sqlite:" + filepath.Join(here, "data", "roget.db"), "addr": "127.0.0.1:8080",
				"baseURL": "that of each request", "authentication": "none", "audit": "none", "policy": "",
			},
		},
		"everything": {
			cliadapter.ServeOptions{
				Data: "/srv/roget", Store: "postgres://roget:S3cret@db.example/roget?sslmode=require&password=S3cret&sslpassword=S3cret",
				Edge: cliadapter.EdgeOptions{BaseURL: "https://tx.example/fhir"},
				Access: cliadapter.AccessOptions{
					Issuers:       []cliadapter.AccessIssuer{{URL: "https://id.example"}},
					Introspection: cliadapter.Introspection{URL: "https://id.example/introspect"},
					Tokens:        "tokens.toml", Basic: "htpasswd", Certificates: true, Policy: "policy.toml",
				},
				Audit: cliadapter.AuditOptions{Folder: "audit", Events: true, Key: auth.NewSecret("S3cret")},
			},
			map[string]string{
				"data": "/srv/roget", "store": "postgres://roget:xxxxx@db.example/roget?sslmode=require", "baseURL": "https://tx.example/fhir",
				"authentication": "jwt,introspection,token,basic,certificate", "policy": filepath.Join(here, "policy.toml"),
				"audit": filepath.Join(here, "audit") + ", AuditEvents in the store",
			},
		},
		"another file": {
			cliadapter.ServeOptions{Store: "sqlite:a folder/x.db", Access: cliadapter.AccessOptions{Policy: "/p.toml"}, Audit: cliadapter.AuditOptions{Events: true}},
			map[string]string{"store": "sqlite:" + filepath.Join(here, "a folder/x.db"), "authentication": "none", "policy": "/p.toml", "audit": "AuditEvents in the store"},
		},
		"memory":       {cliadapter.ServeOptions{Store: "memory:"}, map[string]string{"store": "memory:"}},
		"no address":   {cliadapter.ServeOptions{Store: "postgres://u:S3cret@[::1/x"}, map[string]string{"store": "?"}},
		"only secrets": {cliadapter.ServeOptions{Store: "postgres:///x?password=S3cret"}, map[string]string{"store": "postgres:///x"}},
	} {
		var log strings.Builder
		row.options.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		logStart(row.options)
		got := map[string]any{}
		if err := json.Unmarshal([]byte(log.String()), &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range row.want {
			if text, _ := got[key].(string); text != want {
				t.Errorf("%s: %s is %q, want %q", name, key, text, want)
			}
		}
		if strings.Contains(log.String(), "S3cret") {
			t.Errorf("%s: %s", name, log.String())
		}
	}
}

// Messages name the wrong input and what to type instead.
func TestMessages(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, patient := file("empty.ndjson", ""), file("patient.json", `{"resourceType":"Patient","id":"p"}`)
	nameless := file("nameless.json", strings.Replace(letters, `"url":"http://example.org/letters",`, "", 1))
	loaded := file("letters.json", letters)
	data := filepath.Join(folder, "data")
	if code, _, errs := cli(t, "import", patient, "--data", data); code != 0 {
		t.Fatal(errs)
	}
	const below = "Condition?code:below=http://snomed.info/sct|73211009"
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"search", below, "--data", data}, 3, "SNOMED CT is not loaded: load it with roget load RELEASE.zip --data " + data},
		{[]string{"search", strings.Replace(below, "snomed.info/sct", "example.org/none", 1), "--data", data}, 3, "the code system is not loaded: load it with roget load PATH"},
		{[]string{"lookup", "male"}, 2, "flag --system is missing: the code system to ask; male is a code of http://hl7.org/fhir/administrative-gender"},
		{[]string{"lookup", "a", "--load", loaded}, 2, "a is a code of http://example.org/letters"},
		{[]string{"lookup", "no such code"}, 2, "no code system that is loaded has the code no such code"},
		{[]string{"lookup", "a", "--system", "letters", "--load", nameless}, 3, "what is loaded has no url: letters (nameless.json)"},
		{[]string{"load", "http://example.org/a/x.tgz", "--data", data}, 2, "curl -LO http://example.org/a/x.tgz, then name the file x.tgz"},
		{[]string{"list", "--load", "https://example.org/x.json"}, 2, "https://example.org/x.json is a URL"},
		{[]string{"validate", empty}, 3, "found no resource in " + empty},
		{[]string{"score", patient}, 3, "found no QuestionnaireResponse in " + patient},
		{[]string{"search", "Patient?name=x", "--store", "memory:"}, 2, "--store memory: is empty when a command starts"},
	} {
		code, _, errs := cli(t, tt.args...)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("roget %s: exit code %d, want %d; no %q in\n%s", strings.Join(tt.args, " "), code, tt.code, tt.want, errs)
		}
	}
}

func TestDefaultMemory(t *testing.T) {
	const meminfo = "MemFree: 1 kB\nMemTotal:       16777216 kB\nMemAvailable: 5 kB\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"machine", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice\n"}, 8 << 30},
		{"version 2", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1073741824\n"}, 768 << 20},
		{"version 2 in a container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/docker-1\n", "sys/fs/cgroup/memory.max": "2147483648\n"}, 1536 << 20},
		{"version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/c\n1:name=systemd:/c\n", "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "536870912\n"}, 384 << 20},
		{"version 1 without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8 << 30},
		{"tiny", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4096\n"}, 256 << 20},
		{"nothing is known", nil, 2 << 30},
		{"garbage", map[string]string{"proc/meminfo": "MemTotal: x", "proc/self/cgroup": "::\n\n0::../..\n", "sys/fs/cgroup/memory.max": "-1"}, 2 << 30},
	} {
		root := fstest.MapFS{}
		for name, text := range row.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := defaultMemory(root); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

// TestPlanMemory checks that the shares fit into the heap with room for the rest, and that the heap and
// what lies outside of it fit into the whole.
func TestPlanMemory(t *testing.T) {
	for _, total := range []int64{cliadapter.MinMemory, 512 << 20, 1 << 30, 64 << 30} {
		p := planMemory(total)
		sum := p.answers + p.requests + p.cache + p.columns + p.overlays.CacheBytes + p.overlays.RememberedBytes
		if sum > p.heap*4/5 || int64(p.page) > p.answers/4 || p.page < 1<<20 || p.heap+p.store+programBytes > total || p.store < 8<<20 {
			t.Errorf("%d bytes: the shares have %d; %+v", total, sum, p)
		}
	}
}

func TestCheckMemory(t *testing.T) {
	const meminfo, group = "MemTotal: 16777216 kB\n", "0::/a\n"
	for _, row := range []struct {
		name   string
		files  map[string]string
		memory int64
		want   string // in the error, "" for none
	}{
		{"the default", map[string]string{"proc/meminfo": meminfo}, 0, ""},
		{"all", map[string]string{"proc/meminfo": meminfo}, 16 << 30, ""},
		{"more", map[string]string{"proc/meminfo": meminfo}, 100 << 40, "--memory is 104857600 MiB, which is more than this machine has (16384 MiB)"},
		{"more than the group", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": group, "sys/fs/cgroup/a/memory.max": "1073741824"}, 2 << 30, "the cgroup of the service may use (1024 MiB)"},
		{"a group on an unknown machine", map[string]string{"proc/self/cgroup": group, "sys/fs/cgroup/a/memory.max": "9663676416"}, 10 << 30, "(9216 MiB)"},
		{"nothing is known", nil, 100 << 40, ""},
	} {
		root := fstest.MapFS{}
		for name, text := range row.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		err := checkMemory(&cliadapter.ServeOptions{Bounds: cliadapter.BoundsOptions{Memory: row.memory}}, root)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// TestConformanceFigure compares the figure on the page about the server with that of the README.
func TestConformanceFigure(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "<!-- conformance -->" + conformance + "<!-- /conformance -->"; !strings.Contains(string(readme), want) {
		t.Errorf("the README does not have %s", want)
	}
}
