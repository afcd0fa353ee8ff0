package obo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/resources/sharedtest"
)

const tools = `format-version: 1.4
data-version: releases/2025-03-01
date: 02:03:2025 10:00
ontology: tool
synonymtypedef: SHOP "name in shops" BROAD
property_value: http://purl.org/dc/elements/1.1/title "Tools of the kitchen" xsd:string
property_value: dcterms:license "free" xsd:string

[Term]
id: TOOL:1
name: tool ! not part of the name
def: "A thing to work with, \"by hand\".\nOr not." [BOOK:1, "x"] {source="y"}
subset: basic ! a subset
created_by: ann
creation_date: 2010-10-14T01:38:51Z

[Term]
id: TOOL:2 {a="b"}
name: knife \{sharp\} {lang="en"}
alt_id: TOOL:22
is_a: TOOL:1 {is_inferred="true"} ! tool
is_a: TOOL:3 {gci_relation="part_of", gci_filler="TOOL:4"} ! only in some places
is_a: OTHER:7 ! of another ontology
synonym: "blade" EXACT [BOOK:1]
synonym: "blade" EXACT [BOOK:2]
synonym: "cutter" SHOP []
synonym: "colour knife" EXACT uk_spelling []
synonym: "edge \"x\"" RELATED [] {q="1"}
synonym: "C6H6" RELATED FORMULA []
narrow_synonym: "pen knife" []
xref: CITY MUSEUM:12 "in the \"museum\"" {x="y"}
xref: A\:B:3
relationship: has_part TOOL:3 {w="1"} ! handle
relationship: parent TOOL:3
relationship: RO:0000087 http://purl.obolibrary.org/obo/ROLE_9
intersection_of: TOOL:1
property_value: weight "12.50" xsd:decimal
property_value: IAO:0000233 TOOL:9
comment: long, very \
  long {not a qualifier}
namespace: kitchen
created_by: bob
creation_date: yesterday
unknown_tag: whatever

[Term]
id: TOOL:3
name: handle

[Term]
id: TOOL:4
name: obsolete spoon
is_obsolete: true
replaced_by: TOOL:2
consider: TOOL:3

[Term]
id: _:anonymous
name: nothing

[Term]
id: TOOL:5
is_anonymous: true

[Typedef]
id: has_part
name: has part
def: "One thing is part of another." []

[Typedef]
id: RO:0000087
name: has role

[Instance]
id: TOOL:99
name: my knife
`

func read(t testing.TB, name, content string, opts loader.Options) (*loadertest.Sink, error) {
	t.Helper()
	sink := &loadertest.Sink{}
	return sink, Load(t.Context(), loadertest.Write(t, name, content), opts, sink)
}

func TestText(t *testing.T) {
	for name, content := range map[string]string{"plain": tools, "windows": "\ufeff" + strings.ReplaceAll(tools, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			var last loader.Progress
			sink, err := read(t, "tools.obo", content, loader.Options{Progress: func(p loader.Progress) { last = p }})
			if err != nil {
				t.Fatal(err)
			}
			x := sink.One(t)
			h := x.Header()
			if h.URL != purl+"tool.owl" || h.Version != "2025-03-01" || h.Date != "2025-03-02" || h.Title != "Tools of the kitchen" ||
				h.Name != "ToolsOfTheKitchen" || h.Copyright != "free" || h.Content != "complete" {
				t.Errorf("got %+v", h)
			}
			if x.Len() != 4 || last.Concepts != 4 || last.Resources != 1 || last.BytesRead != last.BytesTotal {
				t.Errorf("%d concepts, %+v", x.Len(), last)
			}
			loadertest.WantFacts(t, x, "TOOL:1", "display tool", "definition A thing to work with, \"by hand\".\nOr not.",
				"property subset String basic", "property createdBy String ann", "property created DateTime 2010-10-14T01:38:51Z")
			loadertest.WantFacts(t, x, "TOOL:2", "display knife {sharp}", "definition ", "parent TOOL:1",
				"designation en "+scopes+"|hasExactSynonym blade",
				"designation en "+purl+"tool.owl|SHOP cutter + hasBroadSynonym",
				"designation en-GB "+scopes+"|hasExactSynonym colour knife",
				"designation en "+scopes+"|hasRelatedSynonym edge \"x\"",
				"designation en "+scopes+"|hasNarrowSynonym pen knife",
				"property alternateCode Code TOOL:22",
				"property is_a Code OTHER:7",
				"property formula String C6H6",
				"property xref String CITY MUSEUM:12",
				"property xref String A:B:3",
				"property has_part Code TOOL:3",
				"property obo-parent Code TOOL:3",
				"property RO:0000087 Code ROLE:9",
				"property weight String 12.50",
				"property IAO:0000233 String TOOL:9",
				"property comment String long, very   long {not a qualifier}",
				"property namespace String kitchen",
				"property createdBy String bob")
			loadertest.WantFacts(t, x, "TOOL:4", "display obsolete spoon", "definition ", "inactive", "property replacedBy Code TOOL:2", "property consider Code TOOL:3")
			described := map[string]string{}
			for _, p := range h.Property {
				described[p.Code] = p.Type + " " + p.Description
			}
			if described["has_part"] != "code One thing is part of another." || described["RO:0000087"] != "code has role" ||
				described["weight"] != "string " || described["parent"] == "" || described["obo-parent"] != "code " {
				t.Errorf("properties %v", described)
			}
			for d := range x.Designations(mustFind(t, x, "TOOL:2")) {
				if d.Value == "cutter" && d.Use.Display != "name in shops" {
					t.Errorf("use %+v", d.Use)
				}
			}
		})
	}
}

func mustFind(t *testing.T, x *codesystem.Index, code string) codesystem.Ord {
	t.Helper()
	o, ok := x.Find(code)
	if !ok {
		t.Fatalf("%s is missing", code)
	}
	return o
}

func TestIdentity(t *testing.T) {
	sink, err := read(t, "tools.obo", tools, loader.Options{Identity: loader.Identity{URL: "http://example.org/tools", Version: "7", Title: "Tools", Language: "en-US"}})
	if err != nil {
		t.Fatal(err)
	}
	x := sink.One(t)
	if h := x.Header(); h.URL != "http://example.org/tools" || h.Version != "7" || h.Title != "Tools" || h.Language != "en-US" {
		t.Errorf("got %+v", h.Header)
	}
	for d := range x.Designations(mustFind(t, x, "TOOL:2")) {
		if d.Value == "cutter" && (d.Use.System != purl+"tool.owl" || d.Language != "en-US") {
			t.Errorf("designation %+v", d)
		}
	}
}

const toolGraphs = `{"graphs":[{
 "edges":[
  {"sub":"http://purl.obolibrary.org/obo/TOOL_2","pred":"is_a","obj":"http://purl.obolibrary.org/obo/TOOL_1"},
  {"sub":"http://purl.obolibrary.org/obo/TOOL_2","pred":"is_a","obj":"http://purl.obolibrary.org/obo/OTHER_7"},
  {"sub":"http://purl.obolibrary.org/obo/TOOL_2","pred":"http://purl.obolibrary.org/obo/BFO_0000051","obj":"http://purl.obolibrary.org/obo/TOOL_1"},
  {"sub":"http://purl.obolibrary.org/obo/BFO_0000051","pred":"inverseOf","obj":"http://purl.obolibrary.org/obo/BFO_0000050"}],
 "nodes":[
  {"id":"http://purl.obolibrary.org/obo/TOOL_1","type":"CLASS","lbl":"tool"},
  {"id":"http://purl.obolibrary.org/obo/OTHER_7","type":"CLASS"},
  {"type":"CLASS","id":"http://purl.obolibrary.org/obo/TOOL_2","meta":{
    "definition":{"val":"It cuts. ","xrefs":["BOOK:1"]},
    "synonyms":[{"pred":"hasExactSynonym","val":"blade"},{"synonymType":"http://purl.obolibrary.org/obo/tool#shop","pred":"hasBroadSynonym","val":"cutter"}],
    "comments":["a comment"],"subsets":["http://purl.obolibrary.org/obo/tool#basic"],"xrefs":[{"val":"MUSEUM:12"}],"deprecated":true,
    "basicPropertyValues":[
      {"pred":"http://purl.obolibrary.org/obo/IAO_0100001","val":"http://purl.obolibrary.org/obo/TOOL_1"},
      {"pred":"http://www.geneontology.org/formats/oboInOwl#hasAlternativeId","val":"TOOL:22"},
      {"pred":"http://www.geneontology.org/formats/oboInOwl#consider","val":"TOOL:1"},
      {"pred":"http://www.geneontology.org/formats/oboInOwl#creation_date","val":"2010-10-14T01:38:51Z"},
      {"pred":"http://www.geneontology.org/formats/oboInOwl#created_by","val":"ann"},
      {"pred":"http://www.geneontology.org/formats/oboInOwl#hasOBONamespace","val":"kitchen"},
      {"pred":"http://example.org/x#weight","val":"12"}]},"lbl":"knife"},
  {"id":"http://purl.obolibrary.org/obo/BFO_0000051","lbl":"has part","type":"PROPERTY","meta":{"basicPropertyValues":[{"pred":"http://www.geneontology.org/formats/oboInOwl#shorthand","val":"has_part"}]}},
  {"id":"http://purl.obolibrary.org/obo/tool#shop","lbl":"name in shops","type":"PROPERTY"}],
 "id":"http://purl.obolibrary.org/obo/tool.json",
 "meta":{"version":"http://purl.obolibrary.org/obo/tool/2025-03-01/tool.json","basicPropertyValues":[{"pred":"http://purl.org/dc/elements/1.1/title","val":"Tools of the kitchen"}]}
}]}`

func TestGraph(t *testing.T) {
	sink, err := read(t, "tools.json", toolGraphs, loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := sink.One(t)
	if h := x.Header(); h.URL != purl+"tool.owl" || h.Version != "2025-03-01" || h.Title != "Tools of the kitchen" || x.Len() != 2 {
		t.Errorf("%d concepts, %+v", x.Len(), h)
	}
	loadertest.WantFacts(t, x, "TOOL:1", "display tool", "definition ")
	loadertest.WantFacts(t, x, "TOOL:2", "display knife", "definition It cuts.", "inactive", "parent TOOL:1",
		"designation en "+scopes+"|hasExactSynonym blade",
		"designation en "+purl+"tool.owl|shop cutter + hasBroadSynonym",
		"property is_a Code OTHER:7",
		"property has_part Code TOOL:1",
		"property alternateCode Code TOOL:22",
		"property replacedBy Code TOOL:1",
		"property consider Code TOOL:1",
		"property created DateTime 2010-10-14T01:38:51Z",
		"property createdBy String ann",
		"property namespace String kitchen",
		"property weight String 12",
		"property xref String MUSEUM:12",
		"property comment String a comment",
		"property subset String basic")
}

// TestDetails: a byte order mark, what is obsolete, the system of synonyms, qualifiers.
func TestDetails(t *testing.T) {
	url := loader.Options{Identity: loader.Identity{URL: "http://x"}}
	sink, err := read(t, "x.obo", "\ufeff[Term]\nid: 1\nis_obsolete: 1 ! x\n[Term]\nid: 2\nis_obsolete: false\n", url)
	if err != nil {
		t.Fatal(err)
	}
	if x := sink.One(t); x.Len() != 2 || !x.Inactive(0) || x.Inactive(1) {
		t.Error("what is obsolete")
	}
	for id, want := range map[string]string{`"id":"http://y/y",`: "http://y/y", "": "http://x"} {
		sink, err = read(t, "x.json", `{"graphs":[{`+id+`"nodes":[{"id":"A","lbl":"a","type":"CLASS","meta":{"synonyms":[{"synonymType":"s","pred":"hasExactSynonym","val":"b"}]}}]}]}`, url)
		if err != nil {
			t.Fatal(err)
		}
		for d := range sink.One(t).Designations(0) {
			if d.Use.System != want {
				t.Errorf("%s: %+v", want, d.Use)
			}
		}
	}
	for text, want := range map[string]string{`{a="}"} ! b`: `|a="}"`, `a\tb\nc\Wd\\e\! f "{ ! " {g} ! h`: "a\tb\nc d\\e! f \"{ ! \"|g", `a! b{c}\`: `a! b{c}\|`} {
		value, qualifiers := structured(text)
		if got := unescape(value) + "|" + qualifiers; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestSeveralGraphs(t *testing.T) {
	one := strings.TrimSuffix(strings.TrimPrefix(toolGraphs, `{"graphs":[`), `]}`)
	other := strings.ReplaceAll(one, "/tool", "/other")
	sink, err := read(t, "tools.json", `{"graphs":[`+one+`,`+other+`,{"id":"http://example.org/empty"}]}`, loader.Options{})
	if err != nil || len(sink.Indexes) != 2 || sink.Indexes[1].URL() != purl+"other.owl" || sink.Origins[1].Entry != "graphs[1]" {
		t.Errorf("%v, %d, %v", err, len(sink.Indexes), sink.Origins)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, file, content string
		is                  error
		says                string
	}{
		{"no ontology", "x.obo", "format-version: 1.2\n\n[Term]\nid: A:1\n", loader.ErrFormat, "name the url with --url"},
		{"no terms", "x.obo", "ontology: x\n", loader.ErrNothing, "no [Term]"},
		{"empty", "x.obo", "", loader.ErrNothing, "x.obo"},
		{"no id", "x.obo", "ontology: x\n[Term]\nname: a\n", loader.ErrFormat, "line 2: "},
		{"no tag", "x.obo", "ontology: x\n\n[Term]\nid: A:1\nnonsense\n", loader.ErrFormat, `line 5: not of a format that is read: "nonsense"`},
		{"open stanza", "x.obo", "ontology: x\n[Term\nid: A:1", loader.ErrFormat, "line 2: "},
		{"open quotes", "x.obo", "ontology: x\n[Term]\nid: A:1\ndef: \"abc\\\"\n", loader.ErrFormat, "line 4: term A:1: "},
		{"synonym", "x.obo", "ontology: x\n[Term]\nid: A:1\nsynonym: abc\n", loader.ErrFormat, "synonym: \"abc\" is not a text in quotes"},
		{"relationship", "x.obo", "ontology: x\n[Term]\nid: A:1\nrelationship: part_of ! x\n", loader.ErrFormat, "is not a relationship and a term"},
		{"twice", "x.obo", "ontology: x\n[Term]\nid: A:1\n\n[Term]\nid: A:1\n", codesystem.ErrDuplicateCode, "line 5"},
		{"cycle", "x.obo", "ontology: x\n[Term]\nid: A:1\nis_a: A:2\n\n[Term]\nid: A:2\nis_a: A:1\n", codesystem.ErrCycle, "A:1"},
		{"latin 1", "x.obo", "ontology: x\n[Term]\nid: A:1\nname: \xe4\n", loader.ErrFormat, "line 4: not of a format that is read: it is not UTF-8"},
		{"NUL", "x.obo", "ontology: x\n[Term]\nid: A:1\nname: \x00\n", loader.ErrFormat, "line 4"},
		{"long line", "x.obo", "ontology: x\n[Term]\nid: A:1\nname: " + strings.Repeat("x", maxLine) + "\n", loader.ErrTooLarge, "line 4"},
		{"long lines", "x.obo", "ontology: x\n" + strings.Repeat(strings.Repeat("x", maxLine/2)+"\\\n", 3), loader.ErrTooLarge, "a line of more"},
		{"JSON", "x.json", "{\n\"graphs\":[{\"nodes\":[}", nil, "line 2"},
		{"no graphs", "x.json", `{"resourceType":"x"}`, loader.ErrNothing, "CLASS"},
		{"graph without id", "x.json", `{"graphs":[{"nodes":[{"id":"http://x/A_1","lbl":"a","type":"CLASS"}]}]}`, loader.ErrFormat, "name the url with --url"},
		{"node twice", "x.json", "{\"graphs\":[{\"id\":\"http://x/y\",\"nodes\":[{\"id\":\"A\",\"lbl\":\"a\",\"type\":\"CLASS\"},\n{\"id\":\"A\",\"lbl\":\"a\",\"type\":\"CLASS\"}]}]}", codesystem.ErrDuplicateCode, "line 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink, err := read(t, test.file, test.content, loader.Options{})
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.file) {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
			if len(sink.Indexes) > 0 {
				t.Error("a code system was handed on")
			}
		})
	}
	if err := Load(t.Context(), filepath.Join(t.TempDir(), "nowhere.obo"), loader.Options{}, &loadertest.Sink{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := read(t, "x.obo", tools, loader.Options{Limits: loader.Limits{MaxBytes: 100}}); !errors.Is(err, loader.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Load(ctx, loadertest.Write(t, "x.obo", tools), loader.Options{}, &loadertest.Sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		file, content string
		want          bool
	}{
		{"x.obo", tools, true},
		{"X.OBO", "[Term]\n", true},
		{"x.obo", "", false},
		{"x.obo", "\x00\x01", false},
		{"x", "format-version: 1.2\n", true},
		{"x.txt", "hello", false},
		{"x.json", toolGraphs, true},
		{"x.json", `{"resourceType":"CodeSystem"}`, false},
		{"x.json", `{"@context":{},"graphs":[]}`, true},
		{"x.json", `[]`, false},
	} {
		if got := Detect(loadertest.Write(t, test.file, test.content)); got != test.want {
			t.Errorf("%s %.20q: got %v", test.file, test.content, got)
		}
	}
	if Detect(t.TempDir()) || Detect("nowhere.obo") {
		t.Error("a folder, or nothing, is detected")
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		f          func(string) string
		text, want string
	}{
		{codeOf, purl + "HP_0000118", "HP:0000118"},
		{codeOf, purl + "hp#layperson", purl + "hp#layperson"},
		{codeOf, purl + "hp", purl + "hp"},
		{codeOf, "http://www.orpha.net/ORDO/Orphanet_1", "http://www.orpha.net/ORDO/Orphanet_1"},
		{localName, purl + "hp#layperson", "layperson"},
		{localName, "http://purl.org/dc/terms/creator", "creator"},
		{localName, "dcterms:creator", "creator"},
		{localName, "IAO:0000233", "IAO:0000233"},
		{localName, "http://x/", "http://x/"},
		{ontologyURL, "hp", purl + "hp.owl"},
		{ontologyURL, "so-xp.obo", purl + "so-xp.owl"},
		{ontologyURL, purl + "hp.json", purl + "hp.owl"},
		{ontologyURL, "http://example.org/onto", "http://example.org/onto"},
		{ontologyURL, "", ""},
		{versionOf, "105", "105"},
		{versionOf, "hp/releases/2024-04-26", "2024-04-26"},
		{versionOf, "releases/2024-04-26/hp.obo", "2024-04-26"},
		{versionOf, purl + "so/2021-11-22/so.owl", "2021-11-22"},
		{versionOf, "http://example.org/2021", "2021"},
		{dateOf, "31:10:2012 14:18", "2012-10-31"},
		{dateOf, "2012-10-31", ""},
		{dateOf, "3x:10:2012 14:18", ""},
	} {
		if got := test.f(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
	for text, want := range map[string]bool{
		"2010": true, "2010-10": true, "2010-10-14": true, "2010-10-14T01:38:51Z": true, "2010-10-14T01:38:51.5+01:00": true,
		"": false, "2010-1": false, "2010-10-14T01:38:51": false, "2010-10-14T01:38": false, "2010-10-14T01:38:51.Z": false, "yesterday": false, "2010-10-14T01:38:51+0100": false,
	} {
		if loader.IsDateTime(text) != want {
			t.Errorf("%q: got %v", text, !want)
		}
	}
}

// FuzzText: no input makes Load panic or hang, and an index that is handed on is sound.
func FuzzText(f *testing.F) {
	f.Add([]byte(tools))
	f.Add([]byte("ontology: x\n[Term]\nid: A:1\nname: a\\"))
	f.Add([]byte("ontology: x\n[Term]\nid: A:1\nsynonym: \"a\" EXACT T [b\n"))
	f.Add([]byte("ontology: x\n[Term]\nid: A:1\nis_a: A:1 {a=\"}\"} ! x\n"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, "x.obo", data) })
}

// FuzzGraphs is FuzzText for OBO graphs.
func FuzzGraphs(f *testing.F) {
	f.Add([]byte(toolGraphs))
	f.Add([]byte(`{"graphs":[{"id":"http://x/y","nodes":[{"id":"A","lbl":"a","type":"CLASS","meta":{"definition":null}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzz(t, "x.json", append([]byte("{"), data[min(1, len(data)):]...)) })
}

func fuzz(t *testing.T, name string, data []byte) {
	sink, err := read(t, name, string(data), loader.Options{Limits: loader.Limits{MaxBytes: 1 << 20}})
	if err == nil && len(sink.Indexes) == 0 {
		t.Fatal("neither an error nor a code system")
	}
	for _, x := range sink.Indexes {
		if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkLoad reads ChEBI (41,136 terms) with everything that loading does.
func BenchmarkLoad(b *testing.B) {
	path := sharedtest.Path(b, "data/chebi/chebi-105.obo.gz")
	b.ReportAllocs()
	for b.Loop() {
		if err := Load(b.Context(), path, loader.Options{}, &loadertest.Sink{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkText reads the terms of ChEBI without building an index.
func BenchmarkText(b *testing.B) {
	path := sharedtest.Path(b, "data/chebi/chebi-105.obo.gz")
	b.ReportAllocs()
	for b.Loop() {
		r := loader.Begin(b.Context(), loader.Options{})
		j := &job{reading: r, path: path}
		words := newVocabulary()
		if err := j.pass(func(in *loader.Stream) error { return words.readText(in, loader.Identity{}) }); err != nil {
			b.Fatal(err)
		}
		if err := j.pass(func(in *loader.Stream) error { return j.terms(in, newWriter(words)) }); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

var _ loader.Sink = (*loadertest.Sink)(nil)
