package csv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
)

const toolMapping = `{
  "url": "http://example.org/tools", "version": "1", "title": "Tools of the kitchen", "language": "en", "caseSensitive": false,
  "code": "Code", "display": "name", "definition": 3,
  "parent": {"column": "Above", "separator": ";"},
  "designations": [{"column": "Nom", "language": "fr"},
    {"column": "Also", "language": "en", "separator": "|", "use": {"system": "http://example.org/use", "code": "also"}}],
  "properties": [{"column": "Weight", "code": "weight", "type": "decimal", "description": "In grams"},
    {"column": "Sharp", "code": "sharp", "type": "boolean"}, {"column": "Made", "code": "made", "type": "dateTime"},
    {"column": "Parts", "code": "parts", "type": "integer"}, {"column": "Use with", "code": "with", "type": "code", "separator": ";"},
    {"column": "Weight"}],
  "inactive": {"column": "Status", "values": ["Old", "gone"]}, "abstract": {"column": "Group"},
  "skip": [{"column": "Code", "values": ["", "--"]}]
}`

const toolTable = "\ufeffCode,Name,Text,Above,Nom,Also,Weight,Sharp,Made,Parts,Use with,Status,Group\n" +
	"tool,Tool,\"A thing,\nto use\",,outil,,,,,,,,yes\n" +
	"--,Heading,,,,,,,,,,,\n" +
	",,,,,,,,,,,,\n" +
	"knife,Knife,,tool,couteau,blade| cutter |,12.50,Y,2020-05,2,board; fork,,\n" +
	"board,Board,,tool,,,,no,,,,old,no\n" +
	"fork,Fork,,TOOL;knife,,,,,,,,,\n"

func load(t testing.TB, path string) *codesystem.Index {
	t.Helper()
	sink := &loadertest.Sink{}
	if err := Load(t.Context(), path, loader.Options{}, sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

func TestLoad(t *testing.T) {
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("Code;Name\na;A, b\nc;C\n"))
	_ = z.Close()
	for name, path := range map[string]string{
		"mapping": loadertest.Folder(t, "tools.mapping.json", toolMapping, "tools.csv", toolTable),
		"table":   loadertest.Folder(t, "tools.csv", toolTable, "tools.mapping.json", toolMapping),
		"named":   loadertest.Folder(t, "a.mapping.json", strings.Replace(toolMapping, "{", `{"file":"data.bin",`, 1), "data.bin", toolTable),
		"tabs": loadertest.Folder(t, "tools.mapping.json", toolMapping, "tools.tsv",
			strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(toolTable, "thing,", "thing#"), ",", "\t"), "#", ",")),
	} {
		t.Run(name, func(t *testing.T) {
			if !Detect(path) {
				t.Error("not detected")
			}
			x := load(t, path)
			h := x.Header()
			if x.Len() != 4 || h.URL != "http://example.org/tools" || h.Version != "1" || h.Name != "ToolsOfTheKitchen" || x.CaseSensitive() || len(h.Property) != 9 {
				t.Errorf("%d concepts, %+v", x.Len(), h)
			}
			loadertest.WantFacts(t, x, "tool", "display Tool", "definition A thing,\nto use", "designation fr  outil", "property notSelectable Boolean true")
			loadertest.WantFacts(t, x, "knife", "display Knife", "definition ", "parent tool", "designation fr  couteau",
				"designation en http://example.org/use|also blade", "designation en http://example.org/use|also cutter",
				"property weight Decimal 12.50", "property Weight String 12.50", "property sharp Boolean true", "property made DateTime 2020-05",
				"property parts Integer 2", "property with Code board", "property with Code fork")
			loadertest.WantFacts(t, x, "board", "display Board", "definition ", "parent tool", "inactive", "property sharp Boolean false")
			loadertest.WantFacts(t, x, "fork", "display Fork", "definition ", "parent tool", "parent knife")
		})
	}
	dir := filepath.Dir(loadertest.Folder(t, "x.mapping.json", `{"url":"http://x","code":1,"delimiter":";"}`, "x.csv.gz", packed.String()))
	if x := load(t, filepath.Join(dir, "x.csv.gz")); x.Len() != 2 {
		t.Errorf("%d concepts", x.Len())
	}
}

// shape lists codes with their parents.
func shape(x *codesystem.Index) string {
	var list []string
	for o, code := range x.Codes() {
		for _, p := range x.Parents(o) {
			code += "<" + x.Code(p)
		}
		list = append(list, code)
	}
	return strings.Join(list, " ")
}

func TestHierarchy(t *testing.T) {
	for _, test := range []struct{ mapping, table, want string }{
		{`"code":1,"level":2,"header":false`, "a,1\nb,2\nc,4\nd,3\ne,2\nf,1\ng,0\nh,2\n", "a b<a c<b d<b e<a f g h<g"},
		{`"code":"code","prefix":true`, "code\nA00.1\nA0\nB\nA00\nA00.12\n", "A0 A00<A0 A00.1<A00 A00.12<A00.1 B"},
		{`"code":"code","prefix":[1,3,4]`, "code\nA\nA01\nA012\nB\nB11\n", "A A01<A A012<A01 B B11<B"},
		{`"code":"code"`, "code\nb\na\n", "b a"},
		{`"code":"code","parent":"up","content":"fragment"`, "code,up\nb,x\na,b\n", "b a<b"},
	} {
		x := load(t, loadertest.Folder(t, "x.mapping.json", `{"url":"http://x",`+test.mapping+`}`, "x.csv", test.table))
		if got := shape(x); got != test.want {
			t.Errorf("%s: got %s, want %s", test.mapping, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, mapping, table string
		is                   error
		says                 string
	}{
		{"JSON", "{\n\"code\":}", "", loader.ErrFormat, "x.mapping.json: line 2: "},
		{"unknown member", `{"cod":1}`, "", loader.ErrFormat, `unknown field "cod"`},
		{"unknown member inside", `{"code":1,"properties":[{"colum":1}]}`, "", loader.ErrFormat, `unknown field "colum"`},
		{"more", `{"code":1} {}`, "", loader.ErrFormat, "something follows"},
		{"no code", `{"url":"http://x"}`, "code\na\n", loader.ErrFormat, `the column of "code" is missing`},
		{"no url", `{"code":1}`, "code\na\n", loader.ErrFormat, `"url" is missing`},
		{"two ways", `{"code":1,"level":2,"prefix":true}`, "", loader.ErrFormat, "only one of parent, level and prefix"},
		{"column zero", `{"code":0}`, "", loader.ErrFormat, "a number from 1"},
		{"lengths", `{"code":1,"prefix":[3,2]}`, "", loader.ErrFormat, "must be ascending"},
		{"delimiter", `{"code":1,"delimiter":"||"}`, "", loader.ErrFormat, "not a single character"},
		{"outside", `{"code":1,"file":"../x.csv"}`, "", loader.ErrUnsafeName, "must be in the folder of the mapping"},
		{"property type", `{"code":1,"properties":[{"column":1,"code":"a","type":"Coding"}]}`, "", loader.ErrFormat, "properties[0]: unknown type"},
		{"property twice", `{"code":1,"properties":[{"column":"a"},{"column":1,"code":"a"}]}`, "", loader.ErrFormat, "defined twice"},
		{"property without code", `{"code":1,"properties":[{"column":1}]}`, "", loader.ErrFormat, "has no code"},
		{"designation", `{"code":1,"designations":[{"language":"de"}]}`, "", loader.ErrFormat, "designations[0]"},
		{"no column", `{"url":"http://x","code":"Code"}`, "a,b\n", loader.ErrFormat, `it has no column "Code", which x.mapping.json names; its columns are a, b`},
		{"no such number", `{"url":"http://x","code":3}`, "a,b\n", loader.ErrFormat, "it has 2 columns"},
		{"name without header", `{"url":"http://x","code":"a","header":false}`, "a,b\n", loader.ErrFormat, "needs column numbers"},
		{"no file", `{"url":"http://x","code":1,"file":"nowhere.csv"}`, "a\n", os.ErrNotExist, "nowhere.csv"},
		{"empty", `{"url":"http://x","code":1}`, "", loader.ErrFormat, "it is empty"},
		{"no rows", `{"url":"http://x","code":1}`, "code\n", loader.ErrNothing, "no rows"},
		{"empty code", `{"url":"http://x","code":1}`, "code,x\na,1\n,1\n", loader.ErrFormat, "x.csv: line 3: not of a format that is read: column 1: \"\" is no code"},
		{"level", `{"url":"http://x","code":1,"level":2}`, "code,x\na,one\n", loader.ErrFormat, `line 2: not of a format that is read: column 2: "one" is no level`},
		{"length", `{"url":"http://x","code":1,"prefix":[1,3]}`, "code\nab\n", loader.ErrFormat, "has 2 characters"},
		{"value", `{"url":"http://x","code":1,"properties":[{"column":"x","type":"integer"}]}`, "code,x\na,1.5\n", loader.ErrFormat, `column "x": "1.5" is no integer: change it, or the type of property x in x.mapping.json`},
		{"boolean", `{"url":"http://x","code":1,"properties":[{"column":"x","type":"boolean"}]}`, "code,x\na,maybe\n", loader.ErrFormat, `is no boolean`},
		{"decimal", `{"url":"http://x","code":1,"properties":[{"column":"x","type":"decimal"}]}`, "code,x\na,\"1,5\"\n", loader.ErrFormat, `is no decimal`},
		{"date", `{"url":"http://x","code":1,"properties":[{"column":"x","type":"dateTime"}]}`, "code,x\na,1.5.2020\n", loader.ErrFormat, `is no dateTime`},
		{"fields", `{"url":"http://x","code":1}`, "code,x\na\n", loader.ErrFormat, "line 2"},
		{"quote", `{"url":"http://x","code":1}`, "code\n\"a\n", loader.ErrFormat, "line "},
		{"twice", `{"url":"http://x","code":1}`, "code\na\nb\na\n", codesystem.ErrDuplicateCode, "line 4: duplicate code: \"a\", first at line 2"},
		{"parent", `{"url":"http://x","code":1,"parent":2}`, "code,up\na,\nb,c\n", codesystem.ErrUnknownParent, `line 3: concept "b"`},
		{"cycle", `{"url":"http://x","code":1,"parent":2}`, "code,up\na,b\nb,a\n", codesystem.ErrCycle, "x.csv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := &loadertest.Sink{}
			err := Load(t.Context(), loadertest.Folder(t, "x.mapping.json", test.mapping, "x.csv", test.table), loader.Options{}, sink)
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || len(sink.Indexes) > 0 {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
		})
	}
	for _, path := range []string{loadertest.Folder(t, "x.csv", "a\n"), loadertest.Folder(t, "y.mapping.json", `{"url":"http://x","code":1}`)} {
		if err := Load(t.Context(), path, loader.Options{}, &loadertest.Sink{}); !errors.Is(err, loader.ErrFormat) {
			t.Errorf("got %v", err)
		}
	}
	if !Detect(loadertest.Folder(t, "x.csv", "a\n")) || !Detect(loadertest.Folder(t, "x.TSV.gz", "a\n")) {
		t.Error("a table is not detected")
	}
	if Detect(loadertest.Folder(t, "x.txt", "a\n")) || Detect("nowhere.mapping.json") || Detect(t.TempDir()) {
		t.Error("something without a mapping is detected")
	}
}

func TestIdentity(t *testing.T) {
	sink := &loadertest.Sink{}
	err := Load(t.Context(), loadertest.Folder(t, "x.mapping.json", `{"code":1}`, "x.csv", "code\na\n"), loader.Options{Identity: loader.Identity{URL: "http://y/z", Version: "2"}}, sink)
	if err != nil || sink.One(t).URL() != "http://y/z" || sink.One(t).Version() != "2" {
		t.Errorf("got %v", err)
	}
}

// TestMapping: the line of an error, what has a mapping, and a level in the first column.
func TestMapping(t *testing.T) {
	for _, text := range []string{"\ufeff{\"code\":\n}", "{\n\"url\":5}"} {
		if _, err := readMapping(loadertest.Write(t, "x", text)); err == nil || !strings.Contains(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	path := loadertest.Folder(t, "x.csv", "1,x\n1,a\n2,b\n", "x.mapping.json", `{"url":"http://x","code":2,"level":1,"header":false}`)
	if got := shape(load(t, path)); got != "x a b<a" || !Mapped(path) || Mapped(loadertest.Write(t, "x.csv", "")) {
		t.Error(got)
	}
}

// FuzzLoad: no input makes Load panic or hang, and its results are valid.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(toolMapping), []byte(toolTable))
	f.Add([]byte(`{"url":"http://x","code":1,"level":2,"header":false}`), []byte("a,1\nb,2\n"))
	f.Add([]byte(`{"url":"http://x","code":1,"prefix":[1,2]}`), []byte("a\nab\n"))
	f.Fuzz(func(t *testing.T, mapping, table []byte) {
		if !json.Valid(mapping) {
			mapping = []byte(toolMapping)
		}
		sink := &loadertest.Sink{}
		err := Load(t.Context(), loadertest.Folder(t, "x.mapping.json", string(mapping), "x.csv", string(table)), loader.Options{Limits: loader.Limits{MaxBytes: 1 << 20}}, sink)
		if err == nil && len(sink.Indexes) != 1 {
			t.Fatal("neither an error nor a code system")
		}
		for _, x := range sink.Indexes {
			if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkLoad reads 20,000 rows with everything that loading does.
func BenchmarkLoad(b *testing.B) {
	var rows strings.Builder
	rows.WriteString("code,name,up\n")
	for i := range 20_000 {
		fmt.Fprintf(&rows, "c%d,Thing number %d,", i, i)
		if i > 0 {
			fmt.Fprintf(&rows, "c%d", i/7)
		}
		rows.WriteByte('\n')
	}
	path := loadertest.Folder(b, "x.mapping.json", `{"url":"http://x","code":"code","display":"name","parent":"up"}`, "x.csv", rows.String())
	b.ReportAllocs()
	for b.Loop() {
		load(b, path)
	}
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "csv")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string]string{
		"animals.mapping.json": `{"url": "http://example.org/animals", "code": "Code", "display": "Name", "parent": "Kind"}`,
		"animals.csv":          "Code,Name,Kind\nanimal,Animal,\ncat,Cat,animal\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			panic(err)
		}
	}
	sink := &loadertest.Sink{}
	if err := Load(context.Background(), filepath.Join(dir, "animals.mapping.json"), loader.Options{}, sink); err != nil {
		panic(err)
	}
	fmt.Println(sink.Indexes[0].URL(), shape(sink.Indexes[0]))
	// Output: http://example.org/animals animal cat<animal
}
