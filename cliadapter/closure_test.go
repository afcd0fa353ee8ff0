package cliadapter

import (
	"strings"
	"testing"
)

func TestClosureCommand(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, nil, "closure", "problems", "--data", "here", "--store", "sqlite:there", "-o", "json")
	if code != 0 || !strings.Contains(out, `"id":"problems","version":"1"`) || errs != "" {
		t.Errorf("exit code %d, output %q, errors %q", code, out, errs)
	}
	if want := (StoreOptions{Data: "here", Store: "sqlite:there", Write: true, Terminology: true}); b.store.Data != want.Data || b.store.Store != want.Store || !b.store.Write || !b.store.Terminology {
		t.Errorf("%+v", b.store)
	}
	for _, tt := range []struct {
		line []string
		code int
		want string
	}{
		{[]string{"closure", "problems", "http://snomed.info/sct|22298006"}, 3, "not initialized"},
		{[]string{"closure", "a b"}, 2, "invalid closure name"},
		{[]string{"closure"}, 2, "name"},
		{[]string{"closure", "problems", "x|y", "--version", "1"}, 2, "not both"},
		{[]string{"closure", "problems", "--version", ""}, 2, "version: it has no value"}, // as from "$VERSION"
		{[]string{"closure", "problems", ""}, 2, "concept: it has no value"},
	} {
		code, _, errs := run(t, &absent{}, nil, tt.line...)
		if code != tt.code || !strings.Contains(strings.ToLower(errs), tt.want) {
			t.Errorf("%q: exit code %d, errors %q", tt.line, code, errs)
		}
	}
}
