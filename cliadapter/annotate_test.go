package cliadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine/operation"
)

func TestAnnotate(t *testing.T) {
	b := newSamples(t)
	system := []string{"--system", animals}
	tests := []struct {
		name, text string
		args       []string
		want       string
		code       int
		summary    string
	}{
		{
			"everything stays as it is written", "\xef\xbb\xbfid;\"code\";x\r\n1; dog ;\"a;\"\"b\"\"\"\r\n\r\n2;\"cat\";\"two\nlines\"\r\n3;;5\" tail", join(system, []string{"--delimiter", ";", "--add", "display,inactive"}),
			"\xef\xbb\xbfid;\"code\";x;display;inactive\r\n1; dog ;\"a;\"\"b\"\"\";Dog;false\r\n\r\n2;\"cat\";\"two\nlines\";Cat;false\r\n3;;5\" tail;;", 0, "3 lines: 2 yes, 0 no, 1 without a code",
		},
		{
			"broken lines stay", "id,code\n1,dog\n2\n3,a,b\n\"4\"x,dog\n5,\"dog\n6,\xff\n7,gryphon\n", system,
			"id,code,display\n1,dog,Dog\n2\n3,a,b\n\"4\"x,dog\n5,\"dog\n6,\xff\n7,gryphon,\n", 3, "7 lines: 1 yes, 1 no, 5 broken",
		},
		{
			"a line that is too long stays", "id,code\n" + strings.Repeat("x", 3<<20) + ",a\n2,dog\n", system,
			"id,code,display\n" + strings.Repeat("x", 3<<20) + ",a\n2,dog,Dog\n", 3, "2 lines: 1 yes, 0 no, 1 broken",
		},
		{"no header", "dog,1\ncat,2\n", join(system, []string{"--no-header", "--column", "1"}), "dog,1,Dog\ncat,2,Cat\n", 0, "2 lines: 2 yes, 0 no"},
		{"only a header", "\n\ncode\n", system, "\n\ncode,display\n", 0, "0 lines: 0 yes, 0 no"},
		{"tabs", "code\tx\ncat\t1", join(system, []string{"--input", "tsv", "--add", "parents,definition,children"}), "code\tx\tparents\tdefinition\tchildren\ncat\t1\tmammal|pet\t\t", 0, "1 line: 1 yes, 0 no"},
		{
			"every field", "code,text\nsheepdog,Dog\ndodo,\nred,\n", join(system, []string{"--url", pets, "--map", triage, "--display-column", "text", "--display-language", "de", "--add", "display,definition,inactive,abstract,status,system,version,parents,children,ancestors,designation:fr,property:legs,valid,message,member,map"}),
			"code,text,display,definition,inactive,abstract,status,system,version,parents,children,ancestors,designation:fr,property:legs,valid,message,member,map\n" +
				"sheepdog,Dog,Hütehund,,false,false,," + animals + ",1.0.0,dog|farm-animal,,animal|vertebrate|mammal|dog|kept-animal|pet|farm-animal,Chien de berger,4,false,Wrong Display Name 'Dog' for " + animals + "#sheepdog. Valid display is 'Hütehund' (de) (for the language(s) 'de'),true,\n" +
				"dodo,,Dodo,,true,false,inactive," + animals + ",1.0.0,bird,,animal|vertebrate|bird,Dodo,2,false,The concept 'dodo' has a status of inactive and its use should be reviewed; The provided code '" + animals + "#dodo' was not found in the value set '" + pets + "|1.0.0',false,\n" +
				"red,,,,,,,,,,,,,,false,The provided code '" + animals + "#red' was not found in the value set '" + pets + "|1.0.0'; Unknown code 'red' in the CodeSystem '" + animals + "' version '1.0.0',false,\n",
			1, "3 lines: 0 yes, 3 no",
		},
		{
			"code systems of lines", "code,s,v\ncat," + animals + ",\nred," + colours + ",\nred," + colours + ",9\ncat,http://example.org/none,\ndog,,\n",
			join(system, []string{"--system-column", "s", "--version-column", "v", "--add", "name=display,of=system"}),
			"code,s,v,name,of\ncat," + animals + ",,Cat," + animals + "\nred," + colours + ",,Red: at once," + colours + "\nred," + colours + ",9,,\ncat,http://example.org/none,,,\ndog,,,Dog," + animals + "\n",
			3, "5 lines: 3 yes, 0 no, 2 broken",
		},
		{"a map alone needs no code system", "code\nred\npink\n", []string{"--map", triage, "--add", "map"}, "code,map\nred,stat\npink,\n", 1, "2 lines: 1 yes, 1 no"},
		{"a value set tells the code system for valid", "code\ndog\nwolf\n", []string{"--url", pets, "--add", "valid"}, "code,valid\ndog,true\nwolf,false\n", 1, "2 lines: 1 yes, 1 no"},
		{
			"objects", "{\"code\":\"cat\", \"x\":1e3 } \r\n\n{ }\n\"cat\"\n{\"code\":\"dog\",\"display\":1}\n{\"code\":null}\n{\"x\":{\"code\":\"gryphon\"}}\n[\n{\"x\":{\"code\":\"red\",\"system\":\"" + colours + "\"}}",
			join(system, []string{"--input", "ndjson", "--column", "x", "--add", "display,parents,inactive"}),
			"{\"code\":\"cat\", \"x\":1e3 ,\"display\":null,\"parents\":[],\"inactive\":null} \r\n\n{ \"display\":null,\"parents\":[],\"inactive\":null}\n\"cat\"\n{\"code\":\"dog\",\"display\":1}\n{\"code\":null,\"display\":null,\"parents\":[],\"inactive\":null}\n{\"x\":{\"code\":\"gryphon\"},\"display\":null,\"parents\":[],\"inactive\":null}\n[\n{\"x\":{\"code\":\"red\",\"system\":\"" + colours + "\"},\"display\":\"Red: at once\",\"parents\":[],\"inactive\":false}",
			3, "8 lines: 1 yes, 2 no, 2 without a code, 3 broken",
		},
	}
	for _, tt := range tests {
		code, out, errs := runWith(t, b, tt.text, nil, join([]string{"annotate", "-"}, tt.args)...)
		if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(out, "\n")); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
		if !strings.Contains(summary(errs), tt.summary) || code != tt.code {
			t.Errorf("%s: exit code %d, want %d: %s", tt.name, code, tt.code, errs)
		}
	}
}

func TestAnnotateUsage(t *testing.T) {
	b := newSamples(t)
	path := writeFile(t, "visits.csv", "id,code,display\n")
	tests := []struct {
		line, want string
		code       int
	}{
		{"annotate", "FILE is missing", 2},
		{"annotate a b", `unexpected argument "b"`, 2},
		{"annotate " + path, "flag --system is missing: the code system of the codes; or --system-column", 2},
		{"annotate " + path + " --system " + animals, `the table has a column "display" already; name the new one, as in --add NAME=display`, 2},
		{"annotate " + path + " --system " + animals + " --add x=display", "0 lines", 0},
		{"annotate " + path + " --system " + animals + " --add x=display,x=system", "--add names x twice", 2},
		{"annotate " + path + " --system " + animals + " --add displya", `there is no field "displya"; did you mean display?; there are display, definition,`, 2},
		{"annotate " + path + " --system " + animals + " --add =system", `there is no field "=system"`, 2},
		{"annotate " + path + " --system " + animals + " --add property:", `there is no field "property:"`, 2},
		{"annotate " + path + " --system " + animals + " --add displays", `there is no field "displays"; did you mean display?`, 2},
		{"annotate " + path + " --system " + animals + " --add property:leg", animals + ` has no property "leg"; did you mean legs?`, 2},
		{"annotate " + path + " --system " + animals + " --add member", "--add member needs a value set: give --url", 2},
		{"annotate " + path + " --system " + animals + " --add map", "--add map needs a concept map: give --map", 2},
		{"annotate " + path + " --system " + animals + " --url " + pets, "--url is for --add member, valid or message", 2},
		{"annotate " + path + " --system " + animals + " --map " + triage, "--map is for --add map", 2},
		{"annotate " + path + " --system " + animals + " --display-column id", "--display-column is for --add valid or message", 2},
		{"annotate " + path + " --system " + animals + " --column nothing --add system", `there is no column "nothing"`, 2},
		{"annotate " + path + " --system http://example.org/none --add system", "unknown code system: http://example.org/none; loaded are:", 3},
		{"annotate " + path + " --url http://example.org/none --add valid", "unknown value set: http://example.org/none", 3},
		{"annotate " + path + " --system " + animals + " --input lines", "flag --input must be one of csv, tsv, ndjson", 2},
		{"annotate /nowhere.csv --system " + animals, "/nowhere.csv: no such file", 3},
	}
	for _, tt := range tests {
		if code, _, errs := run(t, b, nil, strings.Fields(tt.line)...); code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d: %s, want %s", tt.line, code, errs, tt.want)
		}
	}
}

// TestAnnotateAddsOnly: without its new cells, an annotated table is the table, byte for byte; the
// new cells have what roget lookup and roget validate-code answer.
func TestAnnotateAddsOnly(t *testing.T) {
	b := newSamples(t)
	random := rand.New(rand.NewPCG(3, 5))
	for range 5 {
		lines := randomLines(random, 400)
		text := strings.ReplaceAll(table(t, ',', lines), "\n0,", "\n\r\n0,")
		if random.IntN(2) == 0 {
			text = strings.TrimSuffix(text, "\r\n")
		}
		code, out, errs := runWith(t, b, text, nil, "annotate", "-", "--column", "code", "--system", animals, "--add", "label=display,gone=inactive,valid,over=parents")
		if code != operation.ExitNo {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		_, answers, _ := runWith(t, b, text, nil, "lookup", "-", "--input", "csv", "--column", "code", "--system", animals, "-o", "ndjson")
		_, valid, _ := runWith(t, b, text, nil, "validate-code", "-", "--input", "csv", "--column", "code", "--system", animals, "-o", "ndjson")
		looked, checked := records(t, answers), records(t, valid)
		r := lists.NewReader(strings.NewReader(out), lists.Options{Format: lists.CSV})
		var was strings.Builder
		var rec lists.Record
		row := -1 // the header
		for r.Next(&rec) {
			if rec.Blank() {
				was.WriteString(rec.End)
				continue
			}
			cells := lists.AppendCells(nil, rec.Text, ',')
			added, want := cells[6:], []string{"label", "gone", "valid", "over"}
			if row >= 0 {
				want = annotationOf(looked[row], checked[row])
			}
			size := 0
			for i, cell := range added {
				if string(cell) != want[i] {
					t.Fatalf("line %d: %q, want %q", rec.Line, added, want)
				}
				size += 1 + len(lists.AppendCell(nil, string(cell), ','))
			}
			was.Write(rec.Text[:len(rec.Text)-size])
			was.WriteString(rec.End)
			row++
		}
		if was.String() != text || row != len(lines) {
			t.Fatalf("%d rows; the table has changed", row)
		}
	}
}

// annotationOf returns the cells for the answers of lookup and validate-code.
func annotationOf(looked, checked map[string]any) []string {
	text := func(value any) string {
		switch value := value.(type) {
		case nil:
			return ""
		case []any:
			return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(value), "[]")), "|")
		}
		return fmt.Sprint(value)
	}
	return []string{text(looked["display"]), text(looked["inactive"]), text(checked["result"]), text(looked["parent"])}
}

// FuzzAnnotate: whatever a table has, its bytes stay, and lines of JSON stay JSON.
func FuzzAnnotate(f *testing.F) {
	f.Add("code,x\r\ndog,\"a\"\"b\"\n", ",")
	f.Add("\xef\xbb\xbfx;code\n;dog", ";")
	f.Add(`{"code":"dog"}`, "json")
	f.Add(`{ } `, "json")
	b := newSamples(f)
	if _, err := b.engine(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, delimiter string) {
		args := []string{"annotate", "-", "--system", animals, "--add", "label=display"}
		objects := len(delimiter) != 1 || checkDelimiter(delimiter) != nil
		if objects {
			args = append(args, "--input", "ndjson")
		} else {
			args = append(args, "--delimiter="+delimiter, "--column=1")
		}
		code, out, errs := runWith(t, b, text, nil, args...)
		if code == operation.ExitUsage || strings.Contains(errs, "should name the columns") || strings.Contains(errs, "UTF-16") || strings.Contains(errs, "gzip") {
			return
		}
		rest := out
		for part := range strings.SplitAfterSeq(text, "\n") { // each line is there, perhaps with something before its end
			body := strings.TrimRight(part, "\r\n")
			if objects {
				body = strings.TrimRight(body[:max(strings.LastIndexByte(body, '}'), 0)], " ")
			}
			at := strings.Index(rest, body)
			if at < 0 {
				t.Fatalf("%q became %q: %q is gone", text, out, body)
			}
			rest = rest[at+len(body):]
		}
		if objects && json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimSpace(text), "{") && !strings.Contains(text, "\n") && !json.Valid([]byte(out)) {
			t.Fatalf("%q became %q", text, out)
		}
	})
}

// TestAnnotateFiles: a table that is larger than all batches together.
func TestAnnotateFiles(t *testing.T) {
	b := newSamples(t)
	text := "code,n\n" + strings.Repeat("dog,1\ngryphon,2\n", 20_000)
	path := writeFile(t, "big.csv", text)
	code, out, errs := run(t, b, nil, "annotate", path, "--system", animals)
	want := "code,n,display\n" + strings.Repeat("dog,1,Dog\ngryphon,2,\n", 20_000)
	if out != want || code != operation.ExitNo || summary(errs) != "40,000 lines: 20,000 yes, 20,000 no" {
		t.Errorf("exit code %d, %d bytes, want %d: %s", code, len(out), len(want), errs)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
		t.Errorf("the file has changed: %v", err)
	}
}

// TestAnnotateTerminal: a terminal receives no control characters of the table, and a file all.
func TestAnnotateTerminal(t *testing.T) {
	b := newSamples(t)
	path := writeFile(t, "codes.csv", "\ufeffcode,n\r\ndog,\x1b[31m\u009b\u202e\t\xff\r\n\"dog\"x,\x07\r\n")
	for terminal, want := range map[bool]string{
		false: "\ufeffcode,n,display\r\ndog,\x1b[31m\u009b\u202e\t\xff,Dog\r\n\"dog\"x,\x07\r\n",
		true:  "code,n,display\ndog, [31m  \t\ufffd,Dog\n\"dog\"x, \n",
	} {
		var out, errs bytes.Buffer
		c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(string) string { return "" }})
		code := c.Run(t.Context(), []string{"annotate", path, "--system", animals, "--column", "code"}, Streams{Out: &out, Err: &errs, OutTerminal: terminal})
		if out.String() != want || code != operation.ExitFailure {
			t.Errorf("on a terminal %v: exit code %d, %q, want %q: %s", terminal, code, out.String(), want, errs.String())
		}
	}
}
