package txtest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTemplates(t *testing.T) {
	for _, test := range []struct {
		template string
		yes, no  []string
	}{
		{"$$", []string{"", "a\nb"}, nil},
		{"$string$", []string{"", "a", "a b\nc"}, []string{" ", " a", "a ", "a\u00a0"}},
		{"$instant$", []string{"2020-02-03T04:05:06Z", "2020-02-03T04:05:06.123456789+01:00"}, []string{"2020-02-03T04:05:06", "2020-02-03", "2020-02-03T04:05:06.1234567890Z", "x2020-02-03T04:05:06Z"}},
		{"$date$", []string{"2020", "2020-02", "2020-02-03", "2020-02-03T04:05:06Z"}, []string{"20", "2020-2", "2020-02-03T04:05"}},
		{"$uuid$", []string{"urn:uuid:00112233-4455-6677-8899-aabbccddeeff"}, []string{"00112233-4455-6677-8899-aabbccddeeff", "urn:uuid:00112233-4455-6677-8899-AABBCCDDEEFF", "urn:uuid:00112233-4455-6677-8899-aabbccddeef"}},
		{"$id$", []string{"a", "A-1.b"}, []string{"", "a b", "a_b"}},
		{"$url$", []string{"http://a.example/b?c#d", "https://a", "www.a"}, []string{"ftp://a", "http://a b", "http://a."}},
		{"$token$", []string{"a", "_1.b-c"}, []string{"", "-a", "a b"}},
		{"$semver$", []string{"1.2.3", "0.0.1-rc.1+b"}, []string{"1.2", "01.2.3", "1.2.3-"}},
		{"$version$", []string{"4.0.1"}, []string{"5.0.0"}},
		{"made for $version$ only", []string{"made for 4.0.1 only"}, []string{"made for 4.3.0 only"}},
		{"$choice:red|green$", []string{"red", "green"}, []string{"red|green", "blue", ""}},
		{"$fragments:Red|green$", []string{"GREEN before red"}, []string{"red", ""}},
		{"$external:3$", []string{"", "whatever"}, nil},
		{"$external:3:red|green$", []string{"green and red"}, []string{"green"}},
		{"$external:3:http://a.example$", []string{"it was http"}, []string{"it was a.example"}},
		{"$", []string{"$"}, []string{"a"}},
	} {
		c := comparison{version: R4}
		for want, texts := range map[bool][]string{true: test.yes, false: test.no} {
			for _, text := range texts {
				if got, err := c.stringMatches(test.template, text); err != nil || got != want {
					t.Errorf("%s and %q: %t, %v, want %t", test.template, text, got, err, want)
				}
			}
		}
	}
}

// At level Strict, all fragments must match.
func TestFragmentsStrict(t *testing.T) {
	c := comparison{version: R4, level: Strict}
	if got, err := c.stringMatches("$external:1:http://a.example$", "it was http"); got || err != nil {
		t.Error(got, err)
	}
}

func TestLevels(t *testing.T) {
	for _, test := range []struct {
		a, b                     string
		normal, official, strict bool
	}{
		{"saw", "saw", true, true, true},
		{"", "", true, true, true},
		{"saw #2", "saw 2", true, true, false},
		{"saw", "Saw", false, false, false},
		{"saws", "saw", false, false, false},
		{"!", "?", false, false, false},
		{"saw", "", false, false, false},
		{"saw", "...", false, false, false},
		{"saw=2", "saw=3", false, true, false},
		{"a-b1", "a+b1", false, true, false},
		{"hammer 12", "hammer 12x", false, true, false}, // nor does a ninth
		{"axes1", "axes2", false, true, false},          // a fifth character gives no byte
		{"axes12", "axes13", false, true, false},
	} {
		for level, want := range map[Level]bool{Normal: test.normal, Official: test.official, Strict: test.strict} {
			if got := level.same(test.a, test.b); got != want {
				t.Errorf("%s: %q and %q: %t", level, test.a, test.b, got)
			}
		}
	}
}

// Equality of strings is reflexive and symmetric at every level.
func TestLevelsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[a-c=#_+ -]{0,6}`).Draw(t, "a"), rapid.StringMatching(`[a-c=#_+ -]{0,6}`).Draw(t, "b")
		for _, level := range []Level{Normal, Official, Strict} {
			if !level.same(a, a) {
				t.Errorf("%s: %q is not itself", level, a)
			}
			if level.same(a, b) != level.same(b, a) {
				t.Errorf("%s: %q and %q are the same one way only", level, a, b)
			}
		}
	})
}
