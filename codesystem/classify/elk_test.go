package classify_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/resources/sharedtest"
)

var (
	large = flag.Bool("large", false, "also classify what takes minutes (.ci/classify)")
	keep  = flag.String("keep", "", "folder for the files that are classified")
)

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

// elk returns what ELK infers from a file, or false where Java or Maven is missing. If CI=true it
// fetches ELK once.
func elk(t *testing.T, file string) ([]string, bool) {
	t.Helper()
	home, err := os.UserHomeDir()
	folder := cmp.Or(os.Getenv("ROGET_ELK"), filepath.Join(home, ".cache", "roget-elk"))
	for _, program := range []string{"java", "mvn"} {
		if _, missing := exec.LookPath(program); missing != nil {
			err = missing
		}
	}
	ci := os.Getenv("CI") == "true"
	if _, unfetched := os.Stat(filepath.Join(folder, "ready")); err == nil && unfetched != nil && !ci {
		err = unfetched
	} else if err == nil && unfetched != nil {
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
		if ci {
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

// TestELK compares with ELK: HPO, generated ontologies, ChEBI with -large.
func TestELK(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, recorded string
		seed           uint64 // of a generated one
		classes        int
		large          bool
	}{
		{"g.ofn", "5002 classes, 23 unsatisfiable, 7586 lines, a746d286b57c", 7, 5000, false},
		{"g.obo", "5000 classes, 3 unsatisfiable, 6802 lines, f63000bfb6b1", 8, 5000, false},
		{"data/hpo/hp.v2024-04-26.json.gz", "18961 classes, 0 unsatisfiable, 23297 lines, 353ea06fc79d", 0, 0, false},
		{"data/chebi/chebi-105.obo.gz", "41136 classes, 0 unsatisfiable, 59864 lines, 4d6cb322dd44", 0, 0, true},
		{"large.ofn", "350002 classes, 9640 unsatisfiable, 760436 lines, 153b88e52578", 7, 350_000, true},
	} {
		if test.large && !*large {
			continue // .ci/classify compares it
		}
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			file, path := filepath.Join(cmp.Or(*keep, t.TempDir()), filepath.Base(strings.TrimSuffix(test.name, ".gz"))), ""
			var data []byte
			if test.classes > 0 {
				path, data = file, []byte(generate(test.seed, test.classes, strings.HasSuffix(file, ".obo")))
			} else {
				path = sharedtest.Path(t, test.name)
				data = unpacked(t, path)
			}
			if strings.HasSuffix(file, ".json") { // which OWLAPI does not read
				file += ".ofn"
				data = functional(t, data)
			}
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			o := classify.New()
			if err := formats.Axioms(t.Context(), []string{path}, loader.Options{}, o); err != nil {
				t.Fatal(err)
			}
			read := time.Since(start)
			x, err := o.Classify(t.Context(), classify.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("read %d ms, classified %d ms; ignored %v", read.Milliseconds(), (time.Since(start) - read).Milliseconds(), o.Ignored)
			compare(t, x, file, test.recorded)
		})
	}
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// functional converts an OBO graph of classes, is_a and chains to functional syntax.
func functional(t *testing.T, data []byte) []byte {
	t.Helper()
	var doc struct {
		Graphs []struct {
			Nodes               []struct{ ID, Type string }
			Edges               []struct{ Sub, Pred, Obj string }
			PropertyChainAxioms []struct {
				PredicateID       string
				ChainPredicateIDs []string
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("Ontology(\n")
	for _, g := range doc.Graphs {
		for _, n := range g.Nodes {
			if n.Type == "CLASS" {
				fmt.Fprintf(&b, "Declaration(Class(<%s>))\n", n.ID)
			}
		}
		for _, e := range g.Edges {
			if e.Pred != "is_a" {
				t.Fatalf("unexpected edge %v", e)
			}
			fmt.Fprintf(&b, "SubClassOf(<%s> <%s>)\n", e.Sub, e.Obj)
		}
		for _, c := range g.PropertyChainAxioms {
			fmt.Fprintf(&b, "SubObjectPropertyOf(ObjectPropertyChain(<%s>) <%s>)\n", strings.Join(c.ChainPredicateIDs, "> <"), c.PredicateID)
		}
	}
	b.WriteString(")\n")
	return b.Bytes()
}
