package classify_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/classify/owl"
)

var large = flag.Bool("large", false, "also classify what takes minutes (.ci/classify)")

// lines lists the inferred hierarchy as testdata/elk/Elk.java does: nodes by their first name.
func lines(x *classify.Taxonomy) []string {
	first := map[classify.Expr]string{classify.Top: "owl:Thing"}
	var list []string
	name := func(node classify.Expr) string {
		text, ok := first[node]
		if !ok {
			for _, c := range x.Members(node) {
				if n := x.Name(c); text == "" || n < text {
					text = n
				}
			}
			first[node] = text
		}
		return text
	}
	for _, c := range x.Classes {
		switch n := x.Node(c); n {
		case classify.Bottom:
			list = append(list, x.Name(c)+"!")
		default:
			if own := x.Name(c); own != name(n) {
				list = append(list, name(n)+"="+own)
			}
			if n == c {
				for _, p := range x.Parents(c) {
					list = append(list, name(c)+"<"+name(p))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// elk returns what ELK infers from a file, or false where Java or Maven is missing. It fetches ELK
// once.
func elk(t *testing.T, file string) ([]string, bool) {
	t.Helper()
	home, err := os.UserHomeDir()
	folder := cmp.Or(os.Getenv("ROGET_ELK"), filepath.Join(home, ".cache", "roget-elk"))
	for _, program := range []string{"java", "mvn"} {
		if _, missing := exec.LookPath(program); missing != nil {
			err = missing
		}
	}
	if _, unfetched := os.Stat(filepath.Join(folder, "ready")); err == nil && unfetched != nil {
		jars := "-DoutputDirectory=" + filepath.Join(folder, "jars")
		var out []byte
		out, err = exec.CommandContext(t.Context(), "mvn", "-q", "-B", "-f", "testdata/elk/pom.xml", "dependency:copy-dependencies", jars).CombinedOutput()
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "ready"), nil, 0o600)
		} else {
			t.Logf("%.500s", out)
		}
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("Java 17, Maven and ELK are required if CI=true: %v", err)
		}
		t.Logf("compared with recorded figures only, because there is no ELK: %v", err)
		return nil, false
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Xmx6g", "-cp", filepath.Join(folder, "jars", "*"), "testdata/elk/Elk.java", file)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %.500s", err, &errs)
	}
	t.Logf("ELK: %s", strings.TrimSpace(errs.String()))
	list := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(list)
	return list, true
}

// compare compares the inferred hierarchy with that of ELK, and with recorded figures.
func compare(t *testing.T, x *classify.Taxonomy, file, recorded string) {
	t.Helper()
	got := lines(x)
	sum := sha256.Sum256([]byte(strings.Join(got, "\n")))
	if figures := fmt.Sprintf("%d classes, %d unsatisfiable, %d lines, %x", len(x.Classes), len(x.Unsatisfiable), len(got), sum[:6]); figures != recorded {
		t.Errorf("got  %s\nwant %s", figures, recorded)
	}
	want, ok := elk(t, file)
	if !ok {
		return
	}
	known := map[string]bool{}
	for _, c := range x.Classes {
		known[x.Name(c)] = true
	}
	want = slices.DeleteFunc(want, func(line string) bool { // alternate identifiers, which are classes to OWLAPI
		c, alone := strings.CutSuffix(line, "<owl:Thing")
		return alone && !known[c]
	})
	for _, list := range []struct {
		name string
		a, b []string
	}{{"ELK does not infer", got, want}, {"only ELK infers", want, got}} {
		in := map[string]bool{}
		for _, line := range list.b {
			in[line] = true
		}
		n := 0
		for _, line := range list.a {
			if !in[line] {
				if n++; n < 10 {
					t.Errorf("%s %s", list.name, line)
				}
			}
		}
		if n > 0 {
			t.Errorf("%s: %d of %d", list.name, n, len(list.a))
		}
	}
}

// TestELK compares with ELK on generated ontologies.
func TestELK(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed     uint64
		n        int
		recorded string
	}{
		{7, 5000, "5002 classes, 23 unsatisfiable, 7586 lines, a746d286b57c"},
		{42, 350_000, ""},
	} {
		if test.n > 100_000 && !*large {
			continue
		}
		text := generate(test.seed, test.n, false)
		file := filepath.Join(t.TempDir(), "g.ofn")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := classify.New()
		r := owl.NewReader(o)
		if err := r.Read(text); err != nil {
			t.Fatal(err)
		}
		if len(r.Ignored) > 0 {
			t.Errorf("ignored %v", r.Ignored)
		}
		x, err := o.Classify(t.Context(), classify.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, x, file, test.recorded)
	}
}
