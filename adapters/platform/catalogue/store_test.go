package catalogue

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const server = "https://platform.example.org"

// Rows of docs/platform.md: T4.3.
func TestStore(t *testing.T) {
	s := Store{Folder: filepath.Join(t.TempDir(), "a", "b")}
	c := view(Schemas, Type{Name: "User", Fields: []Field{}})
	if s.Get(server, c.RawVersion, Schemas) != nil || s.Latest(server, "v42", Schemas) != nil {
		t.Error("an empty store has something")
	}
	if err := s.Put(server, c); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		server, version string
		source          Source
		there           bool
	}{
		{server, "2.42.4", Schemas, true},
		{server, "2.42.5", Schemas, false},
		{server, "2.42.4", OpenAPI, false},
		{server + "/", "2.42.4", Schemas, false},
		{server, "", Schemas, false},
	} {
		if got := s.Get(k.server, k.version, k.source); (got != nil) != k.there {
			t.Errorf("%+v: %v", k, got)
		}
	}
	if got := s.Latest(server, "v42", Schemas); got == nil || got.Types[0].Name != "User" {
		t.Errorf("the latest: %v", got)
	}
	if got := s.Latest(server, "", Schemas); got == nil {
		t.Error("there is no latest of any version")
	}
	if s.Latest(server, "v43", Schemas) != nil || s.Latest(server, "v42", OpenAPI) != nil {
		t.Error("the latest of another version or source")
	}
	files := s.files(t)
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	for path, mode := range map[string]os.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700, s.Folder: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := (Store{}).Put(server, c); err != nil {
		t.Errorf("a store without a folder: %v", err)
	}
}

func (s Store) files(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(s.Folder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestStoreLatestIsTheLastKept(t *testing.T) {
	s := Store{Folder: t.TempDir()}
	for i, raw := range []string{"2.42.9", "2.42.10", "2.42.1"} {
		c := view(Schemas, Type{Name: "Of" + strconv.Itoa(i), Fields: []Field{}})
		c.RawVersion = raw
		if err := s.Put(server, c); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(int64(1_000_000+i), 0)
		if err := os.Chtimes(s.path(server, raw, Schemas), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Latest(server, "v42", Schemas); got == nil || got.RawVersion != "2.42.1" {
		t.Errorf("the latest is %+v", got)
	}
}

func TestStoreIgnoresDamage(t *testing.T) {
	c := view(Schemas, Type{Name: "User", Fields: []Field{}})
	other := *c
	other.RawVersion = "2.42.5"
	packed, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	packedOther, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": {}, "text": []byte("no catalogue"), "cut": packed[:len(packed)-9], "of another version": packedOther,
		"large": make([]byte, maxPacked+1),
	} {
		s := Store{Folder: t.TempDir()}
		if err := s.Put(server, c); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.files(t)[0], content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.Get(server, c.RawVersion, Schemas); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
		if err := s.Put(server, c); err != nil || s.Get(server, c.RawVersion, Schemas) == nil {
			t.Errorf("%s: not replaced: %v", name, err)
		}
	}
}

func TestStoreKeepsSomeOnly(t *testing.T) {
	s := Store{Folder: t.TempDir()}
	for i := range maxStored + 5 {
		c := view(Schemas)
		c.RawVersion = strconv.Itoa(i)
		address := server + strconv.Itoa(i/40)
		if err := s.Put(address, c); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(int64(1_000_000+i), 0)
		if err := os.Chtimes(s.path(address, c.RawVersion, Schemas), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.files(t)); n != maxStored {
		t.Errorf("%d files", n)
	}
	if s.Get(server+"0", "4", Schemas) != nil || s.Get(server+"0", "5", Schemas) == nil {
		t.Error("not the oldest went")
	}
}

func TestStoreTogether(t *testing.T) {
	s := Store{Folder: t.TempDir()}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.Put(server, view(Schemas, Type{Name: "User", Fields: []Field{}})); err != nil {
				t.Error(err)
			}
			if s.Get(server, "2.42.4", Schemas) == nil {
				t.Error("what was kept is not there")
			}
		})
	}
	all.Wait()
	if files := s.files(t); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

func TestDecodeLimits(t *testing.T) {
	c := view(Schemas, Type{Name: "T", Fields: []Field{{Name: "f", Type: strings.Repeat("a", 100_000)}}})
	packed, err := c.Encode()
	if err != nil || len(packed) > 1000 {
		t.Fatal(len(packed), err)
	}
	if c, err := decode(packed, 100_000); !errors.Is(err, ErrLimit) {
		t.Errorf("%d bytes unpacked: %v, %v", len(packed), c, err)
	}
	if _, err := decode(packed, 101_000); err != nil {
		t.Error(err)
	}
	for n, want := range map[int]error{maxTypes: nil, maxTypes + 1: ErrLimit} {
		types := make([]Type, n)
		for i := range types {
			types[i].Name = strconv.Itoa(i)
		}
		packed, err := view(Schemas, types...).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(packed); !errors.Is(err, want) {
			t.Errorf("%d types: %v", n, err)
		}
	}
}
