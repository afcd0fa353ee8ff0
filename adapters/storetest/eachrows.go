package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/roget-health/roget/resources"
)

func eachOrder(t *testing.T, s *suite) {
	ids := []string{"b", "a", "B", "a-1", "a.1", "a1", "10", "9", "Z", "z", "-", "."}
	for _, id := range ids {
		s.put(code(id), `1`)
		s.put(code(id), `{"id":"`+id+`"}`)
	}
	s.put(resources.Key{Type: "CodeSystemX", ID: "a"}, `1`)
	s.put(resources.Key{Type: "Code", ID: "a"}, `1`)
	slices.Sort(ids)
	s.equal("ascending by bytes", s.ids("CodeSystem"), ids)
	for _, v := range s.each("CodeSystem") {
		if v.Type != "CodeSystem" || v.VersionID != 2 || string(v.Body) != `{"id":"`+v.ID+`"}` || v.LastUpdated.IsZero() {
			t.Errorf("not the current version: %+v", v)
		}
	}
}

func eachErrors(t *testing.T, s *suite) {
	for _, id := range []string{"a", "b", "c"} {
		s.put(code(id), `1`)
	}
	enough := errors.New("enough")
	calls := 0
	err := s.store.Each(s.ctx(), "CodeSystem", func(resources.Version) error {
		if calls++; calls == 2 {
			return enough
		}
		return nil
	})
	if err != enough || calls != 2 { //nolint:errorlint // unchanged is the contract
		t.Errorf("Each: %v after %d calls, want %v after 2", err, calls, enough)
	}
	ctx, cancel := context.WithCancel(s.ctx())
	defer cancel()
	calls = 0
	err = s.store.Each(ctx, "CodeSystem", func(resources.Version) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("Each, cancelled in the first call: %v after %d calls", err, calls)
	}
	s.equal("the store goes on", s.ids("CodeSystem"), []string{"a", "b", "c"})
}

func eachReenters(t *testing.T, s *suite) {
	for _, id := range []string{"a", "b", "c"} {
		s.put(code(id), `1`)
	}
	err := s.store.Each(s.ctx(), "CodeSystem", func(v resources.Version) error {
		s.read(v.Key)
		s.put(resources.Key{Type: "ValueSet", ID: v.ID}, `made while walking`)
		s.put(v.Key, `2`)
		return s.store.Each(s.ctx(), "ValueSet", func(resources.Version) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	s.equal("written while walking", s.ids("ValueSet"), []string{"a", "b", "c"})
}
