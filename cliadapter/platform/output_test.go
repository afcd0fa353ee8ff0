package platform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter"
)

// TestNothingObeysTheTerminal: what a server says reaches a terminal without control
// characters, in tables, in JSON and in errors, and nothing turns the direction of text.
func TestNothingObeysTheTerminal(t *testing.T) {
	const evil = "a\x1b[31mb\u009b31mc\u0085d\x7fe\u202ef\u2066g\u2028h"
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	raw := strings.ReplaceAll(strings.ReplaceAll(string(quoted), `\u2028`, "\u2028"), `\u007f`, "\x7f")
	p := newOnPlatform(t, 42)
	p.Fault("/api/dataStore", platformtest.Fault{Status: 200, Body: "[" + raw + "]"})
	p.Fault("/api/dataStore/n/k", platformtest.Fault{Status: 200, Body: raw})
	p.Fault("/api/dataStore/n/e", platformtest.Fault{Status: 409, Body: `{"message":` + raw + `}`})
	for _, line := range []string{"list", "list --json", "get n k", "get n e"} {
		_, out, errs := p.run(t, append([]string{"datastore"}, strings.Fields(line)...)...)
		if at := strings.IndexFunc(out+errs, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); at >= 0 {
			t.Errorf("%s: %q", line, out+errs)
		}
		if !strings.HasPrefix(line, "list --json") && !strings.HasPrefix(line, "get n k") {
			if strings.ContainsAny(out+errs, "\u202e\u2066\u2028") {
				t.Errorf("%s: %q", line, out+errs)
			}
			continue
		}
		var back any
		if err := json.Unmarshal([]byte(out), &back); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if list, ok := back.([]any); ok {
			back = list[0]
		}
		if back != evil {
			t.Errorf("%s: %q", line, back)
		}
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

// Write fails.
func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestAnswersThatDoNotArrive: an answer that cannot be written is a failure, help included.
func TestAnswersThatDoNotArrive(t *testing.T) {
	c := cliadapter.New(cliadapter.Config{Getenv: func(string) string { return "" }, Platform: cliadapter.Platform{Home: t.TempDir(), Folder: t.TempDir()}})
	for _, line := range []string{"--help", "profile --help", "profile list --help", "profile list --json", "version"} {
		var errs bytes.Buffer
		code := c.Run(t.Context(), strings.Fields(line), cliadapter.Streams{Out: fullDisk{}, Err: &errs})
		if code == 0 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: %d, %s", line, code, errs.String())
		}
	}
}

// TestAnswersOfRoutesOnATerminal: the response of another server is printed unchanged, except on a
// terminal.
func TestAnswersOfRoutesOnATerminal(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.Fault("/api/routes/Rte00000001/run/x", platformtest.Fault{Status: 200, Body: "a\x1b[31mb\nc"})
	environment := map[string]string{"PLATFORM_URL": p.URL, "PLATFORM_PAT": platformtest.PAT}
	c := cliadapter.New(cliadapter.Config{
		Getenv: func(name string) string { return environment[name] }, Platform: cliadapter.Platform{Home: p.home, Folder: p.folder()},
	})
	for terminal, want := range map[bool]string{false: "a\x1b[31mb\nc", true: "a [31mb\nc\n"} {
		var out, errs bytes.Buffer
		c.Run(t.Context(), []string{"route", "run", "lab", "--path", "x"}, cliadapter.Streams{Out: &out, Err: &errs, OutTerminal: terminal})
		if out.String() != want {
			t.Errorf("%v: %q, %s", terminal, out.String(), errs.String())
		}
	}
}
