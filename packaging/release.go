package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A release is what is built, and from what.
type release struct {
	source, out string
	version     version
	commit      string
	date        time.Time // of the commit, UTC
	platforms   []platform
	onlyDeb     bool

	work  string       // folder for intermediate files
	docs  []file       // manual pages and completions, the same on all platforms
	built []*build     // one for each platform
	known *moduleFiles // licences of modules, read once
}

// make builds everything into the folder out.
func (r *release) make(ctx context.Context) (err error) {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "roget-release-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.work) }()
	if r.docs, err = r.documentation(ctx); err != nil {
		return err
	}
	if r.known, err = r.listModules(ctx); err != nil {
		return err
	}
	for _, p := range r.platforms {
		b, err := r.build(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		r.built = append(r.built, b)
		for _, make := range r.steps(p) {
			if err := make(ctx, b); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
	}
	if !r.onlyDeb {
		if err := r.image(); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	return r.sums()
}

// steps returns what is made for one platform.
func (r *release) steps(p platform) (steps []func(context.Context, *build) error) {
	if !r.onlyDeb {
		steps = append(steps, r.archive, r.sbom)
	}
	if p.os == "linux" {
		steps = append(steps, r.debian)
	}
	return steps
}

// path returns the path of a result.
func (r *release) path(name string) string { return filepath.Join(r.out, name) }

// create opens a result for writing.
func (r *release) create(name string) (*os.File, error) {
	return os.OpenFile(r.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}
