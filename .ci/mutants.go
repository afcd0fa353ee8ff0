// Command mutants changes the code in many small ways and lists the changes that no test notices. See
// .ci/mutants, which starts it at the root of the tree. mutate.go makes the changes, this file runs them.
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
	"syscall"
	"time"
)

type pkg struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	TestGoFiles           []string
	XTestGoFiles          []string
}

type run struct {
	work       string
	results    *os.File
	done       map[string]bool
	equivalent map[string]bool // by place; false until it is met
	until      time.Time
	left       int           // mutants of the sample that were not tried
	each       time.Duration // of tests for a mutant, in time of a processor
}

// build builds the tests of a package with guarded mutants, and leaves out those that do not compile.
func (r *run) build(ctx context.Context, p *pkg, list []*mutant, binary string) ([]*mutant, error) {
	for range 30 {
		overlay := map[string]string{}
		byFile := map[string][]*mutant{}
		for _, m := range list {
			byFile[m.file] = append(byFile[m.file], m)
		}
		name := func(path string) string { // which stands in errors
			sum := sha256.Sum256([]byte(filepath.Dir(path)))
			return fmt.Sprintf("m%x_%s", sum[:4], filepath.Base(path))
		}
		write := func(path string, text []byte) error {
			to := filepath.Join(r.work, name(path))
			overlay[path] = to
			return os.WriteFile(to, text, 0o600)
		}
		for path, of := range byFile {
			source, err := os.ReadFile(path)
			if err == nil && of[0].replace {
				at := of[0].edits[0].at
				source = slices.Concat(source[:at], []byte(of[0].edits[0].text), source[at+of[0].length:])
			} else if err == nil {
				source = apply(source, of)
			}
			if err := cmp.Or(err, write(path, source)); err != nil {
				return nil, err
			}
		}
		args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", filepath.Join(r.work, "overlay.json"), "-o", binary}
		guarded := map[*pkg]bool{}
		for _, m := range list {
			if guarded[m.in] {
				continue
			}
			guarded[m.in] = true
			if err := write(filepath.Join(m.in.Dir, "zz_mutants.go"), fmt.Appendf(nil, guard, m.in.Name)); err != nil {
				return nil, err
			}
			args = append(args, "-gcflags="+m.in.ImportPath+"=-e")
		}
		text, err := json.Marshal(map[string]any{"Replace": overlay})
		if err == nil {
			err = os.WriteFile(filepath.Join(r.work, "overlay.json"), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, "go", append(args, p.ImportPath)...).CombinedOutput()
		if err == nil {
			return list, nil
		}
		kept := slices.Clone(list)
		for _, found := range regexp.MustCompile(`(?m)(\w+\.go):(\d+):\d+: `).FindAllSubmatch(out, -1) {
			line, _ := strconv.Atoi(string(found[2]))
			here := func(m *mutant) bool {
				return m.line == line && name(m.file) == string(found[1])
			}
			constant := func(m *mutant) bool { return here(m) && strings.HasSuffix(m.id, "one more") }
			if slices.ContainsFunc(kept, constant) { // most often the one whose type is another
				kept = slices.DeleteFunc(kept, constant)
			} else if slices.ContainsFunc(list, constant) {
				continue // they left already
			} else {
				kept = slices.DeleteFunc(kept, here)
			}
		}
		if len(kept) == len(list) { // the error is elsewhere: of a function that must end with a return, at its end
			kept = slices.DeleteFunc(kept, func(m *mutant) bool {
				return slices.ContainsFunc(regexp.MustCompile(`(\w+\.go):(\d+):\d+: missing return`).FindAllSubmatch(out, -1), func(found [][]byte) bool {
					line, _ := strconv.Atoi(string(found[2]))
					return name(m.file) == string(found[1]) && m.line < line && m.line > line-15 && strings.HasSuffix(m.id, "removed")
				})
			})
		}
		if len(kept) == len(list) {
			return nil, fmt.Errorf("%s does not build: %.2000s", p.ImportPath, out)
		}
		if list = kept; len(list) == 0 {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s does not build after 30 attempts", p.ImportPath)
}

// try runs tests of a package, with one mutant if the environment says so. The limit is of the processor's
// time, so how busy the machine is makes no difference; those that only wait end after a minute.
func (r *run) try(ctx context.Context, p *pkg, binary string, tests []string, limit time.Duration, env ...string) (failed string, took time.Duration, err error) {
	temp := filepath.Join(r.work, "t")
	if err := os.MkdirAll(temp, 0o711); err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second+10*limit)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", `ulimit -t $0; exec "$@"`, strconv.Itoa(1+int(limit.Seconds())), binary,
		"-test.run", "^("+strings.Join(tests, "|")+")$", "-test.failfast", "-test.timeout=0")
	c.Dir, c.Env, c.WaitDelay = p.Dir, append(append(os.Environ(), "TMPDIR="+temp, "CI=true"), env...), time.Second
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it started ends with it
	end := func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Cancel = end
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		return "", 0, err
	}
	_ = end()                                               // most often nothing is left
	os.RemoveAll(filepath.Join(p.Dir, "testdata", "rapid")) // failing draws, which the tests of the next mutant would try
	took = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	if found := regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`).FindSubmatch(out); found != nil {
		return string(found[1]), took, nil
	} else if c.ProcessState.ExitCode() < 0 {
		return "time", took, nil
	} else if err != nil {
		return "panic", took, nil
	}
	return "", took, nil
}

func (r *run) note(m *mutant, verdict, by string) error {
	r.left--
	_, err := fmt.Fprintf(r.results, "%s\t%s\t%s\t%s\n", m.key, m.id, verdict, by)
	return err
}

// few mutants are not worth a process for each test.
const few = 3

// reach notes which tests reach which mutants, and returns the tests that pass and the time of each.
func (r *run) reach(ctx context.Context, p *pkg, guarded []*mutant, binary string) ([]string, map[string]time.Duration, error) {
	c := exec.CommandContext(ctx, binary, "-test.list", ".")
	c.Dir = p.Dir
	listed, err := c.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	names := slices.DeleteFunc(strings.Fields(string(listed)), func(name string) bool { return strings.HasPrefix(name, "Benchmark") })
	byNumber := map[string]*mutant{}
	for _, m := range guarded {
		byNumber[strconv.Itoa(m.n)] = m
	}
	took := map[string]time.Duration{}
	var tests []string
	log := filepath.Join(r.work, "reached")
	try := func(names ...string) error {
		_ = errors.Join(os.WriteFile(log, nil, 0o600), os.Chmod(log, 0o666)) // for tests that act as another user
		failed, all, err := r.try(ctx, p, binary, names, time.Duration(len(names))*r.each, "MUTANT_LOG="+log)
		if err != nil {
			return err
		} else if failed != "" && (failed != "time" || len(names) > 1) { // a slow one counts as far as it came
			return fmt.Errorf("%s: without a mutant %s fails (%s)", p.ImportPath, names[0], failed)
		}
		tests = append(tests, names...)
		for _, name := range names {
			took[name] = all / time.Duration(len(names))
		}
		reached, _ := os.ReadFile(log)
		for n := range strings.FieldsSeq(string(reached)) {
			if m := byNumber[n]; m != nil {
				m.reachedBy = append(m.reachedBy, names...)
			}
		}
		return nil
	}
	if len(guarded) <= few && len(names) > 0 && try(names...) == nil {
		return tests, took, nil
	}
	for _, name := range names {
		if time.Now().After(r.until) {
			break
		}
		if err := try(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return tests, took, nil
}

// judge runs the mutants of one package.
func (r *run) judge(ctx context.Context, p *pkg, list []*mutant) error {
	start := time.Now()
	for i, m := range list {
		m.n = i + 1
	}
	binary := filepath.Join(r.work, "tests")
	guarded := slices.DeleteFunc(slices.Clone(list), func(m *mutant) bool { return m.replace })
	all := len(guarded)
	guarded, err := r.build(ctx, p, guarded, binary)
	if err != nil {
		return err
	}
	for _, m := range list { // what does not compile counts as done, not as a mutant
		if !m.replace && !slices.Contains(guarded, m) {
			if err := r.note(m, "invalid", ""); err != nil {
				return err
			}
		}
	}
	built := time.Now()
	var tests []string
	took := map[string]time.Duration{}
	if len(guarded) > 0 {
		if tests, took, err = r.reach(ctx, p, guarded, binary); err != nil {
			return err
		}
	}
	reached := time.Now()
	for _, m := range list {
		if time.Now().After(r.until) {
			break
		}
		program := binary
		if m.replace {
			program = binary + "-constant"
			kept, err := r.build(ctx, p, []*mutant{m}, program)
			if err == nil && len(kept) > 0 && tests == nil {
				tests, took, err = r.reach(ctx, p, nil, program)
			}
			if err != nil || len(kept) == 0 {
				if err := r.note(m, "invalid", ""); err != nil {
					return err
				}
				continue
			}
			m.reachedBy = tests
		} else if !slices.Contains(guarded, m) {
			continue
		}
		verdict, by, err := r.verdict(ctx, p, m, program, took)
		if err := cmp.Or(err, ctx.Err(), r.note(m, verdict, by)); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d mutants, %d do not compile; %.0f s to build, %.0f for what tests reach, %.0f for mutants\n", p.ImportPath, len(list),
		all-len(guarded), built.Sub(start).Seconds(), reached.Sub(built).Seconds(), time.Since(reached).Seconds())
	return nil
}

// verdict runs the tests that reach a mutant, the quick ones first, until one notices it.
func (r *run) verdict(ctx context.Context, p *pkg, m *mutant, program string, took map[string]time.Duration) (verdict, by string, err error) {
	if len(m.reachedBy) == 0 {
		return "survived", "not reached", nil
	}
	rest := slices.Clone(m.reachedBy)
	slices.SortStableFunc(rest, func(a, b string) int { return cmp.Compare(took[a], took[b]) })
	for step := time.Second; len(rest) > 0; step *= 4 {
		n, sum := 0, time.Duration(0)
		for n < len(rest) && (n == 0 || sum+took[rest[n]] < step) {
			sum += took[rest[n]]
			n++
		}
		limit := 4*sum + 3*time.Second
		failed, _, err := r.try(ctx, p, program, rest[:n], min(limit, r.each), "MUTANT="+strconv.Itoa(m.n))
		if failed == "time" && limit > r.each {
			by = "slow tests were cut short"
		} else if err != nil || failed != "" {
			return "noticed", failed, err
		}
		rest = rest[n:]
	}
	return "survived", by, nil
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
	if *again {
		text, _ := os.ReadFile(*results)
		kept := slices.DeleteFunc(slices.Collect(strings.Lines(string(text))), func(line string) bool { return strings.Contains(line, "\tsurvived\t") })
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
		if err := r.all(ctx, flag.Args(), *seed, *count, *since, *only); err != nil {
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
func (r *run) all(ctx context.Context, patterns []string, seed string, count int, since, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
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
		// The SQL stores have the tests of what they share.
		if parent, is := strings.CutSuffix(by, "/internal/sqlstore"); is && tested[parent+"/sqlite"] != nil {
			by = parent + "/sqlite"
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
				m.in = p
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
	return nil
}
