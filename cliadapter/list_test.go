package cliadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine/operation"
)

// writeFile writes a file into a new folder and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// summary removes what varies from the last line of standard error.
func summary(errs string) string {
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	for i, text := range lines {
		if before, rest, found := strings.Cut(text, " in "); found {
			if _, after, counted := strings.Cut(rest, ": "); counted && strings.Contains(after, " yes, ") {
				lines[i] = before + ": " + after
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TestListTables: byte order mark, CRLF, quotes, line breaks in cells, empty cells, and broken lines
// in the middle of good ones.
func TestListTables(t *testing.T) {
	const text = "\xef\xbb\xbfid,animal,text\r\n1,dog,Dog\r\n2,\"cat\",\"a \"\"cat\"\"\r\nof two lines\"\r\n3,,none\r\n\r\n4,\"wolf\"s,x\r\n5,gryphon,x\r\n6\r\n7,\"\xff\",x\r\n8,\"sheepdog,x\r\n9,dodo,"
	path := writeFile(t, "visits.csv", text)
	code, out, errs := run(t, newSamples(t), nil, "validate-code", "--from", path, "--column", "animal", "--system", animals, "-o", "csv")
	wantOut := "line,code,system,version,result,display,inactive,status,normalized_code,message\n" +
		"2,dog," + animals + ",1.0.0,true,Dog,,,,\n" +
		"3,cat," + animals + ",1.0.0,true,Cat,,,,\n" +
		"5,,,,,,,,,no code\n" +
		"7,,,,,,,,,text after the closing quote of a cell; a quote within a quoted cell is written twice\n" +
		"8,gryphon," + animals + ",,false,,,,,Unknown code 'gryphon' in the CodeSystem '" + animals + "' version '1.0.0'\n" +
		"9,,,,,,,,,\"the line has too few cells: 1, and column 2 is needed\"\n" +
		"10,,,,,,,,,the line is not UTF-8\n" +
		"11,,,,,,,,,a cell begins with a quote that is never closed\n" +
		"12,dodo," + animals + ",1.0.0,true,Dodo,true,,,The concept 'dodo' has a status of inactive and its use should be reviewed\n"
	if diff := cmp.Diff(strings.Split(wantOut, "\n"), strings.Split(out, "\n")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	wantErrs := path + ": line 7: text after the closing quote of a cell; a quote within a quoted cell is written twice\n" +
		path + ": line 9: the line has too few cells: 1, and column 2 is needed\n" +
		path + ": line 10: the line is not UTF-8\n" +
		path + ": line 11: a cell begins with a quote that is never closed\n" +
		"9 lines: 3 yes, 1 no, 1 without a code, 4 broken\n" +
		"roget: validate-code: 4 lines could not be answered"
	if diff := cmp.Diff(strings.Split(wantErrs, "\n"), strings.Split(summary(errs), "\n")); diff != "" || code != operation.ExitFailure {
		t.Errorf("exit code %d, -want +got\n%s", code, diff)
	}
}

// TestListInputs: the same three codes in every format, from a file and from standard input.
func TestListInputs(t *testing.T) {
	b := newSamples(t)
	tests := []struct{ name, text, flags string }{
		{"codes", "dog\n\n  cat \r\ndodo", ""},
		{"codes.txt", "dog\ncat\ndodo\n", ""},
		{"codes.csv", "code\ndog\ncat\ndodo\n", ""},
		{"codes.txt", "id;code\n1;dog\n2;cat\n3;dodo\n", "--delimiter ;"},
		{"codes.csv", "id|x\n1|dog\n2|cat\n3|dodo\n", "--delimiter | --column x"},
		{"codes.tab", "x\tCODE\n1\tdog\n2\tcat\n3\tdodo\n", ""},
		{"codes", "x\tdog\nx\tcat\nx\tdodo\n", "--column 2 --no-header --delimiter tab"},
		{"codes", "x,dog\nx,cat\nx,dodo\n", "--column 2 --no-header"},
		{"codes.jsonl", "\"dog\"\n{\"code\":\"cat\"}\n{\"code\":\"dodo\",\"system\":\"" + animals + "\"}\n", ""},
		{"codes", `{"code":{"coding":[{"code":"dog"}]}}` + "\n" + `{"code":{"coding":[{"code":"cat"}]}}` + "\n" + `{"code":{"coding":[{"code":"dodo"}]}}`, "--input ndjson --column code.coding.0.code"},
	}
	for _, tt := range tests {
		path := writeFile(t, tt.name, tt.text)
		for _, args := range [][]string{{"--from", path}, {"-", "--from", path}, {"--from", "-"}, {"-"}} {
			args = join([]string{"lookup", "--system", animals, "-o", "ndjson"}, strings.Fields(tt.flags), args)
			if args[len(args)-1] == "-" && tt.flags == "" && tt.name != "codes" && tt.name != "codes.txt" {
				continue // a format needs the ending of a file, or a flag
			}
			code, out, errs := runWith(t, b, tt.text, nil, args...)
			var codes []string
			for _, row := range records(t, out) {
				codes = append(codes, fmt.Sprint(row["code"], row["inactive"]))
			}
			if diff := cmp.Diff([]string{"dogfalse", "catfalse", "dodotrue"}, codes); diff != "" || code != 0 || summary(errs) != "3 lines: 3 yes, 0 no" {
				t.Errorf("%s %s: exit code %d, %s%s", tt.name, args, code, diff, errs)
			}
		}
	}
}

func TestListUsage(t *testing.T) {
	b := newSamples(t)
	path := writeFile(t, "codes.csv", "id,animal\n1,dog\n")
	usual := "--system " + animals
	tests := []struct {
		line, want string
		code       int
	}{
		{"lookup dog --from " + path + " " + usual, "CODE is given, and so is a list of codes with --from", 2},
		{"lookup - dog " + usual, `unexpected argument "dog"`, 2},
		{"lookup - --code dog " + usual, `CODE is given twice: as argument "-" and as --code`, 2},
		{"lookup dog --column x " + usual, "--column is for a list of codes: give - for standard input, or --from FILE", 2},
		{"lookup dog --output csv " + usual, "--output csv is for a list of codes: give - for standard input, or --from FILE", 2},
		{"lookup - --pretty " + usual, "--pretty is for one code", 2},
		{"lookup - --coding x|y --display-column d", "unknown flag --display-column", 2},
		{"validate-code - --version-column v --system-version x --active-only --version 1", "--version cannot be used with the other parameters", 2},
		{"member-of - --version-column v", "unknown flag --version-column", 2},
		{"lookup - --delimiter ;; " + usual, `flag --delimiter must be one character of ASCII, or tab, not ";;"`, 2},
		{"lookup - --input ndjson --no-header " + usual, "--no-header is for tables, and the list is ndjson; say --input csv if it is one", 2},
		{"lookup - --input lines --column x " + usual, "--column names a column, but the list has a code on each line", 2},
		{"lookup --from " + path + " " + usual, `--column is missing: which column has the codes? the columns are "id", "animal"`, 2},
		{"lookup --from " + path + " --column anmal " + usual, `there is no column "anmal"; did you mean animal?`, 2},
		{"lookup --from " + path + " --column animal", "flag --system is missing", 2},
		{"lookup --from " + path + " --column animal --system http://example.org/none", "unknown code system: http://example.org/none; loaded are: ", 3},
		{"member-of --from " + path + " --column animal " + usual, "missing parameter: valueSetUrl: give --value-set-url", 2},
		{"member-of --from " + path + " --column animal " + usual + " --value-set-url http://example.org/none", "unknown value set: http://example.org/none", 3},
		{"member-of --from " + path + " --column animal --system-column id --value-set-url http://example.org/none", "unknown value set: http://example.org/none", 3},
		{"translate - --url http://example.org/none", "unknown concept map: http://example.org/none", 3},
		{"subsumes pet dog --from " + path + " " + usual, "CODE-A is given, and so is a list", 2},
		{"subsumes pet - --from " + path + " --column-a animal " + usual, "--column-a names a column, but the code is given", 2},
		{"lookup --from /nowhere/codes.csv " + usual, "/nowhere/codes.csv: no such file or directory", 3},
		{"lookup --from " + filepath.Dir(path) + " " + usual, "it is a folder, not a list of codes", 3},
		{"lookup - --from " + path + " --input xml " + usual, "flag --input must be one of csv, tsv, lines, ndjson", 2},
		{"explain - " + usual + " --url " + pets, "", 1}, // a code like any other
		{"lookup --code - " + usual, `unknown code: "-"`, 1},
	}
	for _, tt := range tests {
		code, _, errs := runWith(t, b, "dog\n", nil, strings.Fields(tt.line)...)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, want %d: %s, want %s", tt.line, code, tt.code, errs, tt.want)
		}
	}
}

// TestListExits: 0 if all answers are yes, whatever has no code; 1 if some are no; 3 if some are
// missing.
func TestListExits(t *testing.T) {
	b := newSamples(t)
	long := strings.Repeat("x", 1<<20+10)
	tests := []struct {
		name, text string
		code       int
		want       string
	}{
		{"nothing", "", 0, "0 lines: 0 yes, 0 no"},
		{"blank lines", "\n \n\t\n", 0, "0 lines: 0 yes, 0 no"},
		{"yes", "dog\n", 0, "1 line: 1 yes, 0 no"},
		{"no", "dog\ngryphon\ncat\n", 1, "3 lines: 2 yes, 1 no"},
		{"broken", "dog\n\xff\ngryphon\n", 3, "standard input: line 2: the line is not UTF-8\n3 lines: 1 yes, 1 no, 1 broken\nroget: lookup: 1 line could not be answered"},
		{"too long", "dog\n" + long + "\ncat\n", 3, "standard input: line 2: the line is too long: more than 1048576 bytes\n3 lines: 2 yes, 0 no, 1 broken\nroget: lookup: 1 line could not be answered"},
		{"many broken", strings.Repeat("\xff\n", 1500) + "dog\n", 3, "standard input: and 1,480 more broken lines\n1,501 lines: 1 yes, 0 no, 1,500 broken\nroget: lookup: 1,500 lines could not be answered"},
	}
	for _, tt := range tests {
		code, _, errs := runWith(t, b, tt.text, nil, "lookup", "-", "--system", animals)
		if got := summary(errs); code != tt.code || !strings.HasSuffix(got, tt.want) || strings.Count(got, "\n") > 25 {
			t.Errorf("%s: exit code %d, want %d\n%s\nwant %s", tt.name, code, tt.code, got, tt.want)
		}
	}
	if _, _, errs := runWith(t, b, "dog\n\xff\n", nil, "lookup", "-", "--system", animals, "--quiet"); errs != "standard input: line 2: the line is not UTF-8\nroget: lookup: 1 line could not be answered\n" {
		t.Errorf("--quiet: %q", errs)
	}
}

// TestListHeaderIsACode: a table without a header is noticed if its first line is a code.
func TestListHeaderIsACode(t *testing.T) {
	b := newSamples(t)
	warning := "the first line was taken for the names of the columns, but dog is a code; with --no-header it is answered too\n"
	for line, want := range map[string]bool{"--input csv": true, "--column 1": true, "--column dog": false, "--no-header": false, "--input csv --quiet": false} {
		_, _, errs := runWith(t, b, "dog\ncat\n", nil, append([]string{"lookup", "-", "--system", animals}, strings.Fields(line)...)...)
		if got := strings.HasPrefix(errs, warning); got != want {
			t.Errorf("%s: %s", line, errs)
		}
	}
}

// TestListOutputEnds: a reader that closes the output ends the command without a word, another
// error of the output does not.
func TestListOutputEnds(t *testing.T) {
	b := newSamples(t)
	c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(string) string { return "" }})
	text := strings.Repeat("dog\n", 100_000)
	for _, tt := range []struct {
		err  error
		code int
		want string
	}{
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, 0, ""},
		{io.ErrClosedPipe, 0, ""},
		{errors.New("no space left"), 3, "roget: lookup: write the answer: no space left\n"},
	} {
		var errs bytes.Buffer
		code := c.Run(t.Context(), []string{"lookup", "-", "--system", animals, "-o", "csv", "--quiet"}, Streams{In: strings.NewReader(text), Out: &closing{left: 3, err: tt.err}, Err: &errs})
		if code != tt.code || errs.String() != tt.want {
			t.Errorf("%v: exit code %d, %s", tt.err, code, errs.String())
		}
	}
}

// closing fails after some writes.
type closing struct {
	left int
	err  error
}

func (c *closing) Write(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		return 0, c.err
	}
	return len(p), nil
}

// TestListInterrupted: the command ends although the input does not.
func TestListInterrupted(t *testing.T) {
	b := newSamples(t)
	c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(string) string { return "" }})
	in, lines := io.Pipe()
	defer lines.Close()
	ctx, cancel := context.WithCancel(t.Context())
	out := &firstWrite{then: cancel}
	go func() { _, _ = io.WriteString(lines, "dog\n") }()
	var errs bytes.Buffer
	code := c.Run(ctx, []string{"lookup", "-", "--system", animals, "-o", "ndjson"}, Streams{In: in, Out: out, Err: &errs})
	if code != operation.ExitFailure || !strings.Contains(out.String(), `"display":"Dog"`) || summary(errs.String()) != "1 line: 1 yes, 0 no\nroget: lookup: interrupted" {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
}

// firstWrite calls then after the first write.
type firstWrite struct {
	bytes.Buffer
	then func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	defer w.then()
	return w.Buffer.Write(p)
}

// TestListTerminal: on a terminal there is progress, of which nothing is left, unless answers go
// there; they have no control characters.
func TestListTerminal(t *testing.T) {
	b := newSamples(t)
	path := writeFile(t, "codes.txt", strings.Repeat("dog\n", 5000)+"\x1b[31m\u009b\n")
	for _, terminal := range []bool{false, true} {
		var out, errs bytes.Buffer
		c := New(Config{Operations: operation.Terminal(), Backend: b, Getenv: func(string) string { return "" }})
		c.Run(t.Context(), []string{"lookup", "--from", path, "--system", animals, "-o", "tsv"}, Streams{Out: &out, Err: &errs, ErrTerminal: true, OutTerminal: terminal})
		if shown := strings.Contains(errs.String(), "lines, "); shown == terminal {
			t.Errorf("progress %v, answers on a terminal %v: %q", shown, terminal, errs.String())
		}
		if kept := strings.Contains(out.String(), "\x1b"); kept == terminal {
			t.Errorf("control characters %v, answers on a terminal %v", kept, terminal)
		}
		if last := errs.String()[strings.LastIndexByte(errs.String(), '\r')+1:]; summary(last) != "5,001 lines: 5,000 yes, 1 no" {
			t.Errorf("the last line is %q", last)
		}
	}
}

// TestListCompletion: columns are those of the file.
func TestListCompletion(t *testing.T) {
	path := writeFile(t, "codes.csv", "id;the code;code text\n1;2;3\n")
	for line, want := range map[string]string{
		"validate-code --from " + path + " --delimiter ; --column ":          "code text\nid\nthe code\n",
		"validate-code --from " + path + " --delimiter ; --display-column i": "id\n",
		"validate-code --from " + path + " --column ":                        "id;the code;code text\n",
		"validate-code --column ":                                            "",
		"validate-code --from /nowhere --column ":                            "",
		"lookup --from " + path + " --input ":                                "csv\nlines\nndjson\ntsv\n",
		"lookup --output ":                                                   "csv\njson\nndjson\ntable\ntsv\n",
	} {
		if _, out, _ := run(t, nil, nil, append([]string{"__complete"}, strings.Split(line, " ")...)...); out != want {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
}

// TestListNames checks that lists of codes understand short names: in flags as questions about one code
// do, and in lines if they are whole names.
func TestListNames(t *testing.T) {
	backend := newSamples(t)
	visits := writeFile(t, "visits.csv", "code,system\ndog,animals\nred,triage-colours|1.0.0\ncat,"+animals+"\ncow,animal\ncow,animmals\n")
	plain := writeFile(t, "plain.csv", "code\ndog\nwolf\n")
	for _, c := range []struct {
		line       string
		code       int
		rows, errs []string // of the answers, and parts of standard error
	}{
		{
			"validate-code --from " + plain + " --system animals -o csv", 0,
			[]string{"line,code,system,", "2,dog," + animals + ",1.0.0,true,", "3,wolf," + animals + ",1.0.0,true,"},
			[]string{"2 yes, 0 no"},
		},
		{
			"member-of --from " + plain + " --system animal --value-set-url pets -o csv", 1,
			[]string{"line,", "2,dog," + animals + ",true,", "3,wolf," + animals + ",false,"},
			[]string{"--system animal is " + animals},
		},
		{
			"lookup --from " + visits + " --system-column system -o csv", 3,
			[]string{"line,", "2,dog," + animals + ",1.0.0,true,Dog", "3,red," + colours + ",1.0.0,true,Red", "4,cat," + animals + ","},
			[]string{"unknown code system: animal\n", "unknown code system: animmals\n"},
		},
		{
			"annotate " + plain + " --system animals --url pets --add display,member", 1,
			[]string{"code,display,member", "dog,Dog,true", "wolf,Wolf,false"},
			nil,
		},
		{
			"annotate " + visits + " --system-column system", 3,
			[]string{"code,system,display", "dog,animals,Dog", "red,triage-colours|1.0.0,Red"},
			[]string{"animmals"},
		},
		{"validate-code --from " + plain + " --system animmals", 3, nil, []string{"unknown code system: animmals; the nearest: animals"}},
		{"annotate " + plain + " --system animmals", 3, nil, []string{"unknown code system: animmals; the nearest: animals"}},
	} {
		code, out, errs := run(t, backend, nil, strings.Fields(c.line)...)
		rows := strings.Split(out, "\n")
		for i, want := range c.rows {
			if i >= len(rows) || !strings.HasPrefix(rows[i], want) {
				t.Errorf("%s: row %d is not %q in\n%s", c.line, i, want, out)
			}
		}
		for _, want := range c.errs {
			if text := strings.ReplaceAll(out, `""`, `"`) + errs; !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.line, want, text)
			}
		}
		if code != c.code {
			t.Errorf("%s: exit code %d\n%s", c.line, code, errs)
		}
	}
}
