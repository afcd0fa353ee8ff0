package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
)

// init serves the floor when this binary was started again for that.
func init() {
	if addr := os.Getenv("ROGET_FLOOR_ADDR"); addr != "" {
		serveFloor(addr, os.Getenv("ROGET_FLOOR_BYTES"))
		os.Exit(0)
	}
}

// serveFloor answers every request with a constant body: the most an HTTP server
// made of net/http and httprouter can give on this machine.
func serveFloor(addr, size string) {
	n, err := strconv.Atoi(size)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor: size:", err)
		os.Exit(2)
	}
	body := []byte(strings.Repeat("x", n))
	router := httprouter.New()
	router.GET("/baseR4/:type/:op", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.Header().Set("Content-Type", "application/fhir+json")
		_, _ = w.Write(body)
	})
	if err := http.ListenAndServe(addr, router); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(3)
	}
}

// BenchmarkHTTP drives $lookup, $subsumes and $validate-code of a running server, and
// the floor with a body of the same size, with the same wrk command in one run, and
// reports requests a second of both and their ratio. It needs wrk and
// ROGET_BENCH_DATA, a data folder that holds one large code system:
//
//	roget load --data /tmp/bench CodeSystem-synthetic-clinical.json.gz
//	ROGET_BENCH_DATA=/tmp/bench go test -run '^$' -bench HTTP -benchtime 1x .
func BenchmarkHTTP(b *testing.B) {
	data := os.Getenv("ROGET_BENCH_DATA")
	if data == "" {
		b.Skip("set ROGET_BENCH_DATA to a data folder with a large code system")
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Skip("needs wrk (Debian package wrk)")
	}
	srv := serve(b, released, "--data", data, "--no-samples")
	system, codes := benchCodes(b, srv.url, data)
	root := benchRoot(b, srv.url, system)
	q := url.QueryEscape
	paths := map[string]func(i int) string{
		"lookup": func(i int) string {
			return "/baseR4/CodeSystem/$lookup?system=" + q(system) + "&code=" + q(codes[i%len(codes)])
		},
		"subsumes": func(i int) string {
			return "/baseR4/CodeSystem/$subsumes?system=" + q(system) + "&codeA=" + q(codes[i%len(codes)]) + "&codeB=" + q(codes[(i*7+1)%len(codes)])
		},
		"validate-code": func(i int) string {
			return "/baseR4/ValueSet/$validate-code?url=" + q(system+"?fhir_vs=isa/"+root) + "&system=" + q(system) + "&code=" + q(codes[i%len(codes)])
		},
	}
	for _, name := range []string{"lookup", "subsumes", "validate-code"} {
		b.Run(name, func(b *testing.B) {
			script := wrkScript(b, paths[name])
			size := meanSize(b, srv.url, paths[name])
			floor := startFloor(b, size)
			for b.Loop() {
				var best, base float64
				for range 3 { // in turn, so that drift of the machine hits both
					best = max(best, wrk(b, srv.url, script))
					base = max(base, wrk(b, floor, script))
				}
				b.ReportMetric(best, "req/s")
				b.ReportMetric(base, "floor-req/s")
				b.ReportMetric(100*best/base, "%floor")
				b.ReportMetric(float64(size), "body-B")
			}
		})
	}
	b.Run("resident", func(b *testing.B) {
		fresh := serve(b, released, "--data", data, "--no-samples")
		rng := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			for i := range 10000 {
				var path string
				code := codes[rng.IntN(len(codes))]
				switch i % 5 {
				case 0, 1, 2:
					path = paths[[]string{"lookup", "subsumes", "validate-code"}[i%5]](rng.IntN(1 << 20))
				case 3:
					path = "/ValueSet/$expand?count=10&url=" + q(system+"?fhir_vs=isa/"+code)
				case 4:
					path = "/ValueSet/$expand?count=10&url=" + q(system+"?fhir_vs") + "&filter=" + q(code[:3])
				}
				get(b, fresh.url+path)
			}
			b.ReportMetric(float64(resident(b, fresh.cmd.Process.Pid))/1e6, "RSS-MB")
		}
	})
}

// resident reads the resident set of a process, in bytes (Linux).
func resident(tb testing.TB, pid int) int64 {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Skip("needs /proc: ", err)
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return kb * 1024
}

func get(tb testing.TB, url string) []byte {
	tb.Helper()
	response, err := http.Get(url)
	if err != nil {
		tb.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		tb.Fatalf("GET %s: %s\n%s", url, response.Status, body)
	}
	return body
}

// benchCodes gives the url of the largest code system of a data folder and a random
// thousand of its codes.
func benchCodes(tb testing.TB, base, data string) (system string, codes []string) {
	tb.Helper()
	out, errs, exit := run(tb, "stats", "--data", data, "--output", "json")
	if exit != 0 {
		tb.Fatal(errs)
	}
	var stats []struct {
		URL      string `json:"url"`
		Concepts int    `json:"concepts"`
	}
	if err := json.Unmarshal([]byte(out), &stats); err != nil {
		tb.Fatal(err)
	}
	concepts := 0
	for _, s := range stats {
		if s.Concepts > concepts {
			system, concepts = s.URL, s.Concepts
		}
	}
	rng := rand.New(rand.NewPCG(42, 42))
	for len(codes) < 1000 {
		path := fmt.Sprintf("/ValueSet/$expand?count=1&activeOnly=true&offset=%d&url=%s", rng.IntN(concepts*9/10), url.QueryEscape(system+"?fhir_vs"))
		codes = append(codes, contains(tb, get(tb, base+path))...)
	}
	return system, codes
}

// benchRoot gives a code with many descendants: the second concept in preorder.
func benchRoot(tb testing.TB, base, system string) string {
	tb.Helper()
	codes := contains(tb, get(tb, base+"/ValueSet/$expand?count=2&activeOnly=true&url="+url.QueryEscape(system+"?fhir_vs")))
	return codes[len(codes)-1]
}

func contains(tb testing.TB, expansion []byte) (codes []string) {
	tb.Helper()
	var vs struct {
		Expansion struct {
			Contains []struct {
				Code string `json:"code"`
			} `json:"contains"`
		} `json:"expansion"`
	}
	if err := json.Unmarshal(expansion, &vs); err != nil {
		tb.Fatal(err)
	}
	for _, c := range vs.Expansion.Contains {
		codes = append(codes, c.Code)
	}
	return codes
}

func meanSize(tb testing.TB, base string, path func(int) string) int {
	total := 0
	for i := range 100 {
		total += len(get(tb, base+path(i)))
	}
	return total / 100
}

// wrkScript writes a script for wrk that walks through a thousand paths.
func wrkScript(tb testing.TB, path func(int) string) string {
	var lua strings.Builder
	lua.WriteString("local paths = {\n")
	for i := range 1000 {
		fmt.Fprintf(&lua, "%q,\n", path(i))
	}
	lua.WriteString("}\nlocal i = 0\nfunction request()\n i = i % #paths + 1\n return wrk.format(nil, paths[i])\nend\n")
	file := filepath.Join(tb.TempDir(), "requests.lua")
	if err := os.WriteFile(file, []byte(lua.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

func startFloor(tb testing.TB, size int) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ROGET_FLOOR_ADDR="+addr, "ROGET_FLOOR_BYTES="+strconv.Itoa(size))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 100 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return "http://" + addr
		}
		time.Sleep(20 * time.Millisecond)
	}
	tb.Fatal("the floor does not listen")
	return ""
}

var wrkRate = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

// wrk runs one load of four seconds and gives requests a second.
func wrk(tb testing.TB, base, script string) float64 {
	tb.Helper()
	out, err := exec.Command("wrk", "-t", "2", "-c", "10", "-d", "4s", "-s", script, base).CombinedOutput()
	if err != nil {
		tb.Fatalf("wrk: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "Non-2xx") {
		tb.Fatalf("wrk saw errors:\n%s", out)
	}
	m := wrkRate.FindSubmatch(out)
	if m == nil {
		tb.Fatalf("wrk: no rate in\n%s", out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		tb.Fatal(err)
	}
	return rate
}
