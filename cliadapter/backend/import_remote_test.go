package backend

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

// TestImportManifest reads each file of a manifest until it is whole, on hosts that are named.
func TestImportManifest(t *testing.T) {
	t.Setenv("TEST_ROGET_IMPORT_TOKEN", "secret")
	var mu sync.Mutex // files are read side by side
	asked, down := map[string]int{}, true
	var manifest string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/m":
			fmt.Fprint(w, manifest)
		case r.URL.Path == "/packed":
			z := gzip.NewWriter(w)
			fmt.Fprint(z, `{"resourceType":"Patient","id":"a"}`+"\n"+`{"resourceType":"Patient","id":"b"}`)
			z.Close()
		case r.URL.Path == "/cut" && down:
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"resourceType":"Patient","id":"c"}`+"\n"+`{"resourceType":"Pat`)
		case r.URL.Path == "/cut":
			fmt.Fprint(w, `{"resourceType":"Patient","id":"c"}`+"\n"+`{"resourceType":"Patient","id":"d"}`)
		case r.URL.Path == "/gone":
			fmt.Fprint(w, `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Patient/z"}}]}`)
		default:
			http.Redirect(w, r, "/m", http.StatusFound)
		}
	}))
	defer server.Close()
	data := t.TempDir()
	const list = `{"transactionTime":"2026-01-01T00:00:00Z","output":[{"type":"Patient","url":"packed"},{"url":"%s/cut"}],"deleted":[{"url":"gone"}]}`
	for _, row := range []struct {
		name, manifest, path string
		up                   bool
		code                 int
		want                 string
	}{
		{"cut", fmt.Sprintf(list, server.URL), "/m", false, 3, "unexpected EOF"},
		{"again", fmt.Sprintf(list, server.URL), "/m", true, 0, "1 stored, 1 unchanged"},
		{"no manifest", `{"resourceType":"Patient"}`, "/m", true, 3, "no output"},
		{"another host", `{"output":[{"url":"https://example.org/x"}]}`, "/m", true, 3, "--host example.org"},
		{"another machine by http", `{"output":[{"url":"http://example.com/x"}]}`, "/m", true, 3, "only https"},
		{"no file", `{"output":[{"url":"file:///etc/passwd"}]}`, "/m", true, 3, "not an http or https URL"},
		{"redirected", "", "/elsewhere", true, 3, "302"},
	} {
		mu.Lock()
		manifest, down = row.manifest, !row.up
		mu.Unlock()
		code, out, errs := cli(t, "import", server.URL+row.path, "--data", data, "--host", "example.com")
		if code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("%s: %d %s %s", row.name, code, out, errs)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if asked["/packed"] != 1 || asked["/cut"] != 2 {
		t.Errorf("asked for %v", asked)
	}
	if _, out, _ := cli(t, "export", "--data", data); strings.Count(out, `"Patient"`) != 4 {
		t.Errorf("stored: %s", out)
	}
}

// TestImportHosts: $import reads named hosts only, and this machine by its port.
func TestImportHosts(t *testing.T) {
	remote := cliadapter.NewRemote("import-hosts", []string{"data.example", "lake.example:8443", "127.0.0.1:9000"})
	for url, want := range map[string]string{
		"https://data.example/x": "", "https://DATA.example:443/x?sig=1": "", "https://lake.example:8443/x": "", "http://127.0.0.1:9000/x": "",
		"https://data.example:8443/x": "--import-hosts data.example:8443", "https://lake.example/x": "--import-hosts", "http://data.example/x": "only https",
		"http://127.0.0.1/x": "--import-hosts", "http://localhost:9000/x": "--import-hosts", "https://169.254.169.254/x": "--import-hosts",
		"https://a:b@data.example/x": "no credentials are sent", "file:///etc/passwd": "not an https URL", "data.example/x": "not an https URL", "https://data.example.evil.example/": "--import-hosts",
	} {
		if err := remote.Check(url); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, row := range []struct{ args, want string }{
		{"--imports a", "--import-hosts"},
		{"--import-hosts data.example", "--imports"},
		{"--imports a --import-hosts https://data.example", "is not a host"},
		{"--imports a --exports ./a --import-hosts data.example", "folder of --exports"},
	} {
		if code, _, errs := cli(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, strings.Fields(row.args)...)...); code != 2 || !strings.Contains(errs, row.want) {
			t.Errorf("%s: %d %s", row.args, code, errs)
		}
	}
}
