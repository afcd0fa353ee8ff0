package main

// This file judges the mutants of one package by its tests.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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

type pkg struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	TestGoFiles           []string
	XTestGoFiles          []string
}

type run struct {
	work       string
	module     string
	results    *os.File
	done       map[string]bool
	equivalent map[string]bool // by place; false until it is met
	until      time.Time
	later      []*mutant     // their own packages do not notice them
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
		for _, found := range regexp.MustCompile(`(?m)(\w+\.go):(\d+):(?:\d+:)? `).FindAllSubmatch(out, -1) {
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
				return slices.ContainsFunc(regexp.MustCompile(`(\w+\.go):(\d+):(?:\d+:)? missing return`).FindAllSubmatch(out, -1), func(found [][]byte) bool {
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
	if verdict == "survived" && len(m.next) > 0 {
		r.later = append(r.later, m)
		return nil
	}
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
	tests, took, err := r.reach(ctx, p, guarded, binary)
	if err != nil {
		return err
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
