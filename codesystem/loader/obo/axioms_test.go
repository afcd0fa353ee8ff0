package obo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
)

// inferred classifies a file: the parents of its classes, what is equivalent, what is ignored.
func inferred(t *testing.T, name, text string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := classify.New()
	if err := Axioms(t.Context(), path, loader.Options{}, o); err != nil {
		return "", err
	}
	x, err := o.Classify(t.Context(), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range x.Classes {
		if n := x.Node(c); n != c {
			list = append(list, x.Name(c)+"="+x.Name(n))
		}
		for _, p := range x.Parents(c) {
			if p != classify.Top {
				list = append(list, x.Name(c)+"<"+x.Name(p))
			}
		}
		if text := o.Labels[c]; text != "" {
			list = append(list, x.Name(c)+":"+text)
		}
	}
	for name, n := range o.Ignored {
		list = append(list, fmt.Sprint("!", name, n))
	}
	slices.Sort(list)
	return strings.Join(list, " "), nil
}

func TestAxioms(t *testing.T) {
	t.Parallel()
	const typedefs = `
[Typedef]
id: part
is_a: in
is_transitive: true
is_symmetric: true
is_functional: false

[Typedef]
id: in
transitive_over: part ! it
holds_over_chain: near part
domain: X:20
range: X:21

[Typedef]
id: note
is_metadata_tag: true

[Typedef]
id: near
is_reflexive: true
equivalent_to: by
`
	for _, test := range []struct{ name, terms, want string }{
		{
			"definition", "name: a ! b\n[Term]\nid: X:2\nintersection_of: X:3 ! it\nintersection_of: part X:4 {a=\"b\"}\n[Term]\nid: X:5\nis_a: X:3\nrelationship: part X:6\n[Term]\nid: X:6\nis_a: X:4",
			"!is_symmetric1 X:1:a X:2<X:20 X:2<X:3 X:5<X:2 X:6<X:4",
		},
		{"roles", "relationship: in X:2\n[Term]\nid: X:2\nrelationship: part X:3\n[Term]\nid: X:4\nintersection_of: in X:3", "!is_symmetric1 X:1<X:4 X:2<X:4 X:4<X:20"},
		{"range", "relationship: part X:2\n[Term]\nid: X:4\nintersection_of: X:2\nintersection_of: X:21\n[Term]\nid: X:5\nintersection_of: in X:4", "!is_symmetric1 X:1<X:5 X:4<X:2 X:4<X:21 X:5<X:20"},
		{"annotation", "relationship: note X:2\n[Term]\nid: X:3\nintersection_of: note X:2", "!is_symmetric1"},
		{"context", "is_a: X:2 {gci_relation=\"part\", gci_filler=\"X:3\"}\n[Term]\nid: X:4\nis_a: X:1\nrelationship: part X:3", "!is_symmetric1 X:4<X:1 X:4<X:2 X:4<X:20"},
		{"numbers", "relationship: part X:2 {minCardinality=\"2\"}", "!cardinality or all_only1 !is_symmetric1"},
		{"union", "union_of: X:2\nunion_of: X:3\n[Term]\nid: X:4\nunion_of: X:5\nunion_of: X:5", "!is_symmetric1 !union_of1 X:2<X:1 X:3<X:1 X:5=X:4"},
		{"nothing", "equivalent_to: X:2\ndisjoint_from: X:3\n[Term]\nid: X:4\nis_a: X:2\nis_a: X:3\n[Term]\nid: _:1\nis_a: X:2", "!is_anonymous1 !is_symmetric1 X:2=X:1 X:4=owl:Nothing"},
	} {
		got, err := inferred(t, "x.obo", "[Term]\nid: X:1\n"+test.terms+"\n"+typedefs)
		if err != nil || got != test.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", test.name, got, err, test.want)
		}
	}
	for terms, want := range map[string]string{
		"relationship: part":                      `line 3: not of a format that is read: relationship: "part" has 1 identifiers, expected 2`,
		"is_a: X:2 {gci_relation=\"part\"}":       `line 3: not of a format that is read: "gci_relation=\"part\"" does not have both gci_relation and gci_filler`,
		"\n[Typedef]\nid: r\nholds_over_chain: r": `line 6: not of a format that is read: holds_over_chain: "r" has 1 identifiers, expected 2`,
	} {
		if _, err := inferred(t, "x.obo", "[Term]\nid: X:1\n"+terms+"\n"); !errors.Is(err, loader.ErrFormat) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", terms, err, want)
		}
	}
}

func TestGraphAxioms(t *testing.T) {
	t.Parallel()
	got, err := inferred(t, "x.json", `{"graphs":[{"id":"http://purl.obolibrary.org/obo/x.owl","nodes":[
		{"id":"http://purl.obolibrary.org/obo/X_1","type":"CLASS","lbl":"one"},{"id":"http://purl.obolibrary.org/obo/X_2","type":"CLASS","lbl":"two"},
		{"id":"http://purl.obolibrary.org/obo/R_1","type":"PROPERTY","lbl":"part of"}],
		"edges":[{"sub":"http://purl.obolibrary.org/obo/X_1","pred":"http://purl.obolibrary.org/obo/R_1","obj":"http://purl.obolibrary.org/obo/X_2"},
		{"sub":"http://purl.obolibrary.org/obo/X_2","pred":"is_a","obj":"http://purl.obolibrary.org/obo/X_3"},
		{"sub":"http://purl.obolibrary.org/obo/R_1","pred":"subPropertyOf","obj":"http://purl.obolibrary.org/obo/R_2"},
		{"sub":"http://purl.obolibrary.org/obo/R_1","pred":"inverseOf","obj":"http://purl.obolibrary.org/obo/R_2"}],
		"equivalentNodesSets":[{"representativeNodeId":"","nodeIds":["http://purl.obolibrary.org/obo/X_4","http://purl.obolibrary.org/obo/X_5"]}],
		"logicalDefinitionAxioms":[{"meta":{},"definedClassId":"http://purl.obolibrary.org/obo/X_4","genusIds":[],"restrictions":[
		{"propertyId":"http://purl.obolibrary.org/obo/R_3","fillerId":"http://purl.obolibrary.org/obo/X_3"}]}],
		"propertyChainAxioms":[{"predicateId":"http://purl.obolibrary.org/obo/R_3","chainPredicateIds":["http://purl.obolibrary.org/obo/R_2"]}],
		"domainRangeAxioms":[{"predicateId":"http://purl.obolibrary.org/obo/R_2","domainClassIds":["http://purl.obolibrary.org/obo/X_6"],"rangeClassIds":["http://purl.obolibrary.org/obo/X_7"]}]}]}`)
	if want := "!inverseOf1 X:1:one X:1<X:4 X:1<X:6 X:2:two X:2<X:3 X:5=X:4"; err != nil || got != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
	for name, text := range map[string]string{
		"x.json": `{"graphs":[{"id":"x","nodes":[{"id":"A","type":"CLASS","lbl":"a"}],"edges":[{"sub":"B","pred":"is_a","obj":"A"},{"sub":"A","pred":"is_a"},{"sub":"A","pred":"type","obj":"B"}]}]}`,
		"x.obo":  "[Term]\nid: 1\nrelationship: p 2\n[Term]\nid: 2\nrelationship: q 3\n[Term]\nid: 4\nintersection_of: r 3\n[Typedef]\nid: r\nholds_over_chain: p q",
	} {
		if got, err := inferred(t, name, text); err != nil || got != map[string]string{"x.json": "A:a", "x.obo": "1<4"}[name] {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
}
