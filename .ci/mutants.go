// Command mutants changes the code in many small ways and lists the changes that no test notices. See
// .ci/mutants, which starts it at the root of the tree. mutate.go makes the changes, mutants_judge.go tries
// them, and this file draws the sample.
//
// All mutants of a package are in one program: an overlay guards each with its number, and the
// environment chooses one. So a package is built once, and tells which of its tests reach which mutant.
// Constants of packages cannot be guarded; each takes a program of its own.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// judges are the packages whose tests also judge what those of a package do not notice: the SQL stores have
// most tests of what they share, and requests decide what is permitted.
var judges = map[string][]string{
	"adapters/internal/sqlstore": {"adapters/sqlite", "adapters/postgres"},
	"engine/*":                   {"engine", "engine/operation", "httpadapter/txtest"},
	"resources":                  {"httpadapter"},
	"resources/synth":            {"resources/synth/pinned"},
}

// changed returns the lines of each file that differ from a revision.
func changed(revision string) (map[string]map[int]bool, error) {
	out, err := exec.Command("git", "diff", "-U0", revision, "--", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", revision, err)
	}
	lines := map[string]map[int]bool{}
	var file string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ b/"); ok {
			file = name
			lines[file] = map[int]bool{}
		} else if found := regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`).FindStringSubmatch(line); found != nil {
			first, _ := strconv.Atoi(found[1])
			n, _ := strconv.Atoi(cmp.Or(found[2], "1"))
			for i := range n {
				lines[file][first+i] = true
			}
		}
	}
	return lines, nil
}

// summary prints how many mutants of how many were noticed in each package, and compares that with a
// file, which may only get better.
func summary(results, file string, write bool) error {
	text, err := os.ReadFile(results)
	if err != nil {
		return err
	}
	type count struct{ noticed, all, equivalent int }
	counts := map[string]count{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, "\t")
		if len(fields) < 4 || fields[2] == "invalid" {
			continue
		}
		dir := filepath.Dir(strings.SplitN(fields[1], ":", 2)[0])
		for _, name := range []string{dir, "all"} {
			c := counts[name]
			switch fields[2] {
			case "equivalent":
				c.equivalent++
			case "noticed":
				c.noticed++
				c.all++
			default:
				c.all++
			}
			counts[name] = c
		}
	}
	var out strings.Builder
	var worse []error
	before, _ := os.ReadFile(file) // there is none before the first run
	for line := range strings.Lines(string(before)) {
		var name string
		var noticed, all, equivalent int
		if n, _ := fmt.Sscan(line, &name, &noticed, &all, &equivalent); n >= 3 && name != "all" {
			if c := counts[name]; c.all >= 20 && c.noticed*all < noticed*c.all {
				worse = append(worse, fmt.Errorf("%s: tests notice %d of %d mutants, and noticed %d of %d", name, c.noticed, c.all, noticed, all))
			} else if c.all == 0 { // not tried this time
				counts[name] = count{noticed, all, equivalent}
				sum := counts["all"]
				counts["all"] = count{sum.noticed + noticed, sum.all + all, sum.equivalent + equivalent}
			}
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintln(&out, name, counts[name].noticed, counts[name].all, counts[name].equivalent)
	}
	fmt.Print(out.String())
	if err := errors.Join(worse...); err != nil || !write {
		return err
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func start() error {
	seed := flag.String("seed", "1", "chooses the sample")
	count := flag.Int("count", 3000, "mutants in the sample")
	since := flag.String("changed", "", "only mutants of lines that differ from this revision")
	results := flag.String("results", "mutants.tsv", "file of outcomes; a run continues it")
	limit := flag.Duration("limit", 1000*time.Hour, "ends the run after this time")
	counts := flag.String("counts", ".ci/mutants.txt", "file of the counts of packages, which may only get better")
	write := flag.Bool("write", false, "write the counts of the results")
	again := flag.Bool("again", false, "try the survivors of the results again")
	only := flag.String("only", "", "judge only the packages of the sample whose import path matches this expression")
	each := flag.Duration("each", 20*time.Second, "of the time of a processor for a step of the tests of a mutant")
	equivalents := flag.String("equivalent", ".ci/mutants.equivalent", "file of mutants that change nothing: path, function, operator, text and reason, separated by tabs")
	flag.Parse()
	ctx := context.Background()
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	_ = os.Chmod(work, 0o711)
	r := &run{work: work, done: map[string]bool{}, equivalent: map[string]bool{}, until: time.Now().Add(*limit), each: *each}
	argued, _ := os.ReadFile(*equivalents) // there need not be any
	for line := range strings.Lines(string(argued)) {
		if end := strings.LastIndexByte(line, '\t'); end > 0 {
			r.equivalent[line[:end]] = false
		}
	}
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	r.module = strings.TrimSpace(string(module))
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *again {
		text, _ := os.ReadFile(*results)
		kept := slices.DeleteFunc(slices.Collect(strings.Lines(string(text))), func(line string) bool {
			fields := strings.Split(line, "\t")
			return len(fields) > 2 && fields[2] == "survived" && wanted.MatchString(path.Join(r.module, path.Dir(fields[1])))
		})
		if err := os.WriteFile(*results, []byte(strings.Join(kept, "")), 0o644); err != nil {
			return err
		}
	}
	if r.results, err = os.OpenFile(*results, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	defer r.results.Close()
	for lines := bufio.NewScanner(r.results); lines.Scan(); {
		r.done[strings.SplitN(lines.Text(), "\t", 2)[0]] = true
	}
	if *count > 0 {
		if err := r.all(ctx, flag.Args(), *seed, *count, *since, wanted); err != nil {
			return err
		}
	}
	if *since != "" {
		if r.left > 0 {
			fmt.Printf("%d mutants were not tried in time\n", r.left)
		}
		text, err := os.ReadFile(*results)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "\tsurvived\t") {
				fmt.Print(line)
			}
		}
		return err
	}
	return summary(*results, *counts, *write)
}

// all judges a sample of the mutants of packages, or all in lines that were changed.
func (r *run) all(ctx context.Context, patterns []string, seed string, count int, since string, wanted *regexp.Regexp) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	var lines map[string]map[int]bool
	if since != "" {
		if lines, err = changed(since); err != nil {
			return err
		}
	}
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,GoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...).Output()
	if err != nil {
		return fmt.Errorf("go list %q: %w", patterns, err)
	}
	type ranked struct {
		*mutant
		tested *pkg // has the tests: the package, or the nearest above it
		rank   uint64
	}
	var sample []ranked
	visited := map[string]bool{}
	tested := map[string]*pkg{}
	var packages []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(pkg)
		if err := d.Decode(p); err != nil {
			return err
		}
		if packages = append(packages, p); len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			tested[p.ImportPath] = p
		}
	}
	for _, p := range packages {
		if p.Name == "main" || strings.HasSuffix(p.Name, "test") {
			continue
		}
		by := p.ImportPath
		var next []*pkg
		for pattern, users := range judges {
			if is, _ := path.Match(path.Join(r.module, pattern), by); is {
				for _, user := range users {
					if p := tested[path.Join(r.module, user)]; p != nil && p.ImportPath != by {
						next = append(next, p)
					}
				}
			}
		}
		for tested[by] == nil && strings.Contains(by, "/") {
			by = path.Dir(by)
		}
		if tested[by] == nil {
			continue
		}
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			shown, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			found, err := mutants(file, shown)
			if err != nil {
				return err
			}
			visited[shown] = true
			for _, m := range found {
				m.in, m.next = p, next
				if _, ok := r.equivalent[m.place]; ok {
					r.equivalent[m.place] = true
				}
				if since == "" || lines[shown][m.line] {
					sum := sha256.Sum256([]byte(seed + m.key))
					sample = append(sample, ranked{m, tested[by], binary.BigEndian.Uint64(sum[:])})
				}
			}
		}
	}
	for place, met := range r.equivalent {
		if path, _, _ := strings.Cut(place, "\t"); !met && visited[path] {
			return fmt.Errorf("no mutant is %q: remove it from the file of those that change nothing", place)
		}
	}
	slices.SortFunc(sample, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	fmt.Fprintf(os.Stderr, "%d mutants\n", len(sample))
	sample = sample[:min(count, len(sample))]
	r.left = len(sample)
	byPackage := map[*pkg][]*mutant{}
	var order []*pkg
	for _, m := range sample {
		if r.done[m.key] || !wanted.MatchString(m.in.ImportPath) {
			continue
		}
		if _, ok := r.equivalent[m.place]; ok {
			if err := r.note(m.mutant, "equivalent", ""); err != nil {
				return err
			}
			continue
		}
		if byPackage[m.tested] == nil {
			order = append(order, m.tested)
		}
		byPackage[m.tested] = append(byPackage[m.tested], m.mutant)
	}
	for _, p := range order {
		if time.Now().After(r.until) {
			return nil
		}
		if err := r.judge(ctx, p, byPackage[p]); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	for len(r.later) > 0 && time.Now().Before(r.until) {
		p := r.later[0].next[0]
		var list, rest []*mutant
		for _, m := range r.later {
			if m.next[0] == p {
				m.next, m.reachedBy = m.next[1:], nil
				list = append(list, m)
			} else {
				rest = append(rest, m)
			}
		}
		r.later = rest
		if err := r.judge(ctx, p, list); err != nil {
			return err
		}
	}
	return nil
}
