//go:build unix

package loader_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

const inside = `{"resourceType":"CodeSystem","url":"http://x/in","version":"1","status":"active","content":"complete","concept":[{"code":"a"}]}`

// soon fails the test if fn waits, as for the writer of a pipe.
func soon(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal(what, "does not return")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// trap makes a folder with one code system, links to it, and what is not to be read.
func trap(t *testing.T) (root string) {
	t.Helper()
	base := t.TempDir()
	root = filepath.Join(base, "in")
	out := filepath.Join(base, "out")
	check(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
	check(t, os.Mkdir(out, 0o755))
	secret := strings.Replace(inside, "http://x/in", "http://x/secret", 1)
	check(t, os.WriteFile(filepath.Join(root, "sub", "in.json"), []byte(inside), 0o600))
	check(t, os.WriteFile(filepath.Join(out, "secret.json"), []byte(secret), 0o600))
	for name, target := range map[string]string{
		"absolute.json": filepath.Join(root, "sub", "in.json"), "relative.json": "sub/in.json",
		"leak.json": "../out/secret.json", "sub/leak2.json": filepath.Join(out, "secret.json"), "folder": "../out", "folder2": "sub",
		"nowhere.json": "gone.json", "zero.json": "/dev/zero", "loop.json": "loop.json",
	} {
		check(t, os.Symlink(target, filepath.Join(root, name)))
	}
	for _, name := range []string{"pipe.json", "pipe.xml", "sub/pipe.csv", "pipe.zip", "pipe.obo", "pipe.txt"} {
		check(t, syscall.Mkfifo(filepath.Join(root, name), 0o600))
	}
	t.Chdir(root) // names of sockets must be short
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", "s.json")
	check(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return root
}

func TestFilesOfFolder(t *testing.T) {
	root := trap(t)
	var warnings []string
	r := loader.Begin(t.Context(), loader.Options{Warn: func(text string) { warnings = append(warnings, text) }})
	defer func() { _ = r.Close() }()
	soon(t, "Files", func() {
		files, err := r.Files(root)
		if err != nil {
			t.Error(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		if want := []string{"absolute.json", "relative.json", "sub/in.json"}; !slices.Equal(names, want) {
			t.Errorf("files %v, want %v", names, want)
		}
	})
	warned(t, root, warnings)
}

// warned checks that each file that is not read is named once.
func warned(t *testing.T, root string, warnings []string) {
	t.Helper()
	text := strings.Join(warnings, "\n") + "\n"
	for name, reason := range map[string]string{
		"leak.json": "is a link out of the folder", "sub/leak2.json": "is a link out of the folder", "folder": "is a link out of the folder",
		"folder2": "is a link to a folder", "nowhere.json": "is a link that leads nowhere", "loop.json": "is a link that leads nowhere",
		"zero.json": "is a link out of the folder", "pipe.json": "is a pipe", "pipe.xml": "is a pipe", "sub/pipe.csv": "is a pipe", "s.json": "is a socket",
	} {
		if n := strings.Count(text, filepath.Join(root, name)+" "+reason); n != 1 {
			t.Errorf("%d warnings say %s %s:\n%s", n, name, reason, text)
		}
	}
}

func TestLoadFolderStaysInside(t *testing.T) {
	root := trap(t)
	for _, format := range []string{"", "fhir"} {
		soon(t, "Load", func() {
			var sink loadertest.Sink
			opts := formats.Options{Settings: formats.Settings{Format: format}}
			if err := formats.Load(context.Background(), []string{root}, opts, &sink); err != nil {
				t.Error(err)
				return
			}
			for _, x := range sink.Indexes {
				if x.Header().URL != "http://x/in" {
					t.Errorf("read %s", x.Header().URL)
				}
			}
			if len(sink.Indexes) != 3 { // the file and two links to it
				t.Errorf("%d code systems", len(sink.Indexes))
			}
		})
	}
}

func TestNamedPipe(t *testing.T) {
	root := trap(t)
	for _, name := range []string{"pipe.json", "pipe.xml", "sub/pipe.csv", "pipe.zip", "pipe.obo", "pipe.txt"} {
		path := filepath.Join(root, name)
		for _, format := range append(formats.Names(), "") {
			soon(t, "Load "+name+" as "+format, func() {
				var sink loadertest.Sink
				err := formats.Load(context.Background(), []string{path}, formats.Options{Settings: formats.Settings{Format: format}}, &sink)
				if !errors.Is(err, loader.ErrNotRegular) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s as %q: %v", name, format, err)
				}
			})
		}
		soon(t, "Files "+name, func() {
			r := loader.Begin(context.Background(), loader.Options{})
			defer func() { _ = r.Close() }()
			if _, err := r.Files(path); !errors.Is(err, loader.ErrNotRegular) {
				t.Errorf("Files of %s: %v", name, err)
			}
			if _, err := loader.Open(r, path); !errors.Is(err, loader.ErrNotRegular) {
				t.Errorf("Open %s: %v", name, err)
			}
			if loader.Peek(path, 10) != nil || loader.Head(path, 10) != nil {
				t.Errorf("%s has bytes", name)
			}
		})
	}
}
