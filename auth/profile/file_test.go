package profile

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const sample = `default = "prod"

[profiles.prod]
base_url = "https://platform.example.org"
auth = "pat"
token = "d2pat_x"
version = "v42"

[profiles.alpha]
base_url = "http://localhost:8080/ctx"
auth = "basic"
username = "ada"
password = "a\"b\\c\u000A\u007Fé"

[profiles."not by rule"]
auth = "oauth2"
`

// Rows of docs/platform.md: 2.2.7, 2.2.8.
func TestText(t *testing.T) {
	f, err := parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(f.text()); got != sample {
		t.Errorf("written back:\n%s", got)
	}
	if got := f.profiles[1].profile.Password.Reveal(); got != "a\"b\\c\n\u007fé" || f.def != "prod" || f.index("prod") != 0 {
		t.Errorf("%q, %+v", got, f)
	}
	dotted, err := parse("profiles.b.auth = 'pat'\nprofiles.a.auth = 'pat'\nprofiles.b.token = '''x'''")
	if err != nil || len(dotted.profiles) != 2 || dotted.profiles[0].name != "b" || dotted.profiles[0].profile.Token.Reveal() != "x" {
		t.Errorf("dotted keys: %+v, %v", dotted, err)
	}
	inline, err := parse("profiles = {b = {auth = 'pat'}, a = {auth = 'pat'}}")
	if err != nil || len(inline.profiles) != 2 {
		t.Errorf("inline tables: %+v, %v", inline, err)
	}
}

// TestBadFiles: errors name the line and the problem, and show no value.
// Rows of docs/platform.md: 2.2.5.
func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"[profiles.a]\ntoken = Sw0rdfish\n":     ":2: it is not TOML",
		"[profiles.a]\ntoken = \"Sw0rdfish\n":   ":2: it is not TOML",
		"Sw0rdfish":                             ": it is not TOML",
		"default = 4":                           `"default" is not expected there`,
		"profiles = 4":                          `"profiles" is not expected there`,
		"other = \"Sw0rdfish\"":                 `"other" is not expected there`,
		"[profiles]\na = \"Sw0rdfish\"":         `"profiles.a" is not a table`,
		"[profiles.a]\ntokne = \"Sw0rdfish\"":   `profile "a": "tokne" is not a setting`,
		"[profiles.a]\ntoken = 5":               `profile "a": "token" is not a setting of profiles with a text`,
		"[profiles.a]\ntoken = [\"Sw0rdfish\"]": `profile "a": "token" is not a setting of profiles with a text`,
		"[[profiles.a]]\ntoken = \"Sw0rdfish\"": `"profiles.a" is not a table`,
		strings.Repeat("[profiles.a]\n", 2):     ":2: it is not TOML",
		"a = \"\xff\"":                          "it is not TOML",
		manyProfiles(maxProfiles + 1):           "more than 1000 profiles",
	} {
		_, err := parse(text)
		var bad *FileError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Sw0rd") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	if f, err := parse(manyProfiles(maxProfiles)); err != nil || len(f.profiles) != maxProfiles {
		t.Errorf("as many as may be: %v", err)
	}
}

func manyProfiles(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString("[profiles.p" + strings.Repeat("x", i/26) + string(rune('a'+i%26)) + "]\n")
	}
	return b.String()
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 64)
	for name, want := range map[string]bool{
		"a": true, "Prod_2": true, long: true, long + "a": false, "": false, "2a": false, "_a": false, "a-b": false, "a b": false, "é": false, "aé": false, "a\n": false, "<env>": false,
	} {
		if validName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// FuzzFile reads arbitrary text as a profile file: an accepted file does not change by writing it.
func FuzzFile(f *testing.F) {
	f.Add(sample)
	f.Add("profiles = {b = {auth = 'pat'}, a = {auth = 'pat'}}")
	f.Add("[profiles.a]\ntoken = Sw0rdfish\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := parse(text)
		if err != nil {
			return
		}
		second, err := parse(string(first.text()))
		if err != nil {
			t.Fatalf("%v:\n%s", err, first.text())
		}
		if first.def != second.def || len(first.profiles) != len(second.profiles) {
			t.Fatalf("%+v, then %+v", first, second)
		}
		for i := range first.profiles {
			a, b := first.profiles[i], second.profiles[i]
			if a.name != b.name || !reflect.DeepEqual(revealed(a.profile), revealed(b.profile)) {
				t.Fatalf("%v, then %v", revealed(a.profile), revealed(b.profile))
			}
		}
	})
}

func revealed(p Profile) map[string]string {
	values := map[string]string{}
	for _, field := range p.Fields() {
		values[field.Name] = field.Value + field.Secret.Reveal()
	}
	return values
}
