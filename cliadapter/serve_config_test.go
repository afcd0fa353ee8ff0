package cliadapter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// TestConfigurationReadsBack: --print-config, read back as a configuration file, leads to the same
// options, for each flag of serve on its own and for all together.
func TestConfigurationReadsBack(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "roget.toml")
	examples := map[string]string{
		"addr": "127.0.0.1:9", "cors-origin": "https://a.example", "timeout": "7s", "drain": "0",
	}
	var lines [][]string
	all := []string{}
	for _, f := range flagsOf(t, "serve") {
		name := f.Names()[0]
		flag := "--" + name
		switch f := f.(type) {
		case *cli.BoolFlag:
			if name == "help" || name == "print-config" {
				continue
			}
		case *cli.StringSliceFlag:
			flag += "=a,b # \"c\""
			if example := examples[name]; example != "" {
				flag = "--" + name + "=" + example
			}
		case *command.Flag:
			value := examples[name]
			if len(f.Choices) > 0 {
				value = f.Choices[len(f.Choices)-1]
			}
			if value == "" {
				continue
			}
			flag += "=" + value
		case *cli.StringFlag:
			if examples[name] == "" {
				continue
			}
			flag += "=" + examples[name]
		}
		lines = append(lines, []string{flag})
		all = append(all, flag)
	}
	if len(all) < 15 {
		t.Fatalf("%d flags: %v", len(all), all)
	}
	same := cmp.Options{cmpopts.IgnoreFields(ServeOptions{}, "Logger", "LogLevel", "Reload", "ConfigFile"), cmpopts.IgnoreUnexported(ServeOptions{}), cmpopts.EquateEmpty()}
	for _, line := range lines {
		var before, after absent
		code, _, errs := run(t, &before, nil, append([]string{"serve"}, line...)...)
		if code == 2 { // it needs another flag beside it
			continue
		}
		_, printed, more := run(t, &absent{}, nil, append([]string{"serve", "--print-config"}, line...)...)
		if err := os.WriteFile(path, []byte(printed), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, again := run(t, &after, nil, "serve", "--config", path); code != 0 {
			t.Fatalf("%v: exit code %d: %s%s%s\n%s", line, code, again, errs, more, printed)
		}
		if diff := cmp.Diff(before.served, after.served, same); diff != "" {
			t.Errorf("%v: -flags +file\n%s", line, diff)
		}
	}
}

// TestStorePassword: a password by file reaches the store and nothing else.
func TestStorePassword(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "password")
	for content, want := range map[string]string{
		"s3cr@t/\n":               "postgres://roget:s3cr%40t%2F@db/roget",
		"s3cr@t/\r\n":             "postgres://roget:s3cr%40t%2F@db/roget",
		"":                        "",
		"two\nlines\n":            "",
		"\n":                      "",
		"nul\x00":                 "",
		strings.Repeat("x", 5000): "",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var b absent
		code, out, errs := run(t, &b, nil, "serve", "--store", "postgres://roget@db/roget", "--store-password-file", path)
		if b.served.Store != want || (code == 0) != (want != "") || strings.Contains(out+errs, "s3cr") {
			t.Errorf("%.20q: exit code %d, %q: %s%s", content, code, b.served.Store, out, errs)
		}
	}
	for _, line := range [][]string{
		{"--store", "postgres://roget:other@db/roget"},
		{"--store", "postgres://db/roget"},
		{"--store", "sqlite:x.db"},
		{},
		{"--store", "postgres://roget@db/roget?password=other"},
	} {
		if code, out, errs := run(t, &absent{}, nil, append([]string{"serve", "--store-password-file", path}, line...)...); code != 2 || strings.Contains(out+errs, "other@") {
			t.Errorf("%v: exit code %d: %s%s", line, code, out, errs)
		}
	}
	if err := os.WriteFile(path, []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, &absent{}, nil, "serve", "--store", "postgres://roget@db/roget", "--store-password-file", path, "--print-config")
	if code != 0 || strings.Contains(out+errs, "s3cret") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	var b absent
	if code, _, errs := run(t, &b, nil, "read", "Patient/1", "--store", "postgres://roget@db/roget", "--store-password-file", path); b.store.Store != "postgres://roget:s3cret@db/roget" {
		t.Errorf("exit code %d: %q: %s", code, b.store.Store, errs)
	}
}

// flagsOf returns the flags of a command.
func flagsOf(t *testing.T, path string) []cli.Flag {
	t.Helper()
	tree := terminal()
	for _, cmd := range tree.Commands() {
		if tree.Path(cmd) == path {
			return cmd.Flags
		}
	}
	t.Fatal("no command " + path)
	return nil
}

// FuzzServeConfig reads any bytes as the configuration file of serve, with its real flags. The file is
// refused with its name in the error, or --print-config writes one that reads back as itself.
func FuzzServeConfig(f *testing.F) {
	for _, seed := range []string{
		"", "addr = \":1\"\nlog-level = \"debug\"\n", "cors-origin = [\"https://a.example\"]\ntimeout = \"7s\"\n", "memory = \"1GiB\"\nrate = 5\n", "hsts = true\n",
		"max-connections = 9223372036854775807\n", "timeout = \"2562047h47m16.854775807s\"\n", "timeout = \"-1s\"", "rate = \"1e308\"", "rate = nan", "memory = -1", "burst = 1.5",
		"trusted-proxy = [\"10.0.0.0/8\", \"\"]\n", "host = [\"*\"]\nbase-url = \"https://h/fhir\"\n", "config = \"x\"", "[addr]\n", "addr = \"a\\u0000b\"", "addr = \"\\\"\\n\"", "Addr = \":1\"",
		"auth-audience = []\n", "drain = 1979-05-27\n", "audit = \"x\"\naudit-sync = \"always\"\n", "tls-cert = \"x\"\n",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "roget.toml")
	f.Fuzz(func(t *testing.T, data []byte) {
		for round, before := 0, ""; round < 2; round++ {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := run(t, &absent{}, nil, "serve", "--config", path, "--print-config")
			switch {
			case code != 0 && round == 0:
				if errs == "" || out != "" {
					t.Errorf("exit code %d, %q %q", code, out, errs)
				}
				return
			case code != 0:
				t.Fatalf("what was printed is refused: %s\n%s", errs, data)
			case round == 1 && withoutSources(out) != before:
				t.Errorf("read back:\n%s\nwant:\n%s", withoutSources(out), before)
			}
			data, before = []byte(out), withoutSources(out)
		}
	})
}

// withoutSources returns the settings of a printed configuration, without comments.
func withoutSources(printed string) string {
	var kept []string
	for line := range strings.Lines(printed) {
		if !strings.HasPrefix(line, "#") {
			setting, _, _ := strings.Cut(line, "  # ")
			kept = append(kept, strings.TrimSpace(setting))
		}
	}
	return strings.Join(kept, "\n")
}
