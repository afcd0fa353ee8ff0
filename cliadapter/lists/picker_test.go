package lists

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// items picks the items of a text: line, codes, system, version and display, or the reason.
func items(text string, o Options, c Columns) (list []string, err error) {
	r := NewReader(strings.NewReader(text), o)
	l, err := Arrange(r, o, c)
	if err != nil {
		return nil, err
	}
	p := l.Picker()
	var rec Record
	var it Item
	for r.Next(&rec) {
		if p.Blank(&rec) {
			continue
		}
		if err := p.Pick(&rec, &it); err != nil {
			list = append(list, fmt.Sprintf("%d: %v", rec.Line, err))
			continue
		}
		parts := []string{it.Codes[0], it.Codes[1], it.System, it.Version, it.Display}
		list = append(list, fmt.Sprintf("%d %s", it.Line, strings.TrimRight(strings.Join(parts, "|"), "|")))
	}
	return list, r.Err()
}

// column is a column by its name.
func column(name string) Column { return Column{Name: name, Flag: "--column"} }

func TestPick(t *testing.T) {
	one := Columns{Codes: []Column{{Flag: "--column"}}}
	two := Columns{Codes: []Column{{Flag: "--column-a"}, {Flag: "--column-b"}}}
	named := func(names ...string) (c Columns) {
		for i, to := range []*Column{nil, &c.System, &c.Version, &c.Display} {
			switch {
			case i >= len(names):
			case to == nil:
				c.Codes = []Column{column(names[i])}
			default:
				*to = column(names[i])
			}
		}
		return c
	}
	tests := []struct {
		name, text string
		o          Options
		c          Columns
		want       []string
	}{
		{"lines", " a\tb \n\n\r\nc d\r\n\xff\n", Options{Format: Lines}, one, []string{"1 a\tb", "4 c d", "5: the line is not UTF-8"}},
		{"lines of pairs", "a b\na b\tc\na\na b c\na\tb\tc\n\tb\na\t\n", Options{Format: Lines}, two, []string{"1 a|b", "2 a b|c", "3: " + ErrTwoCodes.Error(), "4: " + ErrTwoCodes.Error(), "5: " + ErrTwoCodes.Error(), "6: " + ErrTwoCodes.Error(), "7: " + ErrTwoCodes.Error()}},
		{"the column code", "id,Code,x\n1, a ,y\n2,\"b,c\",\n3\n4,\xff,\n", Options{Format: CSV}, one, []string{"2 a", "3 b,c", "4: the line has too few cells: 1, and column 2 is needed", "5: the line is not UTF-8"}},
		{"the only column", "icd\na\n", Options{Format: CSV}, one, []string{"2 a"}},
		{"no header", "a\nb\n", Options{Format: CSV, NoHeader: true}, one, []string{"1 a", "2 b"}},
		{"no header, by number", "1;a\n2;b\n", Options{Format: CSV, NoHeader: true, Delimiter: ';'}, named("2"), []string{"1 a", "2 b"}},
		{"all columns", "i\ts\tv\td\na\tsys\t1\tA \n\t\t\t\n", Options{Format: TSV}, named("i", "s", "v", "D"), []string{"2 a||sys|1|A", "3 "}},
		{"a name that is a number", "3,2,1\na,b,c\n", Options{Format: CSV}, named("1"), []string{"2 c"}},
		{"columns of pairs", "code_b,x,codeA\nb,-,a\n", Options{Format: CSV}, two, []string{"2 a|b"}},
		{"the only two columns", "x,y\na,b\n", Options{Format: CSV}, two, []string{"2 a|b"}},
		{"blank lines before the header", "\n\ncode\n\na\n", Options{Format: CSV}, one, []string{"5 a"}},
		{"JSON", "\"a\"\n12\n{\"code\":\" b \",\"system\":\"s\",\"version\":\"1\",\"display\":\"B\"}\nnull\n{\"coding\":[{\"code\":\"c\"}]}\n[\"d\"]\n", Options{Format: NDJSON}, one, []string{"1 a", "2 12", "3 b||s|1|B", "4 ", "5 c", "6 d"}},
		{
			"JSON that is broken", "{\n{\"x\":1}\n{\"code\":true}\n{\"coding\":[{},{}]}\nx\n{\"code\":\"a\"} x\n\"\xff\"\n{\"code\":{}}\n",
			Options{Format: NDJSON},
			one,
			[]string{
				"1: the line is not what is expected in JSON: unexpected end of JSON input", "2: the line is not what is expected in JSON: there is no member code; name one with --column",
				"3: code: a string is expected, not true", "4: it has 2 codes, and a line is about one; name one of them, as in --column code.coding.0", "5: the line is not what is expected in JSON: not a string or an object",
				"6: the line is not what is expected in JSON: invalid character 'x' after top-level value", "7: the line is not UTF-8", "8: code: a string is expected, not an object",
			},
		},
		{
			"members of JSON", `{"x":{"y":[{"code":"a","system":"own"},{"code":"b"}]},"s":"sys","v":2,"d":"A"}` + "\n" + `{"x.y.0":"c"}` + "\n{}\n" + `{"x":{"y":[]}}` + "\n" + `{"x":1}` + "\n" + `{"x":{"y":[null]},"s":[]}`,
			Options{Format: NDJSON},
			named("x.y.0", "s", "v", "d"),
			[]string{"1 a||sys|2|A", "2 c", "3 ", "4 ", "5 ", "6: the line is not what is expected in JSON: member s: a string is expected, not an array"},
		},
		{"JSON that is no object", "[1]\n\"a\"\n1\nnull\n{", Options{Format: NDJSON}, named("x"), []string{
			"1: the line is not what is expected in JSON: an object is expected, not an array", "2: the line is not what is expected in JSON: an object is expected, not a string",
			"3: the line is not what is expected in JSON: an object is expected, not a number", "4: the line is not what is expected in JSON: an object is expected, not null",
			"5: the line is not what is expected in JSON: unexpected end of JSON input",
		}},
		{"a member with one coding", `{"c":{"coding":[{"code":"a","system":"s"}]}}` + "\n" + `{"c":{"coding":[{"code":"a"},{"code":"b"}]}}`, Options{Format: NDJSON}, named("c"), []string{"1 a||s", "2: the line is not what is expected in JSON: member c: it has 2 codes, and a line is about one; name one of them, as in --column code.coding.0"}},
		{"pairs in JSON", `{"code_a":"a","codeB":{"code":"b","system":"s"}}` + "\n" + `{"code_a":{"code":"a","system":"s"},"code-b":{"code":"b","system":"t"}}` + "\n{\"code_a\":1}", Options{Format: NDJSON}, two, []string{"1 a|b|s", "2: the two codes are of two code systems", "3: the line is not what is expected in JSON: there are no members code_a and code_b; name others with --column-a and --column-b"}},
	}
	for _, tt := range tests {
		got, err := items(tt.text, tt.o, tt.c)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

func TestArrangeErrors(t *testing.T) {
	tests := []struct {
		text, column string
		o            Options
		want         string
	}{
		{"", "", Options{Format: CSV, Name: "f.csv"}, "f.csv: there is no line"},
		{"\"a\"b\n", "", Options{Format: CSV, Name: "f.csv"}, "f.csv: line 1, which should name the columns: text after the closing quote"},
		{"id,icd\n", "", Options{Format: CSV}, `--column is missing: which column has the codes? the columns are "id", "icd"`},
		{"id;code\n", "code", Options{Format: CSV}, `there is no column "code"; the columns are "id;code"; --delimiter says what separates them`},
		{"id,animal\n", "animl", Options{Format: CSV}, `--column: there is no column "animl"; did you mean animal?; the columns are "id", "animal"`},
		{"x,x\n", "x", Options{Format: CSV}, `the list has several columns "x"; give the number of one, such as 1`},
		{"id,code,Code\n", "", Options{Format: CSV}, `--column is missing: the columns 2, "code", and 3, "Code", may have the codes; give the number of one`},
		{"x,y\n", "3", Options{Format: CSV}, `there is no column 3; the columns are "x", "y"`},
		{"x,y\n", "0", Options{Format: CSV}, `there is no column 0`},
		{"x,y\n", "x", Options{Format: CSV, NoHeader: true}, `--column must be the number of a column with --no-header, not "x"`},
		{"x\n", "x", Options{Format: Lines}, `--column names a column, but the list has a code on each line`},
		{strings.Repeat("a,", 30) + "b\n", "c", Options{Format: CSV}, `"a" and 11 more`},
	}
	for _, tt := range tests {
		_, err := items(tt.text, tt.o, Columns{Codes: []Column{column(tt.column)}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, --column %s: %v, want %s", tt.text, tt.column, err, tt.want)
		}
	}
	if _, err := items("", Options{Format: CSV}, Columns{Codes: []Column{{}}}); !errors.Is(err, ErrNoHeader) {
		t.Error(err)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.csv": CSV, "a.CSV.GZ": CSV, "a.tsv": TSV, "x/a.tab.gz": TSV, "a.ndjson": NDJSON, "a.jsonl": NDJSON, "a.txt": "", "a.gz": "", "csv": "", "-": ""} {
		if got := FormatOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// FuzzPickJSON: no line makes the picker fail, and a code that it returns is in the line.
func FuzzPickJSON(f *testing.F) {
	f.Add(`{"code":"a","system":"s"}`, "code")
	f.Add(`{"x":[{"y":"b"}]}`, "x.0.y")
	f.Add(`[[["a"]]]`, "")
	f.Add(`{"coding":[{"code":12}]}`, "")
	f.Fuzz(func(t *testing.T, line, path string) {
		line = strings.ReplaceAll(line, "\n", " ")
		o := Options{Format: NDJSON}
		got, err := items(line, o, Columns{Codes: []Column{{Name: path, Flag: "--column"}}, System: column("s")})
		if err != nil || len(got) > 1 {
			t.Fatalf("%q: %q, %v", line, got, err)
		}
	})
}
