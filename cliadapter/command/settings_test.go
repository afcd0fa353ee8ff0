package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// settle runs a command with settings, and returns what it saw or the error that it printed.
func settle(t *testing.T, env map[string]string, line []string, see func(*Invocation) string) (out, errs string) {
	t.Helper()
	settings := &Settings{Prefix: "ROGET_", File: "config", Not: []string{"print"}}
	p := &Program{
		Getenv: func(name string) string { return env[name] },
		Root: func(tree *Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{tree.Add(&cli.Command{Name: "serve", Flags: []cli.Flag{
				&Flag{Env: "ROGET_CONFIG", StringFlag: cli.StringFlag{Name: "config"}},
				&Flag{Env: "ROGET_HERE", StringFlag: cli.StringFlag{Name: "addr", Aliases: []string{"a"}, Value: "127.0.0.1:8080"}},
				&Flag{StringFlag: cli.StringFlag{Name: "level", Value: "info"}, Choices: []string{"debug", "info"}},
				&Flag{StringFlag: cli.StringFlag{Name: "token"}, Masked: true},
				&cli.StringFlag{Name: "time-limit", Value: "30s"},
				&cli.StringFlag{Name: "store"},
				&cli.StringSliceFlag{Name: "origin"},
				&cli.StringSliceFlag{Name: "role", Value: cli.NewStringSlice("one", "two")},
				&cli.BoolFlag{Name: "metrics"},
				&cli.BoolFlag{Name: "print"},
			}}, Details{Settings: settings, Run: func(_ context.Context, inv *Invocation) error {
				if _, err := inv.Duration("time-limit"); err != nil {
					return err
				}
				if inv.Is("print") {
					return inv.PrintSettings(settings, "Settings")
				}
				return Write(inv.Out, []byte(see(inv)))
			}})}}
		},
	}
	var stdout, stderr bytes.Buffer
	p.Run(t.Context(), append([]string{"serve"}, line...), Streams{Out: &stdout, Err: &stderr})
	return stdout.String(), stderr.String()
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "roget.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOrderOfSettings: a flag goes before the environment, the environment before the file, and
// the file before the default, for each kind of flag.
func TestOrderOfSettings(t *testing.T) {
	file := write(t, "addr = \":1\"\ntime-limit = \"1s\"\norigin = [\"file,1\", \"file2\"]\nmetrics = true\n")
	see := func(inv *Invocation) string {
		return strings.Join([]string{inv.Text("addr"), inv.Text("time-limit"), strings.Join(inv.List("origin"), "+"), map[bool]string{true: "on", false: "off"}[inv.Is("metrics")]}, " ")
	}
	env := map[string]string{"ROGET_HERE": ":2", "ROGET_TIME_LIMIT": "2s", "ROGET_ORIGIN": "env1, env2", "ROGET_METRICS": "0"}
	for _, row := range []struct {
		env  map[string]string
		line []string
		want string
	}{
		{nil, nil, "127.0.0.1:8080 30s  off"},
		{nil, []string{"--config", file}, ":1 1s file,1+file2 on"},
		{map[string]string{"ROGET_CONFIG": file}, nil, ":1 1s file,1+file2 on"},
		{env, []string{"--config", file}, ":2 2s env1+env2 off"},
		{env, []string{"--config", file, "-a", ":3", "--time-limit=3s", "--origin=flag", "--metrics"}, ":3 3s flag on"},
		{map[string]string{"ROGET_ADDR": ":9", "ROGET_HERE": ""}, []string{"--config", file}, ":1 1s file,1+file2 on"},
	} {
		if got, errs := settle(t, row.env, row.line, see); got != row.want {
			t.Errorf("%v %v: %q, want %q %s", row.env, row.line, got, row.want, errs)
		}
	}
}

// TestWrongSettings: each error names where the setting was given and what is wrong with it.
func TestWrongSettings(t *testing.T) {
	for text, want := range map[string]string{
		"# one\nadr = \":1\"\n":                    `:2: unknown key "adr"; did you mean addr?`,
		"a = \":1\"\n":                             `:1: unknown key "a"`,
		"print = true\n":                           `:1: unknown key "print"`,
		"config = \"x\"\n":                         `:1: unknown key "config"`,
		"help = true\n":                            `:1: unknown key "help"`,
		"[service]\naddr = \":1\"\n":               `:1: the table "service": a configuration file has no tables`,
		"[[service]]\naddr = \":1\"\n":             `:1: the table "service": a configuration file has no tables`,
		"service.addr = \":1\"\n":                  `:1: the table "service": a configuration file has no tables`,
		"\n\nmetrics = \"true\"\n":                 `:3: key metrics must be true or false, without quotes`,
		"addr = true\n":                            `:1: key addr must be a string, not true`,
		"addr = [\":1\"]\n":                        `:1: key addr must be a string, not a list`,
		"origin = \"x\"\n":                         `:1: key origin must be a list, such as origin = ["a", "b"]`,
		"origin = [1]\n":                           `:1: key origin has a value that is no string, number, true, false or list of strings`,
		"addr = 2024-01-01\n":                      `:1: key addr has a value that is no string`,
		"metrics = true\nlevel = \"debgu\"\n":      `:2: key level must be one of debug, info, not "debgu"; did you mean debug?`,
		"metrics = true\n\ntime-limit = 30\n":      `:3: key time-limit must be a duration such as 30s or 2m, not "30"`,
		"addr = \":1\"\naddr = \":2\"\n":           `:2: Key 'addr' has already been defined`,
		"addr = \":1\n":                            `:1: strings cannot contain newlines`,
		"a\xffb = 1":                               `roget.toml`,
		strings.Repeat("# filler\n", 1<<20/9+1):    `has more than 1048576 bytes`,
		"origin = [\"a\", [\"b\"]]\n":              `:1: key origin has a value`,
		"metrics = 1\n":                            `:1: key metrics must be true or false`,
		"level = \"info\"\n[x]\n[x.y]\nz = true":   `:2: the table "x"`,
		"time-limit = \"1h\"\norigin = [\"\",3]\n": `:2: key origin`,
	} {
		file := write(t, text)
		out, errs := settle(t, nil, []string{"--config", file}, func(*Invocation) string { return "accepted" })
		if out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, file) {
			t.Errorf("%.40q: %s%s, want %s", text, out, errs, want)
		}
	}
	for env, want := range map[string]string{
		"ROGET_METRICS=yes":    `variable ROGET_METRICS must be true or false, not "yes"`,
		"ROGET_LEVEL=all":      `variable ROGET_LEVEL must be one of debug, info, not "all"`,
		"ROGET_TIME_LIMIT=now": `variable ROGET_TIME_LIMIT must be a duration such as 30s or 2m, not "now"`,
		"ROGET_CONFIG=/absent": `open /absent: no such file`,
	} {
		name, value, _ := strings.Cut(env, "=")
		if out, errs := settle(t, map[string]string{name: value}, nil, func(*Invocation) string { return "accepted" }); out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %s%s, want %s", env, out, errs, want)
		}
	}
	if _, errs := settle(t, nil, []string{"--time-limit=now"}, nil); !strings.Contains(errs, "flag --time-limit must be a duration") {
		t.Error(errs)
	}
}

// TestPrintedSettings: what is printed reads back as the same settings, names the sources, and
// holds no secrets.
func TestPrintedSettings(t *testing.T) {
	file := write(t, "addr = \"a\\\"b\\u0007\\tc\\\\\"\norigin = [\"x,y\", \"#\"]\ntoken = \"hush\"\n")
	env := map[string]string{"ROGET_CONFIG": file, "ROGET_STORE": "postgres://u:hush@h/d?password=hush&sslmode=disable", "ROGET_METRICS": "true"}
	first, errs := settle(t, env, []string{"--print", "--time-limit", "1m"}, nil)
	for _, want := range []string{"origin = [\"x,y\", \"#\"]  # " + file + ", line 2\n", "store = \"postgres://u@h/d?sslmode=disable\"  # variable ROGET_STORE; without its password\n", "time-limit = \"1m\"  # flag\n", "level = \"info\"  # default\n", "metrics = true  # variable ROGET_METRICS\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s%s", want, first, errs)
		}
	}
	if strings.Contains(first, "hush") {
		t.Errorf("a secret in\n%s", first)
	}
	again, errs := settle(t, nil, []string{"--print", "--config", write(t, first)}, nil)
	values := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			value, _, found := strings.Cut(line, "  # ")
			if found {
				lines = append(lines, value)
			}
		}
		return lines
	}
	if a, b := values(first), values(again); len(a) != 8 || !slices.Equal(a, b) {
		t.Errorf("%q\n%q %s", a, b, errs)
	}
}

// TestReread: settings that changed in the file or in the environment are reported, others are not.
func TestReread(t *testing.T) {
	file := write(t, "level = \"info\"\naddr = \":1\"\norigin = [\"a\"]\ntoken = \"t\"\n")
	out, errs := settle(t, nil, []string{"--config", file, "--addr=:7"}, func(inv *Invocation) string {
		settings := &Settings{Prefix: "ROGET_", File: "config", Not: []string{"print"}}
		if changed, err := inv.Reread(settings); err != nil || len(changed) != 0 {
			t.Errorf("%v %v", changed, err)
		}
		if err := os.WriteFile(file, []byte("level = \"debug\"\naddr = \":2\"\nmetrics = true\ntoken = \"t\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		changed, err := inv.Reread(settings)
		if err != nil || len(changed) != 3 || changed["level"][0] != "debug" || changed["metrics"][0] != "true" || len(changed["origin"]) != 0 {
			t.Errorf("%v %v", changed, err)
		}
		if err := os.WriteFile(file, []byte("level = 7"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := inv.Reread(settings); err == nil || !strings.Contains(err.Error(), ":1: key level must be one of") {
			t.Error(err)
		}
		return "done"
	})
	if out != "done" {
		t.Error(out, errs)
	}
}

// FuzzSettings: no file makes the reader panic, and what it accepts names flags only.
func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"addr = \":1\"\n", "many = [\"a\", \"b\"]\non = true\n", "[t]\nx = 1\n", "a.b.c = {x = 1}\n", "on = 1979-05-27\n", "many = [[[]]]", "addr = 1e400", "addr=inf"} {
		f.Add([]byte(seed))
	}
	flags := []cli.Flag{&cli.StringFlag{Name: "addr"}, &cli.StringSliceFlag{Name: "many"}, &cli.BoolFlag{Name: "on"}}
	settings := &Settings{File: "config"}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseSettings("f", data, settings, flags)
		for name, g := range found {
			if FindFlag(flags, name) == nil || name != "many" && len(g.values) != 1 || g.source.Line < 1 {
				t.Errorf("%s: %v", name, g)
			}
		}
		if err != nil && found != nil {
			t.Error("both")
		}
	})
}

// TestListWithDefault: a list that has a default is unchanged until a source has other values.
func TestListWithDefault(t *testing.T) {
	file := write(t, "")
	for text, want := range map[string]string{
		"":                            "",
		"role = [\"one\", \"two\"]\n": "",
		"role = [\"two\"]\n":          "role=two",
		"origin = [\"a\"]\n":          "origin=a",
	} {
		out, errs := settle(t, nil, []string{"--config", file}, func(inv *Invocation) string {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			changed, err := inv.Reread(&Settings{Prefix: "ROGET_", File: "config", Not: []string{"print"}})
			list := []string{}
			for name, values := range changed {
				list = append(list, name+"="+strings.Join(values, "+"))
			}
			if err != nil {
				t.Error(err)
			}
			return strings.Join(list, " ")
		})
		if out != want || errs != "" {
			t.Errorf("%q: changed %q, want %q %s", text, out, want, errs)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	see := func(inv *Invocation) string { return strings.Join(inv.List("role"), "+") }
	if out, errs := settle(t, nil, []string{"--config", write(t, "role = [\"three\"]\n")}, see); out != "three" {
		t.Errorf("%q %s", out, errs)
	}
	if out, errs := settle(t, nil, []string{"--config", write(t, "role = []\n")}, see); out != "" || !strings.Contains(errs, "one, two") {
		t.Errorf("an empty list: %q %s", out, errs)
	}
}

// TestSettingsOfNoFile: what cannot be read again is refused, and a pipe is not waited for.
func TestSettingsOfNoFile(t *testing.T) {
	for _, path := range append(pipes(t), t.TempDir()) {
		out, errs := settle(t, nil, []string{"--config", path}, func(*Invocation) string { return "ran" })
		if out != "" || !strings.Contains(errs, "not a regular file") {
			t.Errorf("%s: %q %s", path, out, errs)
		}
	}
}
