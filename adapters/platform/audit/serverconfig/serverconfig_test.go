package serverconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return c
}

// TestParse: comments, separators, continuations, defaults, scopes. Platform toolkit, section 5.11.
// Rows of docs/platform.md: T5.11.
func TestParse(t *testing.T) {
	c := parse(t, "connection.url = jdbc:postgresql:x\n")
	if !c.Enabled || !c.Logger || c.Database || c.InMemoryQueue || !c.ChangelogAggregate {
		t.Errorf("defaults: %+v", c)
	}
	for _, s := range c.Scopes {
		if s.Explicit || !slices.Equal(s.Operations, Default()) || len(s.Missing()) != 0 {
			t.Errorf("default scope: %+v", s)
		}
	}
	c = parse(t, `
# audit.logger = on
! audit.logger = on
  system.audit.enabled : off
audit.logger=OFF
audit.database	=	true
audit.in_memory-queue.enabled = on
changelog.aggregate = off
audit.metadata = CREATE; update ;BOGUS;CREATE
audit.aggregate = READ;DISABLED
audit.tracker =
encryption.password = a=b:c
connection.password =
`)
	if c.Enabled || c.Logger || !c.Database || !c.InMemoryQueue || c.ChangelogAggregate || c.Unreadable != nil {
		t.Errorf("switches: %+v", c)
	}
	want := []Scope{
		{"audit.metadata", true, []Operation{Create, Update}},
		{"audit.aggregate", true, []Operation{}},
		{"audit.tracker", false, Default()},
		{"audit.api", false, Default()},
	}
	if !reflect.DeepEqual(c.Scopes, want) {
		t.Errorf("scopes: %+v", c.Scopes)
	}
	if got := c.Scopes[0].Missing(); !slices.Equal(got, []Operation{Delete, Security}) {
		t.Error(got)
	}
	if c.Confidential[0] != (Flag{"encryption.password", true}) || c.Confidential[1] != (Flag{"connection.password", false}) {
		t.Error(c.Confidential)
	}
	c = parse(t, "audit.logger = maybe\naudit.database = maybe\naudit.database = on\n")
	if !c.Logger || !slices.Equal(c.Unreadable, []Key{"audit.logger"}) {
		t.Errorf("%+v", c)
	}
	// A continued secret brings no key with it, and the last value of a key counts.
	c = parse(t, "encryption.password = x\\\naudit.logger = off\naudit.api = READ\naudit.api = \\\n  CREATE;\\\n  READ\\")
	if !c.Logger || !slices.Equal(c.Scopes[3].Operations, []Operation{Create, Read}) {
		t.Errorf("%+v", c)
	}
}

// TestRefuses: files that are no configuration. Errors show nothing of them.
// Rows of docs/platform.md: T5.11.
func TestRefuses(t *testing.T) {
	for _, text := range []string{"", "# only a comment = 1", "planted-secret", "= planted-secret", strings.Repeat("planted-secret = 1\n", MaxSize/10)} {
		_, err := Parse(strings.NewReader(text))
		if err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if _, err := Parse(strings.NewReader("word")); !errors.Is(err, ErrNotConfig) {
		t.Error(err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "missing.conf")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "dhis.conf")
	if err := os.WriteFile(path, []byte("audit.logger = off"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(path); err != nil || c.Logger {
		t.Error(c, err)
	}
}

// known are all texts that a Config may contain.
func known() []string {
	list := []string{"system.audit.enabled", "audit.logger", "audit.database", "audit.in_memory-queue.enabled", "changelog.aggregate"}
	for _, key := range slices.Concat(scopes, confidential) {
		list = append(list, string(key))
	}
	for _, o := range operations {
		list = append(list, string(o))
	}
	return list
}

// texts returns all texts in a value.
func texts(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Pointer:
		return texts(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, texts(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, texts(v.Field(i))...)
		}
	case reflect.Bool:
	default:
		panic("a field of a kind that may hold a secret: " + v.Kind().String())
	}
	return all
}

// TestNoSecret: no text of the file is in a Config but for the names that this package knows.
// Rows of docs/platform.md: T5.11.
func TestNoSecret(t *testing.T) {
	var lines []string
	for _, key := range append(known(), "oidc.provider.x.client_secret", "unknown") {
		lines = append(lines, fmt.Sprintf("%s = planted-%s", key, key), "planted="+key)
	}
	for _, text := range texts(reflect.ValueOf(parse(t, strings.Join(lines, "\n")))) {
		if !slices.Contains(known(), text) {
			t.Errorf("%q is in the Config", text)
		}
	}
}

// FuzzParse: no input panics, and none but known names gets into a Config or an error.
// Rows of docs/platform.md: T5.11.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a=b", "audit.api=READ;DISABLED\\\nx", "!c\n#d\nsystem.audit.enabled:off", "a\\\\\\\n= \xff"} {
		f.Add([]byte(seed))
	}
	names := known()
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(strings.NewReader(string(text)))
		if err != nil {
			if c != nil {
				t.Error("a Config with an error")
			}
			return
		}
		for _, text := range texts(reflect.ValueOf(c)) {
			if !slices.Contains(names, text) {
				t.Errorf("%q is in the Config", text)
			}
		}
		if len(c.Scopes) != 4 || len(c.Confidential) != len(confidential) {
			t.Error(c)
		}
	})
}
