// Command mutants changes the code in many small ways and lists the changes that no test notices. See
// .ci/mutants, which starts it at the root of the tree.
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
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// a mutant is one change of one place.
type mutant struct {
	n         int    // its number in its package
	file, id  string // the id is path:line:column operator
	line      int
	edits     []edit
	replace   bool // the edits stand for constants, and cannot be guarded
	length    int  // of the text that the edit replaces
	reachedBy []string
}

// an edit inserts text. At one place, those that open come from the outside to the inside.
type edit struct {
	at    int
	text  string
	close bool
}

type pkg struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	TestGoFiles           []string
	XTestGoFiles          []string
}

const guard = `package %s

import ("os"; "strconv"; "sync")

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantLog = os.Getenv("MUTANT_LOG")
	mutantSeen sync.Map
)

func mutantOn(n int) bool { return n == mutantChosen || mutantLog != "" && mutantReached(n) }

func mutantAdd(n int) int { if mutantOn(n) { return 1 }; return 0 }

func mutantReached(n int) bool {
	if _, seen := mutantSeen.LoadOrStore(n, true); !seen {
		if f, err := os.OpenFile(mutantLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			f.WriteString(strconv.Itoa(n) + "\n")
			f.Close()
		}
	}
	return false
}
`

// flips are the operators that stand for another: a boundary that is moved, a condition that is negated.
var flips = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// mutants returns the mutants of a file.
func mutants(path, shown string) ([]*mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var found []*mutant
	at := func(p token.Pos) int { return set.Position(p).Offset }
	add := func(node ast.Node, operator string) *mutant {
		p := set.Position(node.Pos())
		m := &mutant{file: path, line: p.Line, id: fmt.Sprintf("%s:%d:%d %s", shown, p.Line, p.Column, operator)}
		found = append(found, m)
		return m
	}
	around := func(node ast.Node, operator, before, after string) {
		m := add(node, operator)
		m.edits = []edit{{at(node.Pos()), before, false}, {at(node.End()), after, true}}
	}
	instead := func(node ast.Expr, operator, text string) {
		if !strings.Contains(text, "\n") {
			around(node, operator, "(mutantOn(@) && ("+text+") || !mutantOn(@) && (", "))")
		}
	}
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *ast.ExprStmt, *ast.IncDecStmt:
				around(s, "removed", "if !mutantOn(@) { ", " }")
			case *ast.AssignStmt:
				if s.Tok != token.DEFINE {
					around(s, "removed", "if !mutantOn(@) { ", " }")
				}
			case *ast.ReturnStmt:
				if n := len(s.Results); n > 0 {
					if last, ok := s.Results[n-1].(*ast.Ident); ok && last.Name == "err" {
						text := string(source[at(s.Pos()):at(last.Pos())]) + "nil"
						if !strings.Contains(text, "\n") {
							m := add(s, "error ignored")
							m.edits = []edit{{at(s.Pos()), "if mutantOn(@) { " + text + " }; ", false}}
						}
					}
				}
			}
		}
	}
	body := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.IfStmt:
			around(n.Cond, "clause dropped", "(!mutantOn(@) && (", "))")
		case *ast.BinaryExpr:
			for _, t := range flips[n.Op] {
				instead(n, n.Op.String()+" as "+t.String(), string(source[at(n.Pos()):at(n.OpPos)])+t.String()+string(source[at(n.OpPos)+len(n.Op.String()):at(n.End())]))
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				instead(n, "not removed", string(source[at(n.X.Pos()):at(n.End())]))
			}
		case *ast.BasicLit:
			if n.Kind == token.INT {
				around(n, "one more", "(", "+mutantAdd(@))")
			}
		}
		return true
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				ast.Inspect(d.Body, body)
			}
		case *ast.GenDecl:
			if d.Tok == token.CONST {
				ast.Inspect(d, func(n ast.Node) bool {
					if n, ok := n.(*ast.BasicLit); ok && n.Kind == token.INT && n.Value != "0" && n.Value != "1" {
						m := add(n, "constant doubled")
						m.replace, m.edits = true, []edit{{at(n.Pos()), "(2*" + n.Value + ")", false}}
						m.length = len(n.Value)
					}
					return true
				})
			}
		}
	}
	return found, nil
}

// apply returns the text of a file with mutants in it.
func apply(source []byte, list []*mutant) []byte {
	type placed struct {
		edit
		outer int // the length of what it surrounds, then its number: the outside comes first
		n     int
	}
	var all []placed
	for _, m := range list {
		width := m.edits[len(m.edits)-1].at - m.edits[0].at
		for _, e := range m.edits {
			e.text = strings.ReplaceAll(e.text, "@", strconv.Itoa(m.n))
			all = append(all, placed{e, width, m.n})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		if a.at != b.at {
			return a.at - b.at
		}
		if a.close != b.close {
			if a.close {
				return -1
			}
			return 1
		}
		order := cmp.Or(b.outer-a.outer, a.n-b.n)
		if a.outer == 0 || b.outer == 0 { // a statement before a statement
			order = a.outer - b.outer
		}
		if a.close {
			return -order
		}
		return order
	})
	var out []byte
	last := 0
	for _, e := range all {
		out = append(append(out, source[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, source[last:]...)
}

type run struct {
	work    string
	results *os.File
	done    map[string]bool
	until   time.Time
}

// build builds the tests of a package with guarded mutants, and leaves out those that do not compile.
func (r *run) build(ctx context.Context, p *pkg, list []*mutant, binary string) ([]*mutant, error) {
	for range 30 {
		overlay := map[string]string{}
		byFile := map[string][]*mutant{}
		for _, m := range list {
			byFile[m.file] = append(byFile[m.file], m)
		}
		write := func(path string, text []byte) error {
			to := filepath.Join(r.work, filepath.Base(path)) // the name stands in errors
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
		if err := write(filepath.Join(p.Dir, "zz_mutants.go"), fmt.Appendf(nil, guard, p.Name)); err != nil {
			return nil, err
		}
		text, err := json.Marshal(map[string]any{"Replace": overlay})
		if err == nil {
			err = os.WriteFile(filepath.Join(r.work, "overlay.json"), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags="+p.ImportPath+"=-e", "-overlay", filepath.Join(r.work, "overlay.json"), "-o", binary, p.ImportPath).CombinedOutput()
		if err == nil {
			return list, nil
		}
		kept := slices.Clone(list)
		for _, found := range regexp.MustCompile(`(?m)(\w+\.go):(\d+):\d+: `).FindAllSubmatch(out, -1) {
			line, _ := strconv.Atoi(string(found[2]))
			here := func(m *mutant) bool {
				return m.line == line && filepath.Base(m.file) == string(found[1])
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
					return filepath.Base(m.file) == string(found[1]) && m.line < line && m.line > line-15 && strings.HasSuffix(m.id, "removed")
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

// try runs tests of a package with one mutant, and returns the test that failed, if one did.
func (r *run) try(ctx context.Context, p *pkg, binary string, tests []string, limit time.Duration, env ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, binary, "-test.run", "^("+strings.Join(tests, "|")+")$", "-test.failfast", "-test.timeout", limit.String())
	c.Dir, c.Env, c.WaitDelay = p.Dir, append(os.Environ(), env...), time.Second
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it started ends with it
	end := func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Cancel = end
	out, err := c.CombinedOutput()
	if c.Process != nil {
		_ = end() // most often nothing is left
	}
	if err == nil {
		return "", nil
	}
	if found := regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`).FindSubmatch(out); found != nil {
		return string(found[1]), err
	}
	if bytes.Contains(out, []byte("panic: test timed out")) || ctx.Err() != nil {
		return "time", err
	}
	return "panic", err
}

func (r *run) note(m *mutant, outcome, by string) error {
	_, err := fmt.Fprintf(r.results, "%s\t%s\t%s\n", m.id, outcome, by)
	return err
}

// judge runs the mutants of one package.
func (r *run) judge(ctx context.Context, p *pkg, list []*mutant) error {
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
	fmt.Fprintf(os.Stderr, "%s: %d mutants, %d do not compile\n", p.ImportPath, len(list), all-len(guarded))
	for _, m := range list { // what does not compile counts as done, not as a mutant
		if !m.replace && !slices.Contains(guarded, m) {
			if err := r.note(m, "invalid", ""); err != nil {
				return err
			}
		}
	}
	c := exec.CommandContext(ctx, binary, "-test.list", ".")
	c.Dir = p.Dir
	names, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	byNumber := map[string]*mutant{}
	for _, m := range guarded {
		byNumber[strconv.Itoa(m.n)] = m
	}
	took := map[string]time.Duration{}
	var tests []string
	for name := range strings.FieldsSeq(string(names)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		log := filepath.Join(r.work, "reached")
		os.Remove(log)
		start := time.Now()
		by, err := r.try(ctx, p, binary, []string{name}, 3*time.Minute, "MUTANT_LOG="+log)
		took[name] = time.Since(start)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s does not count: it fails without a mutant (%s)\n", p.ImportPath, name, by)
			continue
		}
		tests = append(tests, name)
		reached, _ := os.ReadFile(log) // a test that reaches nothing leaves no file
		for n := range strings.FieldsSeq(string(reached)) {
			if m := byNumber[n]; m != nil {
				m.reachedBy = append(m.reachedBy, name)
			}
		}
	}
	for _, m := range list {
		if time.Now().After(r.until) {
			return nil
		}
		program := binary
		if m.replace {
			m.reachedBy, program = tests, binary+"-constant"
			kept, err := r.build(ctx, p, []*mutant{m}, program)
			if err != nil || len(kept) == 0 {
				if err := r.note(m, "invalid", ""); err != nil {
					return err
				}
				continue
			}
		} else if !slices.Contains(guarded, m) {
			continue
		}
		outcome, by := "survived", ""
		if len(m.reachedBy) == 0 {
			by = "not reached"
		}
		slices.SortStableFunc(m.reachedBy, func(a, b string) int { return cmp.Compare(took[a], took[b]) })
		for rest := m.reachedBy; len(rest) > 0; { // the quick ones first
			n, sum := 0, time.Duration(0)
			for n < len(rest) && (n == 0 || sum+took[rest[n]] < time.Second || len(rest) < len(m.reachedBy)) {
				sum += took[rest[n]]
				n++
			}
			if by, err = r.try(ctx, p, program, rest[:n], 4*sum+5*time.Second, "MUTANT="+strconv.Itoa(m.n)); err != nil {
				outcome = "noticed"
				break
			}
			rest = rest[n:]
		}
		if err := cmp.Or(ctx.Err(), r.note(m, outcome, by)); err != nil {
			return err
		}
	}
	return nil
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
	type count struct{ noticed, all int }
	counts := map[string]count{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(line, "\t")
		if len(fields) < 3 || fields[1] == "invalid" {
			continue
		}
		dir := filepath.Dir(strings.SplitN(fields[0], ":", 2)[0])
		for _, name := range []string{dir, "all"} {
			c := counts[name]
			c.all++
			if fields[1] == "noticed" {
				c.noticed++
			}
			counts[name] = c
		}
	}
	var out strings.Builder
	var worse []error
	before, _ := os.ReadFile(file) // there is none before the first run
	for line := range strings.Lines(string(before)) {
		var name string
		var noticed, all int
		if n, _ := fmt.Sscan(line, &name, &noticed, &all); n == 3 && name != "all" {
			if c := counts[name]; c.all >= 20 && c.noticed*all < noticed*c.all {
				worse = append(worse, fmt.Errorf("%s: tests notice %d of %d mutants, and noticed %d of %d", name, c.noticed, c.all, noticed, all))
			} else if c.all == 0 { // not tried this time
				counts[name] = count{noticed, all}
			}
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintln(&out, name, counts[name].noticed, counts[name].all)
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
	flag.Parse()
	ctx := context.Background()
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &run{work: work, done: map[string]bool{}, until: time.Now().Add(*limit)}
	if r.results, err = os.OpenFile(*results, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	defer r.results.Close()
	for lines := bufio.NewScanner(r.results); lines.Scan(); {
		r.done[strings.SplitN(lines.Text(), "\t", 2)[0]] = true
	}
	if *count > 0 {
		if err := r.all(ctx, flag.Args(), *seed, *count, *since); err != nil {
			return err
		}
	}
	if *since != "" {
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
func (r *run) all(ctx context.Context, patterns []string, seed string, count int, since string) error {
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
		p    *pkg
		rank uint64
	}
	var sample []ranked
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(pkg)
		if err := d.Decode(p); err != nil {
			return err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			shown, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			found, err := mutants(path, shown)
			if err != nil {
				return err
			}
			for _, m := range found {
				if since == "" || lines[shown][m.line] {
					sum := sha256.Sum256([]byte(seed + m.id))
					sample = append(sample, ranked{m, p, binary.BigEndian.Uint64(sum[:])})
				}
			}
		}
	}
	slices.SortFunc(sample, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	fmt.Fprintf(os.Stderr, "%d mutants\n", len(sample))
	sample = sample[:min(count, len(sample))]
	byPackage := map[*pkg][]*mutant{}
	var order []*pkg
	for _, m := range sample {
		if r.done[m.id] {
			continue
		}
		if byPackage[m.p] == nil {
			order = append(order, m.p)
		}
		byPackage[m.p] = append(byPackage[m.p], m.mutant)
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
