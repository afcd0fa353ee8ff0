package storetest

import (
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

func purges(_ *testing.T, s *suite) {
	x := s.indexed()
	purge := func(what string, before time.Time, want int) {
		s.t.Helper()
		n, err := x.Purge(s.ctx(), before)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		s.equal(what+": versions cleared", n, want)
	}
	entries := func(what string, want ...string) {
		s.t.Helper()
		s.view(func(r index.Reader) { s.equal(what, s.scan(r, index.Range{}), want) })
	}
	at := time.Date(2024, 5, 6, 7, 8, 0, 0, time.UTC)
	second := func(n int, w resources.Write) {
		w.At = at.Add(time.Duration(n) * time.Second)
		s.write(w)
	}
	purge("nothing", at.Add(time.Hour), 0)
	second(0, entered("a", `1`, "x", "y"))
	second(1, entered("b", `1`, "x"))
	second(2, entered("a", `2`, "x"))
	second(3, resources.Write{Key: code("b")})
	second(4, entered("c", `1`, "x"))
	second(5, entered("a", `3`, "z"))
	all := []string{"x a/1", "x b/1", "x a/2", "x c/1", "y a/1", "z a/3"}
	entries("before", all...)
	purge("superseded at that time", at.Add(2*time.Second), 0)
	entries("nothing is purged", all...)
	purge("one", at.Add(3*time.Second), 1)
	entries("one is purged", "x b/1", "x a/2", "x c/1", "z a/3")
	purge("again", at.Add(3*time.Second), 0)
	purge("all", at.Add(time.Hour), 2)
	entries("all are purged", "x c/1", "z a/3")
	for i := range 500 { // more than a store clears at once
		second(6+i, entered("a", `3`, "z"))
	}
	purge("many", at.Add(time.Hour), 500)
	entries("many are purged", "x c/1", "z a/503")
	s.view(func(r index.Reader) {
		records, err := r.Versions(s.ctx(), index.VersionsRequest{Type: "CodeSystem", ID: "a", Parts: index.WithBody | index.WithValues})
		if err != nil || len(records) != 503 || string(records[502].Body) != `1` || string(records[502].Values) != "values of 1" {
			s.t.Errorf("body and values of a purged version: %d versions, %v", len(records), err)
		}
		if counter, can := r.(index.Counter); can {
			n, err := counter.Count(s.ctx(), "CodeSystem") // a and c
			other, otherErr := counter.Count(s.ctx(), "ValueSet")
			if n != 2 || other != 0 || err != nil || otherErr != nil {
				s.t.Errorf("counted %d and %d resources: %v, %v", n, other, err, otherErr)
			}
		}
	})
}

func reindexes(_ *testing.T, s *suite) {
	s.indexed()
	x, ok := s.store.(resources.Reindexer)
	if !ok {
		s.t.Skip("the store cannot be indexed anew")
	}
	s.write(entered("a", `1`, "x", "y"))
	s.write(resources.Write{Key: code("b"), Render: text(`1`)})
	s.write(entered("gone", `1`, "x"))
	s.write(resources.Write{Key: code("gone")})
	var a, b, gone index.Seq
	s.view(func(r index.Reader) {
		records := s.find(r, 0, "a", "b", "gone")
		a, b, gone = records[0].Seq, records[1].Seq, records[2].Seq
	})
	bytes := func(words ...string) (list [][]byte) {
		for _, word := range words {
			list = append(list, []byte(word))
		}
		return list
	}
	err := x.Reindex(s.ctx(), []resources.Reindexed{
		{Seq: a, Entries: bytes("y", "z"), Values: []byte("new a"), Terms: bytes("t")},
		{Seq: b, Entries: bytes("z"), Values: []byte("new b"), Terms: bytes("t")},
		{Seq: gone, Entries: bytes("z")},
		{Seq: 1, Entries: bytes("z")},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.view(func(r index.Reader) {
		s.equal("entries", s.scan(r, index.Range{}), []string{"t /0", "x gone/1", "y a/1", "z a/1", "z b/1"})
		records := s.find(r, index.WithValues|index.WithBody, "a", "b", "gone")
		s.equal("values of a", string(records[0].Values), "new a")
		s.equal("body of a", string(records[0].Body), `1`)
		s.equal("values of b", string(records[1].Values), "new b")
		s.equal("values of a deletion", records[2].Values, []byte(nil))
	})
	s.write(entered("a", `2`, "w"))
	if n, err := s.indexed().Purge(s.ctx(), time.Now().Add(time.Hour)); err != nil || n != 2 {
		s.t.Errorf("Purge: %d, %v; want 2", n, err)
	}
	s.view(func(r index.Reader) {
		s.equal("entries after a purge", s.scan(r, index.Range{}), []string{"t /0", "w a/2", "z b/1"})
	})
}

func marks(_ *testing.T, s *suite) {
	x, ok := s.store.(resources.Marker)
	if !ok {
		s.t.Skip("the store keeps no words about itself")
	}
	mark := func(name, want string) {
		s.t.Helper()
		got, err := x.Mark(s.ctx(), name)
		if err != nil || got != want {
			s.t.Errorf("Mark %q: %q, %v; want %q", name, got, err, want)
		}
	}
	mark("a", "")
	for _, set := range [][2]string{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"b", ""}} {
		if err := x.SetMark(s.ctx(), set[0], set[1]); err != nil {
			s.t.Fatal(err)
		}
		mark(set[0], set[1])
	}
	mark("a", "3")
	for _, row := range [][4]string{{"a", "3", "4", "4"}, {"a", "3", "5", "4"}, {"b", "", "6", "6"}, {"c", "x", "y", ""}} {
		if now, err := x.SwapMark(s.ctx(), row[0], row[1], row[2]); err != nil || now != row[3] {
			s.t.Errorf("SwapMark %v: %q, %v", row, now, err)
		}
		mark(row[0], row[3])
	}
}
