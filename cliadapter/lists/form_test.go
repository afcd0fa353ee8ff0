package lists

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write writes rows in a form, in the blocks given.
func write(t *testing.T, name string, terminal bool, fields []Field, blocks ...[][]Value) string {
	t.Helper()
	var out bytes.Buffer
	f := NewForm(name, Output{W: &out, Terminal: terminal, Table: func(header []string, rows [][]string) error {
		if header != nil {
			fmt.Fprintf(&out, "%q\n", header)
		}
		for _, row := range rows {
			fmt.Fprintf(&out, "%q\n", row)
		}
		return nil
	}}, fields)
	if err := f.Begin(); err != nil {
		t.Fatal(err)
	}
	for _, rows := range blocks {
		var text []byte
		for _, row := range rows {
			text = f.AppendRow(text, row)
		}
		if err := f.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestForms(t *testing.T) {
	fields := []Field{{Name: "line", Kind: Number}, {Name: "code"}, {Name: "system", Wide: true}, {Name: "result", Kind: Bool}, {Name: "parent", Kind: List}}
	first := [][]Value{
		{{Text: "1"}, {Text: "a"}, {Text: "s"}, Truth(true), {List: []string{"x", "y,z"}}},
		{{Text: "2"}, {Text: "b\"\n\t"}, {}, {}, {}},
	}
	second := [][]Value{{{Text: "3"}, {Text: "ü<&>\x1b\u009b"}, {}, Truth(false), {List: []string{"w"}}}}
	tests := []struct {
		form     string
		terminal bool
		want     string
	}{
		{"csv", false, "line,code,system,result,parent\n1,a,s,true,\"x|y,z\"\n2,\"b\"\"\n\t\",,,\n3,ü<&>\x1b\u009b,,false,w\n"},
		{"csv", true, "line,code,system,result,parent\n1,a,s,true,\"x|y,z\"\n2,\"b\"\"  \",,,\n3,ü<&>  ,,false,w\n"},
		{"tsv", false, "line\tcode\tsystem\tresult\tparent\n1\ta\ts\ttrue\tx|y,z\n2\t\"b\"\"\n\t\"\t\t\t\n3\tü<&>\x1b\u009b\t\tfalse\tw\n"},
		{"ndjson", false, `{"line":1,"code":"a","system":"s","result":true,"parent":["x","y,z"]}` + "\n" + `{"line":2,"code":"b\"\n\t"}` + "\n" + `{"line":3,"code":"ü<&>\u001b` + "\u009b" + `","result":false,"parent":["w"]}` + "\n"},
		{"ndjson", true, `{"line":1,"code":"a","system":"s","result":true,"parent":["x","y,z"]}` + "\n" + `{"line":2,"code":"b\"\n\t"}` + "\n" + `{"line":3,"code":"ü<&>\u001b\u009b","result":false,"parent":["w"]}` + "\n"},
		{"json", false, "[\n" + `{"line":1,"code":"a","system":"s","result":true,"parent":["x","y,z"]},` + "\n" + `{"line":2,"code":"b\"\n\t"},` + "\n" + `{"line":3,"code":"ü<&>\u001b` + "\u009b" + `","result":false,"parent":["w"]}` + "\n]\n"},
		{"table", true, `["LINE" "CODE" "RESULT" "PARENT"]` + "\n" + `["1" "a" "true" "x|y,z"]` + "\n" + `["2" "b\"  " "" ""]` + "\n" + `["3   " "ü<&>  " "false " "w     "]` + "\n"},
	}
	for _, tt := range tests {
		got := write(t, tt.form, tt.terminal, fields, first, second)
		if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s, terminal %v: -want +got\n%s", tt.form, tt.terminal, diff)
		}
	}
	for form, want := range map[string]string{"csv": "line,code,system,result,parent\n", "ndjson": "", "json": "[\n]\n", "table": ""} {
		if got := write(t, form, false, fields); got != want {
			t.Errorf("no rows as %s: %q", form, got)
		}
	}
}

// FuzzJSON: what a form writes as JSON is JSON with the same text.
func FuzzJSON(f *testing.F) {
	f.Add("plain", "ü\u2028\x00\"\\")
	f.Fuzz(func(t *testing.T, a, b string) {
		row := []Value{{Text: a}, {List: []string{b, a}}}
		got := write(t, "json", true, []Field{{Name: b + "1"}, {Name: "list", Kind: List}}, [][]Value{row})
		var back []map[string]any
		if err := json.Unmarshal([]byte(got), &back); err != nil || len(back) != 1 {
			t.Fatalf("%v: %s", err, got)
		}
		want := strings.ToValidUTF8(a, "\ufffd")
		if text, _ := back[0]["list"].([]any)[1].(string); text != want && strings.ToValidUTF8(a, "") == a {
			t.Fatalf("%q became %q", a, text)
		}
	})
}
