package audit

import (
	"fmt"
	"strings"
	"testing"
)

// TestSharingPrecedence: one finding of public access for each object, and external access apart.
// Platform toolkit, section 5.9.
// Rows of docs/platform.md: T5.9.
func TestSharingPrecedence(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		kind, public string
		data         bool
		external     *bool
		want         string
	}{
		{"dataSet", "rwrw----", true, &no, "sharing-public-write-data"},
		{"dataSet", "r--w----", true, &no, "sharing-public-write-data"},
		{"dataSet", "r-r-----", true, &no, "sharing-public-read-data"},
		{"dataSet", "r-r-----", true, &yes, "sharing-external"},
		{"dataSet", "r-------", true, &no, ""},
		{"map", "rw------", false, &no, "sharing-public-write-metadata"},
		{"map", "r-rw----", false, &no, ""},
		{"map", "rw------", false, &yes, "sharing-external sharing-public-write-metadata"},
		{"sqlView", "r-------", false, &no, "sharing-public-sql-view"},
		{"sqlView", "rw------", false, &no, "sharing-public-write-metadata"},
		{"sqlView", "r-------", false, &yes, "sharing-external"},
	} {
		r := reduceSharing(sharingInput{objects: []shared{{kind: test.kind, dataBearing: test.data, block: sharingBlock{Public: &test.public, External: test.external}}}})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Control)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	r := reduceSharing(sharingInput{objects: []shared{{unreadable: true}}, exhausted: true, budget: 1})
	if o := outcome(t, r, "sharing-public-read-data"); o.Status != Skipped || !strings.Contains(r.Note, "lower bound") || !strings.Contains(r.Note, "do not show their sharing") {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]bool{"rwrw----": true, "r---": true, "": false, "rw": false, "wr------": false, "RW------": false} {
		if isAccess(text) != want {
			t.Errorf("%q", text)
		}
	}
}

// TestGraph: who may do what.
// Rows of docs/platform.md: T5.9.
func TestGraph(t *testing.T) {
	public := "r-------"
	g := Graph{}
	g.add(shared{kind: "map", id: "m", name: "M", block: sharingBlock{
		Public: &public, Users: map[string]access{"a": {"rw------"}}, Groups: map[string]access{"g": {"r-r-----"}},
	}}, map[string][]string{"g": {"a", "b"}})
	want := "[{m  r-------} {m a rwr-----} {m b r-r-----}]"
	if got := fmt.Sprint(g.Access); got != want || len(g.Edges) != 2 || g.Edges[1] != (Edge{"g", "m", "shares", "r-r-----"}) {
		t.Error(got, g.Edges)
	}
}
