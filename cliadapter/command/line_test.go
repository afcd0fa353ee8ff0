package command

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine"
)

// tryTree has one command, try.
func tryTree() *Tree {
	p := &Program{
		Getenv: func(string) string { return "" },
		Root: func(t *Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{t.Add(&cli.Command{Name: "try", Flags: []cli.Flag{
				&cli.StringFlag{Name: "system", Aliases: []string{"s"}},
				&cli.StringSliceFlag{Name: "property"},
				&Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}}, Choices: []string{"table", "text"}},
				&cli.BoolFlag{Name: "active-only"},
			}}, Details{Args: []Argument{{Name: "WORD", Many: true}}, Run: func(context.Context, *Invocation) error { return nil }})}}
		},
	}
	return p.Tree(Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
}

// arrange returns the line that cli.App runs for the arguments of the command.
func arrange(args []string) ([]string, error) {
	l, err := tryTree().Read(append([]string{"try"}, args...))
	if l.Help {
		return []string{helpName, l.Command.Name}, err
	}
	return slices.Concat(l.argv[2:], []string{"--"}, l.Args), err
}

func TestArrange(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "--"},
		{"A", "-- A"},
		{"A --system X", "--system=X -- A"},
		{"--system X A", "--system=X -- A"},
		{"A -s X B", "--system=X -- A B"},
		{"-s=X", "--system=X --"},
		{"-system X", "--system=X --"},
		{"--system= A", "--system= -- A"},
		{"--system a,b=c", "--system=a,b=c --"},
		{"A --property p=1 B --property q", "--property=p=1 --property=q -- A B"},
		{"--active-only A", "--active-only=true -- A"},
		{"--active-only=false A", "--active-only=false -- A"},
		{"A --active-only", "--active-only=true -- A"},
		{"-3", "-- -3"},
		{"-.5 --system -1", "--system=-1 -- -.5"},
		{"-", "-- -"},
		{"A -- --system X -o", "-- A --system X -o"},
		{"--system -weird", "--system=-weird --"},
		{"-o text x", "--output=text -- x"},
		{"x --help", "help try"},
		{"A -hs X B", "help try"},
	}
	for _, tt := range tests {
		got, err := arrange(strings.Fields(tt.in))
		if err != nil {
			t.Errorf("arrange(%q): %v", tt.in, err)
			continue
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("arrange(%q) = %q, want %q", tt.in, s, tt.want)
		}
	}
}

func TestArrangeErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"--sytsem X", "unknown flag --sytsem; did you mean --system?"},
		{"--zzz", "unknown flag --zzz"},
		{"--zzz=1", "unknown flag --zzz"},
		{"-sh X", "unknown flag -sh"},
		{"-hz", "unknown flag -hz"},
		{"-hh", "flag -h is given twice"},
		{"--ho text", "unknown flag --ho"},
		{"-x", "unknown flag -x"},
		{"A --system", "flag --system needs a value"},
		{"--system --output text", "flag --system needs a value, but --output follows; write --system=--output if that is the value"},
		{"--system -- A", "flag --system needs a value, but -- follows; write --system=-- if that is the value"},
		{"--system X -s Y", "flag -s is given twice"},
		{"--active-only=maybe", `flag --active-only must be true or false, not "maybe"`},
		{"--output txet", `flag --output must be one of table, text, not "txet"; did you mean text?`},
	}
	for _, tt := range tests {
		_, err := arrange(strings.Fields(tt.in))
		if err == nil {
			t.Errorf("arrange(%q) has no error", tt.in)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("arrange(%q): %q, want %q", tt.in, err, tt.want)
		}
	}
}

// Wherever flags stand between the arguments, the arrangement is the same.
func TestArrangeIsIndependentOfPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		positional := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9.|][a-z,=-]{0,4}`), 0, 4).Draw(t, "positional")
		flags := [][]string{}
		if rapid.Bool().Draw(t, "system") {
			value := rapid.StringMatching(`[a-z,=]{0,5}`).Draw(t, "value")
			flags = append(flags, rapid.SampledFrom([][]string{{"--system", value}, {"--system=" + value}, {"-s", value}}).Draw(t, "form"))
		}
		if rapid.Bool().Draw(t, "active") {
			flags = append(flags, []string{"--active-only"})
		}
		for _, p := range rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,3}`), 0, 3).Draw(t, "properties") {
			flags = append(flags, []string{"--property", p})
		}
		var first, mixed []string
		for _, f := range flags {
			first = append(first, f...)
		}
		first = append(first, positional...)
		rest := slices.Clone(positional)
		for _, f := range flags {
			n := rapid.IntRange(0, len(rest)).Draw(t, "before")
			mixed = append(append(mixed, rest[:n]...), f...)
			rest = rest[n:]
		}
		mixed = append(mixed, rest...)
		want, err := arrange(first)
		if err != nil {
			t.Fatal(err)
		}
		got, err := arrange(mixed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("arrange(%q) = %q, with flags first %q", mixed, got, want)
		}
	})
}

func FuzzArrange(f *testing.F) {
	for _, seed := range []string{"", "A --system X", "--", "-o=text -- -x", "---", "-=", "--=", "-s", "-h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		got, err := arrange(args)
		if err != nil {
			return
		}
		if got[0] == helpName { // the line asks for help
			return
		}
		end := slices.Index(got, "--")
		if end < 0 {
			t.Fatalf("%q = %q has no --", args, got)
		}
		for _, flag := range got[:end] {
			name, _, _ := strings.Cut(flag, "=")
			if f := FindFlag(tryTree().root.Command("try").Flags, strings.TrimPrefix(name, "--")); f == nil || !strings.HasPrefix(name, "--") {
				t.Fatalf("%q = %q: %q is no flag", args, got, flag)
			}
		}
		again, err := arrange(got)
		if err != nil || !slices.Equal(again, got) {
			t.Fatalf("%q = %q, %v: not what went in", got, again, err)
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"lookup", "validate-code", "subsumes", "expand", "serve", "load", "list", "stats"}
	for _, tt := range []struct{ word, want string }{
		{"lokup", "lookup"},
		{"expnad", "expand"},
		{"validate", "validate-code"},
		{"subsume", "subsumes"},
		{"zebra", ""},
		{"x", ""},
		{"srve", "serve"},
		{"stat", "stats"},
	} {
		if got := Nearest(tt.word, names); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// TestSize checks sizes on the command line, as the guide describes them.
func TestSize(t *testing.T) {
	var got int64
	p := &Program{
		Getenv: func(string) string { return "" },
		Root: func(t *Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{t.Add(&cli.Command{Name: "try", Flags: []cli.Flag{
				&cli.StringFlag{Name: "size"},
			}}, Details{Run: func(_ context.Context, inv *Invocation) (err error) {
				got, err = inv.Size("size")
				return err
			}})}}
		},
	}
	size := func(text string) int {
		return p.Run(t.Context(), []string{"try", "--size=" + text}, Streams{Out: io.Discard, Err: io.Discard})
	}
	for _, tt := range []struct {
		text string
		want int64
	}{{"0", 0}, {"17", 17}, {"1k", 1024}, {"1kB", 1024}, {"16MiB", 16 << 20}, {"2 GB", 2 << 30}, {"3b", 3}, {"1.5M", 3 << 19}} {
		if code := size(tt.text); code != 0 || got != tt.want {
			t.Errorf("%q: exit code %d, %d, want %d", tt.text, code, got, tt.want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1x", "1kk", "1km", "99999999999G", "1e30", "M"} {
		if code := size(text); code != 2 {
			t.Errorf("%q: exit code %d, %d", text, code, got)
		}
	}
}

// FuzzSize: a size on the command line is a number of bytes that is not negative, or an error that
// names what was given.
func FuzzSize(f *testing.F) {
	for _, seed := range []string{"0", "17", "1kB", "16MiB", "2 GB", "1.5M", "-1", "1e30", "99999999999G", "NaN", "inf", "0x1p70", "1_0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got int64
		var err error
		p := &Program{
			Getenv: func(string) string { return "" },
			Root: func(t *Tree) *cli.Command {
				return &cli.Command{Name: "roget", Subcommands: []*cli.Command{t.Add(&cli.Command{Name: "try", Flags: []cli.Flag{
					&cli.StringFlag{Name: "size"},
				}}, Details{Run: func(_ context.Context, inv *Invocation) error {
					got, err = inv.Size("size")
					return err
				}})}}
			},
		}
		code := p.Run(t.Context(), []string{"try", "--size=" + text}, Streams{Out: io.Discard, Err: io.Discard})
		if got < 0 || got > 1<<62 || err != nil && (got != 0 || code == 0) {
			t.Errorf("%q: %d, %v, exit code %d", text, got, err, code)
		}
		if err != nil && !strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("%q: the error does not name it: %v", text, err)
		}
	})
}

// On a terminal a table has no line that is wider than the terminal, and no word is lost; what is
// piped has each row on one line.
func TestTableFits(t *testing.T) {
	definition := strings.Repeat("a long definition with Ünïcode words ", 9) + "https://example.org/" + strings.Repeat("x", 120)
	table := &engine.Table{Header: []string{"CODE", "DISPLAY", "DEFINITION"}, Rows: [][]string{
		{"a", "Alpha", "short"}, {"b", "Beta is longer than Alpha", definition},
	}}
	words := func(text string) string { return strings.Join(strings.Fields(text), "") }
	for _, width := range []int{40, 80, 132} {
		var out bytes.Buffer
		inv := &Invocation{Streams: Streams{Width: width}, Getenv: func(string) string { return "dumb" }}
		if err := inv.WriteTableTo(&out, true, table); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
		if got, want := strings.Count(words(out.String()), "x"), strings.Count(definition, "x"); got != want {
			t.Errorf("%d columns: %d characters x, want %d", width, got, want)
		}
		out.Reset()
		if err := inv.WriteTableTo(&out, false, table); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "\n"); got != 3 || !strings.Contains(out.String(), definition) {
			t.Errorf("piped: %d lines:\n%s", got, out.String())
		}
	}
}

func TestNarrow(t *testing.T) {
	if got := narrow([]int{5, 10}, 17); got != nil {
		t.Errorf("a table that fits is narrowed to %v", got)
	}
	if got := narrow([]int{5, 100, 60}, 80); got[0] != 5 || got[0]+got[1]+got[2]+2*columnGap != 80 {
		t.Errorf("columns are %v", got)
	}
	if got := narrow([]int{50, 50, 50}, 10); got[0] != minColumn || got[1] != minColumn || got[2] != minColumn {
		t.Errorf("a terminal of 10 columns: %v", got)
	}
}

// TestParsedFlags checks what a command sees of its flags: each form of writing them,
// values with commas, and flags that were not given.
func TestParsedFlags(t *testing.T) {
	type seen struct {
		Many, Args      []string
		One, Absent     string
		On, Off, Unset  bool
		OneSet, NoneSet bool
	}
	var got seen
	p := &Program{
		Getenv: func(string) string { return "" },
		Root: func(t *Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{t.Add(&cli.Command{Name: "try", Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "many", Aliases: []string{"m"}},
				&cli.StringFlag{Name: "one", Aliases: []string{"o", "ONE"}},
				&cli.StringFlag{Name: "absent"},
				&cli.BoolFlag{Name: "on"},
				&cli.BoolFlag{Name: "off"},
				&cli.BoolFlag{Name: "unset"},
				&cli.StringFlag{Name: "output"},
			}}, Details{Args: []Argument{{Name: "WORD", Many: true}}, Run: func(ctx context.Context, inv *Invocation) error {
				got = seen{
					Many: inv.List("many"), Args: inv.Args(),
					One: inv.Text("one"), Absent: inv.Text("absent"),
					On: inv.Is("on"), Off: inv.Is("off"), Unset: inv.Is("unset"),
					OneSet: inv.Given("one"), NoneSet: inv.Given("absent") || inv.Given("nowhere"),
				}
				return ctx.Err()
			}})}}
		},
	}
	want := seen{
		Many: []string{"a,in,b", "c", "-5"}, Args: []string{"x", "-1", "--on"},
		One: "a=b", On: true, OneSet: true,
	}
	line := []string{"try", "x", "-m", "a,in,b", "--many= c ", "--on", "-1", "--ONE", "a=b", "-m=-5", "--off=false", "--", "--on"}
	if code := p.Run(t.Context(), line, Streams{Out: io.Discard, Err: io.Discard}); code != 0 {
		t.Fatal(code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	table := &engine.Table{
		Title: "T\x1b[2J", Header: []string{"A", "B"},
		Rows: [][]string{{"x\ty", "1"}, {"Bär\n", ""}}, Footer: "2 of 2",
	}
	for _, tt := range []struct {
		terminal bool
		env      string
		want     string
	}{
		{false, "", "T [2J\nA     B\nx y   1\nBär\n2 of 2\n"},
		{true, "", "\x1b[1mT [2J\x1b[0m\n\x1b[1mA     B\x1b[0m\nx y   1\nBär\n2 of 2\n"},
		{true, "1", "T [2J\nA     B\nx y   1\nBär\n2 of 2\n"},
	} {
		var out bytes.Buffer
		inv := &Invocation{Getenv: func(string) string { return tt.env }, Streams: Streams{Out: &out, Err: io.Discard, OutTerminal: tt.terminal}}
		if err := inv.WriteTable(table); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("terminal %v, NO_COLOR %q:\n%q, want\n%q", tt.terminal, tt.env, out.String(), tt.want)
		}
	}
}

// TestLines checks that lines are safe, and on a terminal no wider than it is: a control character
// takes the column of the space that it becomes.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		width    int
		want     string
	}{
		{false, 10, "T  x\n├─ one line that is long\n       tree\nend \n"},
		{true, 0, "\x1b[1mT  x\x1b[0m\n├─ one line that is long\n       tree\nend \n"},
		{true, 10, "\x1b[1mT  x\x1b[0m\n├─ one li…\n       tr…\nend \n"},
	} {
		var out bytes.Buffer
		inv := &Invocation{Getenv: func(string) string { return "" }, Streams: Streams{Out: &out, Err: io.Discard, OutTerminal: tt.terminal, Width: tt.width}}
		if err := inv.WriteLines("T\x07\nx", []string{"├─ one line that is long", "\u202e\x1b\u200b\u2066\x7f\x00\ttree"}, "end\n"); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.want {
			t.Errorf("terminal %v, width %d:\n%q, want\n%q", tt.terminal, tt.width, out.String(), tt.want)
		}
	}
}

// TestRun checks what lines print, and their exit codes.
func TestRun(t *testing.T) {
	p := &Program{
		Getenv: func(string) string { return "" },
		Root: func(t *Tree) *cli.Command {
			leaf := t.Add(&cli.Command{Name: "leaf", Usage: "Do it. In full."}, Details{
				Args: []Argument{{Name: "A"}, {Name: "B"}},
				Run: func(_ context.Context, inv *Invocation) error {
					if inv.Args()[0] == "bad" {
						return inv.Show(make(chan int), nil)
					}
					return Usagef("group leaf: %s", inv.Args()[0])
				},
				Failed: 7,
			})
			leaf.Flags = []cli.Flag{&cli.BoolFlag{Name: "json"}}
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{{Name: "group", Usage: "Many", Subcommands: []*cli.Command{leaf}}}}
		},
	}
	const see = " (see roget group leaf --help)\n"
	for _, tt := range []struct {
		line      string
		code      int
		out, errs string // begin so
	}{
		{"__complete gr", 0, "group\tMany\n", ""},
		{"__complete group ", 0, "leaf\tDo it\n", ""},
		{"group leaf --help", 0, "roget group leaf - Do it. In full.", ""},
		{"group", 2, "", "roget group - Many"},
		{"group leaf x", 2, "", "roget: group leaf: x" + see},
		{"group leaf x y z", 2, "", `roget: group leaf: unexpected argument "z"` + see},
		{"group leaf x y true", 2, "", `roget: group leaf: unexpected argument "true" (a flag that is true or false takes its value after =, as in --flag=true)` + see},
		{"group leaf x y false", 2, "", `roget: group leaf: unexpected argument "false" (a flag that is true or false takes its value after =, as in --flag=false)` + see},
		{"group leaf bad --json", 7, "", "roget: group leaf: json: unsupported type"},
		{"lef", 2, "", `roget: unknown command "lef"`},
	} {
		var out, errs strings.Builder
		code := p.Run(t.Context(), strings.Split(tt.line, " "), Streams{Out: &out, Err: &errs})
		if code != tt.code || !strings.HasPrefix(out.String(), tt.out) || !strings.HasPrefix(errs.String(), tt.errs) || (tt.out == "") != (out.Len() == 0) || (tt.errs == "") != (errs.Len() == 0) {
			t.Errorf("%s: exit code %d, %q, %q", tt.line, code, out.String(), errs.String())
		}
	}
}

// TestExplanation checks what help says of defaults and variables, and the titles of flags.
func TestExplanation(t *testing.T) {
	for _, tt := range []struct {
		value, env string
		settings   *Settings
		want       string
	}{
		{"", "", nil, "Use."},
		{".", "", nil, "Use."},
		{"5", "", nil, "Use. Default: 5."},
		{"", "E", nil, "Use. Environment: E."},
		{"5", "E", &Settings{File: "x"}, "Use. Default: 5. Environment: E."},
		{"5", "E", &Settings{File: "y"}, "Use. Default: 5."},
	} {
		f := &Flag{StringFlag: cli.StringFlag{Name: "x", Usage: "Use.", Value: tt.value}, Env: tt.env}
		if got := describe(f).explanation(tt.settings); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	for _, f := range Titled("T", []cli.Flag{&cli.BoolFlag{Name: "a"}, &cli.StringFlag{Name: "b"}, &cli.StringSliceFlag{Name: "c"}, &Flag{}}) {
		if got := describe(f).Category; got != "T" {
			t.Errorf("%T has the title %q", f, got)
		}
	}
}

// TestEscaped: no control character of a JSON text is left, its value stays, and other bytes do too.
func TestEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"\"\u0080\u009f\u00a0\u007f~\"": `"\u0080\u009f` + "\u00a0" + `\u007f~"`,
		"\x80":                          "\x80", "ÀŸ€": "ÀŸ€", "": "", "\x7f": `\u007f`, "\xc2": "\xc2",
	} {
		if got := string(Escaped([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
