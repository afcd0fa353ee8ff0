package csv

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader"
)

// Load reads the table of the mapping file at path, or the table at path that has a mapping file
// beside it, and hands one code system to the sink. Errors name file, line, column and value, and
// wrap loader.ErrFormat, loader.ErrTooLarge, loader.ErrNothing or the errors of
// codesystem.Builder. KeepGoing has no effect: a faulty file makes no code system.
func Load(ctx context.Context, path string, opts loader.Options, sink loader.Sink) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	mappingFile := mappingOf(path)
	if mappingFile == "" {
		return fmt.Errorf("%s: %w: no mapping file lies beside it; things.csv needs things%s", path, loader.ErrFormat, ending)
	}
	m, err := readMapping(mappingFile)
	if err != nil {
		return err
	}
	name, err := m.table(mappingFile)
	if err != nil {
		return err
	}
	header := m.header()
	opts.Identity.Apply(header)
	if header.URL == "" {
		return fmt.Errorf(`%s: %w: "url" is missing`, mappingFile, loader.ErrFormat)
	}
	t := &table{m: m, mapping: filepath.Base(mappingFile), name: name, reading: r}
	if m.Prefix.any {
		t.codes = map[string]struct{}{}
		if err := t.each(func() error { t.codes[t.text(t.code)] = struct{}{}; return nil }); err != nil {
			return err
		}
	}
	b, err := t.build(header)
	if err != nil {
		return err
	}
	return r.Deliver(b, t.origin, sink)
}

// Detect reports whether the file at path is a mapping file or a table: a file with a mapping file
// beside it, or one that ends in .csv or .tsv, so that Load can describe what is missing.
func Detect(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	return strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".tsv") || mappingOf(path) != ""
}

// Mapped reports whether the file at path is a mapping file or has one beside it.
func Mapped(path string) bool { return mappingOf(path) != "" }

// Beside lists the files that are read with the file at path: the mapping file, the table, or
// both.
func Beside(path string) []string {
	files := []string{mappingOf(path)}
	if m, err := readMapping(files[0]); err == nil {
		if table, err := m.table(files[0]); err == nil {
			files = append(files, table)
		}
	}
	return slices.DeleteFunc(files, func(name string) bool { return name == "" || name == filepath.Clean(path) || name == path })
}

// table returns the path of the table of a mapping.
func (m *mapping) table(mappingFile string) (string, error) {
	if m.File != "" {
		return filepath.Join(filepath.Dir(mappingFile), filepath.FromSlash(m.File)), nil
	}
	base := mappingFile[:len(mappingFile)-len(ending)]
	for _, end := range tableEndings {
		for _, packed := range []string{"", ".gz"} {
			if _, err := os.Stat(base + end + packed); err == nil {
				return base + end + packed, nil
			}
		}
	}
	return "", fmt.Errorf(`%s: %w: "file" is missing, and there is no %s.csv beside the mapping`, mappingFile, loader.ErrFormat, filepath.Base(base))
}

// delimiter returns the character between fields.
func (m *mapping) delimiter(name string) rune {
	if m.Delimiter != "" {
		c, _ := utf8.DecodeRuneInString(m.Delimiter)
		return c
	}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv") {
		return '\t'
	}
	return ','
}
