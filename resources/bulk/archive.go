package bulk

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// isTar reports whether a file with this beginning is a tar archive.
func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

// archive reads the resources of a tar archive. Those of an npm package are the files of its folder
// package; in other archives they are all files with a name of resources.
func (b *batcher) archive(ctx context.Context, f *source, in io.Reader) error {
	t, limits := tar.NewReader(in), b.m.reading.Limits()
	for n := 0; ; n++ {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil && n >= limits.MaxEntries:
			err = fmt.Errorf("%w: more than %d files in the archive", loader.ErrTooLarge, limits.MaxEntries)
		}
		if err != nil {
			return b.broken(ctx, f, "", err)
		}
		name := path.Clean(h.Name)
		each, named := lines(name)
		if h.Typeflag != tar.TypeReg || !named || strings.HasSuffix(strings.ToLower(name), ".gz") ||
			strings.HasPrefix(name, "package/") && (path.Dir(name) != "package" || name == "package/package.json") || strings.HasPrefix(path.Base(name), ".") {
			continue
		}
		if each {
			err = b.lines(ctx, f, t)
		} else {
			err = b.member(ctx, f, name, t)
		}
		if err != nil {
			return err
		}
	}
}

// member reads a file of an archive.
func (b *batcher) member(ctx context.Context, f *source, name string, in io.Reader) error {
	if strings.HasSuffix(strings.ToLower(name), ".xml") {
		return b.xml(ctx, f, bufio.NewReaderSize(in, 4096))
	}
	limit := b.m.reading.Limits().MaxDocument
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("%w: a resource has more than %d bytes", loader.ErrTooLarge, limit)
	}
	if err != nil {
		return b.broken(ctx, f, name, err)
	}
	return b.add(ctx, f, name, text)
}
