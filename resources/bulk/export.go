package bulk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/resources"
)

// An Origin is a source of resources to export. *resources.Service implements it.
type Origin interface {
	Types() []string
	Each(ctx context.Context, typ string, fn func(resources.Version) error) error
}

// Export writes the current version of every resource of the given types, or of all types if none
// are given, as NDJSON, by type and id. progress, if not nil, is called at the end of each type.
// Concurrent writes may or may not be included.
func Export(ctx context.Context, from Origin, types []string, w io.Writer, progress func(typ string, n int)) error {
	out := bufio.NewWriterSize(w, 256<<10)
	for _, typ := range chosen(from, types) {
		n, err := exportType(ctx, from, typ, out)
		if err != nil {
			return err
		}
		if progress != nil && n > 0 {
			progress(typ, n)
		}
	}
	return out.Flush()
}

// ExportFolder writes a file Type.ndjson.gz for each type that has resources. It creates the folder
// if necessary, for its owner only. A file appears once it is complete.
func ExportFolder(ctx context.Context, from Origin, types []string, folder string, progress func(typ string, n int)) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, typ := range chosen(from, types) {
		n, err := exportFile(ctx, from, typ, filepath.Join(folder, typ+".ndjson.gz"))
		if err != nil {
			return err
		}
		if progress != nil && n > 0 {
			progress(typ, n)
		}
	}
	return nil
}

func chosen(from Origin, types []string) []string {
	if len(types) > 0 {
		return types
	}
	return from.Types()
}

func exportFile(ctx context.Context, from Origin, typ, path string) (n int, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+typ+"-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil || n == 0 {
			_ = os.Remove(file.Name())
		}
	}()
	z, err := gzip.NewWriterLevel(file, gzip.DefaultCompression)
	if err != nil {
		return 0, errors.Join(err, file.Close())
	}
	n, err = exportType(ctx, from, typ, z)
	if err = errors.Join(err, z.Close(), file.Close()); err != nil || n == 0 {
		return n, err
	}
	return n, os.Rename(file.Name(), path)
}

// exportType writes the resources of a type, one a line.
func exportType(ctx context.Context, from Origin, typ string, w io.Writer) (n int, err error) {
	var line bytes.Buffer
	err = from.Each(ctx, typ, func(v resources.Version) error {
		line.Reset()
		if err := json.Compact(&line, v.Body); err != nil {
			return fmt.Errorf("%s: %w", v.Key, err)
		}
		line.WriteByte('\n')
		n++
		_, err := w.Write(line.Bytes())
		return err
	})
	return n, err
}
