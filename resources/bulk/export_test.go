package bulk_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
)

type origin map[string][]string

func (o origin) Types() []string { return []string{"Group", "Library", "Patient"} }

func (o origin) Each(_ context.Context, typ string, fn func(resources.Version) error) error {
	for _, body := range o[typ] {
		if err := fn(resources.Version{Key: resources.Key{Type: typ}, Body: []byte(body)}); err != nil {
			return err
		}
	}
	return nil
}

func TestExport(t *testing.T) {
	from := origin{"Patient": {"{\n \"a\": 1.50\n}", `{"b":"<"}`}, "Group": {`{}`}}
	var out bytes.Buffer
	told := map[string]int{}
	if err := bulk.Export(t.Context(), from, nil, &out, func(typ string, n int) { told[typ] = n }); err != nil {
		t.Fatal(err)
	}
	if out.String() != "{}\n{\"a\":1.50}\n{\"b\":\"<\"}\n" || told["Patient"] != 2 || len(told) != 2 {
		t.Errorf("%s, %v", out.String(), told)
	}
	out.Reset()
	if err := bulk.Export(t.Context(), from, []string{"Group"}, &out, nil); err != nil || out.String() != "{}\n" {
		t.Errorf("one type: %s, %v", out.String(), err)
	}
	if err := bulk.Export(t.Context(), origin{"Group": {"{"}}, nil, &out, nil); err == nil {
		t.Error("a body that is no JSON")
	}
}

// TestExportFolder exports to files and imports them.
func TestExportFolder(t *testing.T) {
	from := origin{"Patient": {resource("Patient/1"), resource("Patient/2")}, "Group": {resource("Group/1")}}
	folder := filepath.Join(t.TempDir(), "new", "folder")
	if err := bulk.ExportFolder(t.Context(), from, nil, folder, nil); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(folder)
	if err != nil || len(names) != 2 || names[0].Name() != "Group.ndjson.gz" || names[1].Name() != "Patient.ndjson.gz" {
		t.Errorf("%v, %v", names, err)
	}
	if runtime.GOOS != "windows" {
		for _, path := range []string{filepath.Dir(folder), folder, filepath.Join(folder, "Patient.ndjson.gz")} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v; others may read it", path, info.Mode(), err)
			}
		}
	}
	into := newTarget()
	if got, want := run(t, into, folder, bulk.Options{}), "files 2 done 0 other 0 stored 3 unchanged 0 refused 0"; got != want || into.keys() != "Group/1 Patient/1 Patient/2" {
		t.Errorf("%s, %s", got, into.keys())
	}
	broken := origin{"Group": {"{}", "{"}}
	other := t.TempDir()
	if err := bulk.ExportFolder(t.Context(), broken, nil, other, nil); err == nil {
		t.Error("a body that is no JSON")
	}
	if names, err := os.ReadDir(other); err != nil || len(names) != 0 {
		t.Errorf("what is left: %v, %v", names, err)
	}
	if err := bulk.ExportFolder(t.Context(), from, nil, filepath.Join(other, "\x00"), nil); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that cannot be: %v", err)
	}
}
