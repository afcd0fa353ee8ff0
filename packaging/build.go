package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A build is the program for one platform.
type build struct {
	platform platform
	program  []byte
	info     *buildinfo.BuildInfo
	modules  []linked // that are linked into it, in the order of their paths
}

// build compiles the program for a platform.
func (r *release) build(ctx context.Context, p platform) (*build, error) {
	path, err := r.compile(ctx, p)
	if err != nil {
		return nil, err
	}
	b := &build{platform: p}
	if b.program, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	if b.info, err = buildinfo.ReadFile(path); err != nil {
		return nil, err
	}
	b.modules, err = r.linkedModules(ctx, p)
	return b, err
}

// compile returns the path of the program. The version, the commit and its date are set by the
// linker, and not read from the repository: then a clone without tags, and an unpacked archive of the
// source, give the same bytes.
func (r *release) compile(ctx context.Context, p platform) (string, error) {
	path := filepath.Join(r.work, p.os+"_"+p.arch, p.program())
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	settings := "-s -w -X main.version=" + string(r.version) + " -X main.commit=" + r.commit + " -X main.date=" + r.date.Format(time.RFC3339)
	_, err := r.goTool(ctx, p, "build", "-trimpath", "-buildvcs=false", "-ldflags", settings, "-o", path, ".")
	return path, err
}

// goTool runs the Go tool in the source for a platform and returns what it prints.
func (r *release) goTool(ctx context.Context, p platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.source
	// Settings of the machine, such as GOAMD64 and GOEXPERIMENT, would change the bytes.
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
	return output(cmd)
}

// documentation returns the manual pages and the completions, which the program prints.
func (r *release) documentation(ctx context.Context) ([]file, error) {
	program, err := r.compile(ctx, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	pages := filepath.Join(r.work, "man1")
	if _, err := output(exec.CommandContext(ctx, program, "manual", pages)); err != nil {
		return nil, err
	}
	names, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	var docs []file
	for _, entry := range names {
		text, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil {
			return nil, err
		}
		docs = append(docs, file{"man/man1/" + entry.Name(), text, 0o644})
	}
	for shell, name := range map[string]string{"bash": "roget.bash", "zsh": "_roget", "fish": "roget.fish"} {
		script, err := output(exec.CommandContext(ctx, program, "completion", shell))
		if err != nil {
			return nil, err
		}
		docs = append(docs, file{"completions/" + name, script, 0o644})
	}
	return docs, nil
}

// output runs a program and returns what it prints. The error contains what it complains of.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}
