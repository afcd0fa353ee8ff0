package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
)

// name returns the name of a result for a platform, without what it ends in.
func (r *release) name(p platform) string {
	return "roget_" + r.version.number() + "_" + p.os + "_" + p.arch
}

// archive writes the program and what belongs to it, for people who unpack it themselves.
func (r *release) archive(_ context.Context, b *build) error {
	files := []file{
		{b.platform.program(), b.program, 0o755},
		{"THIRD_PARTY_LICENSES.txt", r.notices(b), 0o644},
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return err
		}
		files = append(files, file{name, text, 0o644})
	}
	files = below(r.name(b.platform), append(files, r.docs...))
	write, suffix := r.writeTarGz, ".tar.gz"
	if b.platform.os == "windows" {
		write, suffix = r.writeZip, ".zip"
	}
	out, err := r.create(r.name(b.platform) + suffix)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if err := write(out, files); err != nil {
		return err
	}
	return out.Close()
}

func (r *release) writeTarGz(w io.Writer, files []file) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, files, r.date, func(string) owner { return owner{0, "root"} }); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) writeZip(w io.Writer, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range withFolders(files) {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.date}
		h.SetMode(f.mode)
		if f.isFolder() {
			h.Method = zip.Store
		}
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, bytes.NewReader(f.data)); err != nil {
			return err
		}
	}
	return z.Close()
}
