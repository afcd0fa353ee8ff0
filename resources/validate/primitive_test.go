package validate_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// primitives are valid and invalid values of each type.
var primitives = map[string]struct{ good, bad []string }{
	"date":         {[]string{"2020", "2020-12", "2020-02-29", "0001-01-01"}, []string{"20", "2020-13", "2020-2-1", "2019-02-29", "1900-02-29", "2020-04-31", "2020-01-01T00:00:00Z", "0000", "2020-", "2020-01-"}},
	"dateTime":     {[]string{"2020", "2020-12", "2020-12-31", "2020-12-31T23:59:60Z", "2020-12-31T00:00:00.123456789+14:00", "2020-12-31T00:00:00-00:00"}, []string{"2020-12-31T", "2020-12-31T10:00Z", "2020-12-31T10:00:00", "2020-12T10:00:00Z", "2020-12-31T24:00:00Z", "2020-12-31T10:00:00.Z", "2020-12-31T10:00:00+14:01", "2020-12-31T10:00:00+1:00", "2020-12-31 10:00:00Z", "2020-12-31T10:00:00z"}},
	"instant":      {[]string{"2020-12-31T23:59:59Z", "2020-12-31T23:59:59.9+01:00"}, []string{"2020", "2020-12-31", "2020-12-31T23:59:59", "2020-12-31T23:59Z"}},
	"time":         {[]string{"00:00:00", "23:59:60", "12:00:00.5"}, []string{"24:00:00", "12:00", "12:00:00Z", "1:00:00", "12:60:00", "12:00:61"}},
	"id":           {[]string{"a", "A-1.b", strings.Repeat("x", 64)}, []string{strings.Repeat("x", 65), "a_b", "a b", "ä", "a/b"}},
	"code":         {[]string{"a", "a b", "ä-1"}, []string{" a", "a ", "a  b", "a\tb\t", "\n"}},
	"uri":          {[]string{"http://x", "urn:oid:1.2", "x", "#a"}, []string{"a b", "a\n"}},
	"oid":          {[]string{"urn:oid:1.2.840", "urn:oid:0.0"}, []string{"1.2.3", "urn:oid:3.1", "urn:oid:1.02", "urn:oid:1", "urn:oid:1..2", "urn:oid:1.x"}},
	"uuid":         {[]string{"urn:uuid:c757873d-ec9a-4326-a141-556f43239520"}, []string{"c757873d-ec9a-4326-a141-556f43239520", "urn:uuid:C757873D-ec9a-4326-a141-556f43239520", "urn:uuid:c757873d"}},
	"string":       {[]string{"a\tb\r\nc", " ä"}, []string{"a\x01", "a\x00b"}},
	"base64Binary": {[]string{"AAAA", "QQ==", "QUI=", "AA AA\nBB==", "+/+/"}, []string{"A", "AAA", "====", "A=AA", "AA$A", "AAAA="}},
	"markdown":     {[]string{"# a"}, []string{"a\x02"}},
	"canonical":    {[]string{"http://x|1#a"}, []string{"http://x |1"}},
	"url":          {[]string{"ftp://x"}, []string{"a b"}},
}

// Numbers are literals of JSON.
var numbers = map[string]struct{ good, bad []string }{
	"integer":     {[]string{"0", "-1", "2147483647", "-2147483648"}, []string{"1.0", "1e2", "2147483648", "-2147483649", `"1"`}},
	"unsignedInt": {[]string{"0", "1"}, []string{"-1", "1.5"}},
	"positiveInt": {[]string{"1"}, []string{"0", "-1"}},
	"decimal":     {[]string{"0", "1.50", "-1e-7", "12345678901234567890.123456789"}, []string{`"1.5"`, "true"}},
	"boolean":     {[]string{"true", "false"}, []string{`"true"`, "1"}},
}

func TestPrimitives(t *testing.T) {
	check := func(typ, literal string, valid bool) {
		t.Helper()
		data := `{"resourceType":"Basic","code":{"text":"a"},"extension":[{"url":"http://x","value` + strings.ToUpper(typ[:1]) + typ[1:] + `":` + literal + `}]}`
		if got := issues(t, data); (got == nil) != valid {
			t.Errorf("%s %s: %q", typ, literal, got)
		}
	}
	for typ, values := range primitives {
		for _, text := range values.good {
			check(typ, quoted(text), true)
		}
		for _, text := range append(values.bad, "") {
			check(typ, quoted(text), false)
		}
	}
	for typ, values := range numbers {
		for _, literal := range values.good {
			check(typ, literal, true)
		}
		for _, literal := range values.bad {
			check(typ, literal, false)
		}
	}
	check("uuid", `"urn:uuid:c757873d0ec9a-4326-a141-556f43239520"`, false)
	check("string", quoted(strings.Repeat("ä", 1<<20)), true)
	check("string", quoted(strings.Repeat("a", 1<<20+1)), false)
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// patterns are the regular expressions of R4, with the white space of base64 as intended.
var patterns = map[string]*regexp.Regexp{
	"date":         regexp.MustCompile(`^([0-9]([0-9]([0-9][1-9]|[1-9]0)|[1-9]00)|[1-9]000)(-(0[1-9]|1[0-2])(-(0[1-9]|[1-2][0-9]|3[0-1]))?)?$`),
	"dateTime":     regexp.MustCompile(`^([0-9]([0-9]([0-9][1-9]|[1-9]0)|[1-9]00)|[1-9]000)(-(0[1-9]|1[0-2])(-(0[1-9]|[1-2][0-9]|3[0-1])(T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?(Z|(\+|-)((0[0-9]|1[0-3]):[0-5][0-9]|14:00)))?)?)?$`),
	"time":         regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?$`),
	"id":           regexp.MustCompile(`^[A-Za-z0-9\-\.]{1,64}$`),
	"code":         regexp.MustCompile(`^[^\s]+(\s[^\s]+)*$`),
	"oid":          regexp.MustCompile(`^urn:oid:[0-2](\.(0|[1-9][0-9]*))+$`),
	"uuid":         regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"canonical":    regexp.MustCompile(`^\S+$`),
	"base64Binary": regexp.MustCompile(`^\s*(?:([0-9a-zA-Z+/]\s*){4})*([0-9a-zA-Z+/]\s*){2}(([0-9a-zA-Z+/]\s*){2}|[0-9a-zA-Z+/]\s*=\s*|=\s*=\s*)$`),
}

// TestPatterns checks that the accepted texts are those of the regular expressions of R4, except
// for days that do not exist. It tries texts similar to those that they describe.
func TestPatterns(t *testing.T) {
	near := map[string]string{
		"date": `[0-3]{4}(-[01][0-9](-[0-3][0-9])?)?T?`, "dateTime": `[0-3]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,2})?(Z|[+-][01][0-9]:[0-6][0-9])?)?`,
		"time": `[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{0,2})?)?`, "id": `[a-zA-Z0-9.-]{0,3}[a-z_ ]?`,
		"code": `[ a-b]{1,5}`, "oid": `urn:oid:[0-3](\.[0-9]{0,2}){0,3}`, "uuid": `urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-fA]{11,12}`,
		"canonical": `[a-c: ]{1,5}`, "base64Binary": `[AB+/ ]{0,9}[A= ]{0,3}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		typ := rapid.SampledFrom([]string{"date", "dateTime", "time", "id", "code", "oid", "uuid", "canonical", "base64Binary"}).Draw(rt, "type")
		text := rapid.StringMatching(near[typ]).Draw(rt, "text")
		if text == "" {
			return
		}
		data := `{"resourceType":"Basic","code":{"text":"a"},"extension":[{"url":"http://x","value` + strings.ToUpper(typ[:1]) + typ[1:] + `":` + quoted(text) + `}]}`
		got, want := issues(t, data) == nil, patterns[typ].MatchString(text)
		if got != want && (got || !strings.HasPrefix(typ, "date") || !noSuchDay(text)) {
			rt.Fatalf("%s %q: valid %v, want %v", typ, text, got, want)
		}
	})
}

func noSuchDay(text string) bool {
	return len(text) >= 10 && (text[5:10] == "02-29" || text[5:10] == "02-30" || text[8:10] == "31" || text[5:10] == "02-31")
}

func TestNarrative(t *testing.T) {
	refused := []string{"error invariant Patient.text.div"}
	for div, want := range map[string][]string{
		`<div xmlns="http://www.w3.org/1999/xhtml"><p class='a'>1 &lt; 2<br/><b>x</b></p></div>`: nil,
		`<div><!-- <script> --><![CDATA[<script>]]><?a <script> ?></div>`:                        nil,
		`<div><a href="http://x?a=1&amp;b=>" name = "y">z</a><img src="#a" alt=""/></div>`:       nil,
		`<div><table><tr><td colspan="2">ä</td></tr></table></div>`:                              nil,
		`<div><script>alert(1)</script></div>`:                                                   refused,
		`<div xmlns:AZ="u"><a href="javascript">a</a></div>`:                                     nil,
		`<div><a href="javascript:">a</a></div>`:                                                 refused,
		`<div><a href="VBscript:">a</a></div>`:                                                   refused,
		`<div><p class=aba>x</p></div>`:                                                          refused,
		`<div><SCRIPT/></div>`:                                                                   refused,
		`<div><iframe src="http://x"/></div>`:                                                    refused,
		`<div><p onclick="alert(1)">a</p></div>`:                                                 refused,
		`<div><p title="a>b" ONLOAD='x'>a</p></div>`:                                             refused,
		`<div><a href=" java	script:alert(1)">a</a></div>`:                                       refused,
		`<div><a href="&#106;avascript:alert(1)">a</a></div>`:                                    refused,
		`<div><a href=javascript:alert(1)>a</a></div>`:                                           refused,
		`<div><p>a</div>`:           refused,
		`<div>a<br>b</div>`:         refused,
		`<div>1 < 2</div>`:          refused,
		`<div> <p><br/></p> </div>`: refused,
		`<div><img src="a"/></div>`: nil,
		`<div><font>a</font></div>`: refused,
		`<div></p></div>`:           refused,
		`<div><p a>x</p></div>`:     refused,
		`<div><!-- </div>`:          refused,
		`<div><p ="a">x</p></div>`:  refused,
	} {
		got := issues(t, `{"resourceType":"Patient","text":{"status":"generated","div":`+quoted(div)+`}}`)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", div, got, want)
		}
	}
}

func FuzzNarrative(f *testing.F) {
	for _, seed := range []string{`<div><p a="b" on=x>a</p><br/></div>`, `<div><!--`, `<div a='`, `<div <`, `<div><![CDATA[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, div string) {
		issues(t, `{"resourceType":"Patient","text":{"status":"generated","div":`+quoted(div)+`}}`)
	})
}
