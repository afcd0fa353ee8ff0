package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
)

func absent(t *testing.T, s *suite) {
	_, err := s.store.Read(s.ctx(), code("none"))
	s.fails("Read", err, resources.ErrNotFound, "CodeSystem/none: resource not found")
	s.equal("Each of nothing", s.ids("CodeSystem"), []string(nil))
	h := s.historian()
	_, err = h.ReadVersion(s.ctx(), code("none"), 1)
	s.fails("ReadVersion", err, resources.ErrNotFound, "CodeSystem/none: resource not found")
	_, err = h.History(s.ctx(), code("none"))
	s.fails("History", err, resources.ErrNotFound, "CodeSystem/none: resource not found")
}

func create(t *testing.T, s *suite) {
	before := time.Now().Truncate(time.Millisecond)
	v := s.put(code("a"), `{"resourceType":"CodeSystem"}`)
	after := time.Now()
	if v.LastUpdated.Before(before) || v.LastUpdated.After(after) {
		t.Errorf("LastUpdated %v is not between %v and %v", v.LastUpdated, before, after)
	}
	s.equal("version", v, resources.Version{
		Key: code("a"), VersionID: 1, LastUpdated: v.LastUpdated, Body: []byte(`{"resourceType":"CodeSystem"}`),
	})
	s.equal("Read", s.read(code("a")), v)
}

func update(t *testing.T, s *suite) {
	first := s.put(code("a"), `1`)
	second := s.put(code("a"), `2`)
	if second.VersionID != 2 || second.LastUpdated.Before(first.LastUpdated) {
		t.Errorf("second version is %d at %v, after %v", second.VersionID, second.LastUpdated, first.LastUpdated)
	}
	s.equal("Read", s.read(code("a")), second)
}

func remove(t *testing.T, s *suite) {
	s.put(code("a"), `1`)
	v := s.write(resources.Write{Key: code("a")})
	s.equal("deletion", v, resources.Version{Key: code("a"), VersionID: 2, LastUpdated: v.LastUpdated, Deleted: true})
	got, err := s.store.Read(s.ctx(), code("a"))
	s.fails("Read", err, resources.ErrGone, "CodeSystem/a: resource deleted")
	s.equal("the version that comes with ErrGone", got, v)
	s.equal("Each", s.ids("CodeSystem"), []string(nil))
}

func createAgain(t *testing.T, s *suite) {
	s.put(code("a"), `1`)
	s.write(resources.Write{Key: code("a")})
	v := s.put(code("a"), `3`)
	if v.VersionID != 3 || v.Deleted {
		t.Errorf("version %d, deleted %v; want 3, false", v.VersionID, v.Deleted)
	}
	s.equal("Read", s.read(code("a")), v)
	s.equal("Each", s.ids("CodeSystem"), []string{"a"})
}

func removeNothing(t *testing.T, s *suite) {
	_, err := s.store.Write(s.ctx(), resources.Write{Key: code("a")})
	s.fails("never stored", err, resources.ErrNotFound, "CodeSystem/a: resource not found")
	s.put(code("a"), `1`)
	deletion := s.write(resources.Write{Key: code("a")})
	got, err := s.store.Write(s.ctx(), resources.Write{Key: code("a")})
	s.fails("deleted already", err, resources.ErrGone, "CodeSystem/a: resource deleted")
	s.equal("the version that comes with ErrGone", got, deletion)
}

func expectedVersion(t *testing.T, s *suite) {
	s.put(code("two"), `1`)
	s.put(code("two"), `2`)
	s.put(code("gone"), `1`)
	s.write(resources.Write{Key: code("gone")})
	for _, row := range []struct {
		id       string
		expected int64
		message  string // "": the write succeeds
	}{
		{"two", 1, "CodeSystem/two: version conflict: expected version 1, but the current version is 2"},
		{"two", 3, "CodeSystem/two: version conflict: expected version 3, but the current version is 2"},
		{"two", 0, "CodeSystem/two: version conflict: expected that it does not exist, but the current version is 2"},
		{"new", 1, "CodeSystem/new: version conflict: expected version 1, but it does not exist"},
		{"gone", 1, "CodeSystem/gone: version conflict: expected version 1, but the current version is 2"},
		{"gone", 0, "CodeSystem/gone: version conflict: expected that it does not exist, but the current version is 2"},
		{"two", 2, ""},
		{"new", 0, ""},
		{"gone", 2, ""},
	} {
		rendered := false
		w := resources.Write{Key: code(row.id), IfVersion: &row.expected, Render: func(int64, time.Time) ([]byte, error) {
			rendered = true
			return []byte(`new`), nil
		}}
		v, err := s.store.Write(s.ctx(), w)
		if row.message == "" {
			if err != nil || v.VersionID != row.expected+1 {
				t.Errorf("%s expecting %d: version %d, %v", row.id, row.expected, v.VersionID, err)
			}
			continue
		}
		s.fails(row.id, err, resources.ErrConflict, row.message)
		if rendered {
			t.Errorf("%s expecting %d: rendered although it conflicts", row.id, row.expected)
		}
		w.JustRead = true // now the store may find out later
		_, err = s.store.Write(s.ctx(), w)
		s.fails(row.id, err, resources.ErrConflict, row.message)
		w.JustRead, w.Fresh = false, row.expected == 0
		if !w.Fresh {
			continue
		}
		_, err = s.store.Write(s.ctx(), w)
		s.fails(row.id, err, resources.ErrConflict, row.message)
		if tx, is := s.store.(resources.Transactor); is {
			other := w
			other.ID = "apart"
			err = tx.Transact(s.ctx(), func(tx resources.Tx) error { return s.writeAll(tx, other, w) })
			s.fails(row.id, err, resources.ErrConflict, row.message)
			_, err = s.store.Read(s.ctx(), other.Key)
			s.fails("apart", err, resources.ErrNotFound, "CodeSystem/apart: resource not found")
		}
	}
	expected := int64(7)
	_, err := s.store.Write(s.ctx(), resources.Write{Key: code("two"), IfVersion: &expected})
	s.fails("deletion", err, resources.ErrConflict, "CodeSystem/two: version conflict: expected version 7, but the current version is 3")
	s.equal("after a refused deletion", s.read(code("two")).VersionID, int64(3))
}

func recordedTime(t *testing.T, s *suite) {
	zone := time.FixedZone("east", 2*60*60)
	at := time.Date(2024, 5, 6, 7, 8, 9, 123_999_999, zone)
	cut := time.Date(2024, 5, 6, 5, 8, 9, 123_000_000, time.UTC)
	var rendered time.Time
	render := func(_ int64, lastUpdated time.Time) ([]byte, error) {
		rendered = lastUpdated
		return []byte(`1`), nil
	}
	v := s.write(resources.Write{Key: code("a"), Render: render, At: at})
	s.equal("time", v.LastUpdated, cut)
	s.equal("time told to Render", rendered, cut)
	s.equal("time read", s.read(code("a")).LastUpdated, cut)
	if loc := s.read(code("a")).LastUpdated.Location(); loc != time.UTC {
		t.Errorf("time read is in zone %v, want UTC", loc)
	}
	v = s.write(resources.Write{Key: code("a"), Render: render, At: at.Add(-time.Hour)})
	s.equal("an earlier time is moved up", v.LastUpdated, cut)
	v = s.write(resources.Write{Key: code("a"), At: at.Add(time.Hour)})
	s.equal("a later time", v.LastUpdated, cut.Add(time.Hour))
}

func renderFails(t *testing.T, s *suite) {
	broken := errors.New("cannot render")
	_, err := s.store.Write(s.ctx(), resources.Write{Key: code("a"), Render: func(int64, time.Time) ([]byte, error) {
		return nil, broken
	}})
	s.fails("Write", err, broken, "cannot render")
	_, err = s.store.Read(s.ctx(), code("a"))
	s.fails("Read", err, resources.ErrNotFound, "CodeSystem/a: resource not found")
	s.equal("the next version", s.put(code("a"), `1`).VersionID, int64(1))
}

func keysApart(t *testing.T, s *suite) {
	other := resources.Key{Type: "ValueSet", ID: "a"}
	s.put(code("a"), `code system`)
	s.put(other, `value set`)
	s.put(code("A"), `another code system`)
	s.write(resources.Write{Key: code("a")})
	s.equal("same id, other type", string(s.read(other).Body), `value set`)
	s.equal("id in upper case", string(s.read(code("A")).Body), `another code system`)
	s.equal("Each", s.ids("CodeSystem"), []string{"A"})
	s.equal("Each of the other type", s.ids("ValueSet"), []string{"a"})
}

func exactBodies(t *testing.T, s *suite) {
	for name, body := range map[string]string{
		"empty":       "",
		"spaces":      "{ \"a\" :\r\n\t1.50e+01 , \"b\":-0.0}\n",
		"characters":  "{\"é\":\"\u00e9 e\u0301 \u200f \U0001F9EA \\u00e9\"}",
		"not UTF-8":   "\xff\xfe\x00\x01",
		"duplicates":  `{"a":1,"a":2}`,
		"eight MiB":   `"` + strings.Repeat("x", 8<<20) + `"`,
		"quotes":      `'"'' $1 ? :a @b \`,
		"looks a NUL": `\u0000`,
	} {
		key := code("body")
		v := s.put(key, body)
		for what, got := range map[string]resources.Version{"Write": v, "Read": s.read(key), "Each": s.each("CodeSystem")[0]} {
			if string(got.Body) != body || got.Body == nil {
				t.Errorf("%s: %s returns %d other bytes (nil: %v)", name, what, len(got.Body), got.Body == nil)
			}
		}
	}
}

func history(t *testing.T, s *suite) {
	h := s.historian()
	var want []resources.Version
	want = append(want, s.put(code("a"), `1`))
	want = append(want, s.put(code("a"), `2`))
	want = append(want, s.write(resources.Write{Key: code("a")}))
	want = append(want, s.put(code("a"), `4`))
	s.put(code("b"), `other`)
	got, err := h.History(s.ctx(), code("a"))
	if err != nil {
		t.Fatal(err)
	}
	s.equal("History", got, reversed(want))
	for i, v := range want {
		got, err := h.ReadVersion(s.ctx(), code("a"), int64(i+1))
		s.equal("ReadVersion", got, v)
		if v.Deleted {
			s.fails("ReadVersion of the deletion", err, resources.ErrGone, "CodeSystem/a: resource deleted")
		} else if err != nil {
			t.Errorf("ReadVersion %d: %v", i+1, err)
		}
	}
	_, err = h.ReadVersion(s.ctx(), code("a"), 5)
	s.fails("version to come", err, resources.ErrNotFound, "CodeSystem/a version 5: resource not found")
	_, err = h.ReadVersion(s.ctx(), code("a"), 0)
	s.fails("version 0", err, resources.ErrNotFound, "CodeSystem/a version 0: resource not found")
	_, err = h.ReadVersion(s.ctx(), code("a"), -1)
	s.fails("version -1", err, resources.ErrNotFound, "CodeSystem/a version -1: resource not found")
}
