package platform_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestDatastore: platform client, section 4, commands, datastore: get, set (create or
// update), delete, list; --user is the store of the user.
// Rows of docs/platform.md: 4.12, 4.22, T3.1.
func TestDatastore(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, step := range []struct{ line, want string }{
			{"get ns1 k1", "{\n  \"a\": 1\n}\n"},
			{"get mine note --user", "\"text\"\n"},
			{"set ns1 k1 [1,2]", "set ns1/k1\n"},
			{"set ns1 k2 dark", "set ns1/k2\n"},
			{"set --user ns1 k1 {broken", "set ns1/k1\n"},
			{"set ns2 k1 -5", "set ns2/k1\n"},
			{`set ns2 k2 {"<b>":"a&b"}`, "set ns2/k2\n"},
			{"get ns2 k2", "{\n  \"<b>\": \"a&b\"\n}\n"},
			{"list", "ns1\nns2\n"},
			{"ls ns1", "k1\nk2\n"},
			{"namespaces --user", "mine\nns1\n"},
			{"keys mine --user", "note\n"},
			{"list --json", "[\n  \"ns1\",\n  \"ns2\"\n]\n"},
			{"delete ns1 k2 -y", "deleted ns1/k2\n"},
			{"delete-namespace ns2 --yes", "deleted ns2\n"},
			{"delete-namespace mine --user --yes", "deleted mine\n"},
			{"set ns1 k3 true --json", "{\n  \"action\": \"set\",\n  \"key\": \"k3\",\n  \"namespace\": \"ns1\"\n}\n"},
			{"keys ns1", "k1\nk3\n"},
		} {
			if out := p.must(t, append([]string{"datastore"}, strings.Fields(step.line)...)...); out != step.want {
				t.Errorf("%s: %q, want %q", step.line, out, step.want)
			}
		}
		for _, is := range []struct{ user, namespace, key, want string }{
			{"", "ns1", "k1", "[1,2]"}, {"", "ns1", "k2", ""}, {platformtest.Username, "ns1", "k1", `"{broken"`}, {"", "ns2", "k1", ""},
		} {
			if got := string(p.Value(is.user, is.namespace, is.key)); got != is.want {
				t.Errorf("%+v: %s", is, got)
			}
		}
	})
}

// A value may come from a file, which must be JSON.
func TestDatastoreFile(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		p.must(t, "datastore", "set", "ns1", "file", "--file", writtenFile(t, folder, "v.json", `{"rows": 100}`))
		if got := string(p.Value("", "ns1", "file")); got != `{"rows": 100}` && got != `{"rows":100}` {
			t.Errorf("stored %s", got)
		}
		p.input = "[true]"
		p.must(t, "datastore", "set", "ns1", "file", "-f", "-")
		if got := string(p.Value("", "ns1", "file")); got != "[true]" {
			t.Errorf("stored %s", got)
		}
		for _, args := range [][]string{{"--file", writtenFile(t, folder, "bad.json", "{")}, {"x", "--file", folder + "/v.json"}, {}} {
			p.fails(t, 2, append([]string{"datastore", "set", "ns1", "file"}, args...)...)
		}
		p.fails(t, 1, "datastore", "set", "ns1", "file", "--file", folder+"/none.json")
		if got := string(p.Value("", "ns1", "file")); got != "[true]" {
			t.Errorf("stored %s", got)
		}
	})
}

// TestDatastoreFails: platform client, section 7: if reading a data store fails, the error has the
// message of the platform.
// Rows of docs/platform.md: 7.7.
func TestDatastoreFails(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for line, want := range map[string]string{
			"get ns1 none":            "API error (404): Not Found: Key 'none' not found in namespace 'ns1'",
			"list none":               "API error (404): Not Found: Namespace not found: 'none'",
			"delete ns1 none -y":      "API error (404): Not Found: Key 'none'",
			"delete ns1 k1":           "Delete key k1 of namespace ns1? There is no terminal to answer at; give --yes",
			"delete-namespace ns1":    "Delete namespace ns1 with all its keys? There is no terminal",
			"get ns1 ..":              `".." cannot be a name in a path`,
			"get ns1 k1 -p elsewhere": `there is no profile "elsewhere"`,
		} {
			if errs := p.fails(t, 1, append([]string{"datastore"}, strings.Fields(line)...)...); !strings.Contains(errs, want) {
				t.Errorf("%s: %s", line, errs)
			}
		}
		p.fails(t, 2, "datastore", "get", "ns1")
		p.fails(t, 2, "datastore", "keys")

		p.terminal, p.input = true, "n\n"
		if code, out, errs := p.run(t, "datastore", "delete", "ns1", "k1"); code != 1 || out != "" || !strings.Contains(errs, "nothing was done") || p.Value("", "ns1", "k1") == nil {
			t.Errorf("no: %d, %s%s", code, out, errs)
		}
		p.input = "y\n"
		if out := p.must(t, "datastore", "delete", "ns1", "k1"); out != "deleted ns1/k1\n" {
			t.Errorf("yes: %s", out)
		}
	})
}
