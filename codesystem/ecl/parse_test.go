package ecl

import (
	"errors"
	"strings"
	"testing"
)

// TestSyntaxErrors looks at where errors are and what they ask for.
func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   string
	}{
		{"", 0, "expected a concept"},
		{"12345", 0, "6 to 18 digits"},
		{"012345", 0, "6 to 18 digits"},
		{"1234567890123456789", 0, "6 to 18 digits"},
		{"100001 100002", 7, "expected an operator"},
		{"100001 |term", 7, "expected | at the end"},
		{"100001 ||", 7, "expected a term"},
		{"(100001", 7, "expected )"},
		{"100001)", 6, "expected an operator"},
		{"100001 AND", 10, "expected a concept"},
		{"100001 AND100002", 7, "white space after the operator AND"},
		{"100001 AND 100002 OR 100003", 18, "AND beside OR"},
		{"100001 MINUS 100002 MINUS 100003", 20, "MINUS beside MINUS"},
		{"100001 AND 100002 : 100003 = *", 18, "expected brackets around the operands"},
		{"100001 OR 100002 . 100003", 17, "expected brackets around the operands"},
		{"100001 . 100002 AND 100003", 16, "expected brackets"},
		{"* : 100001 = *, 100002 = * OR 100003 = *", 27, "AND beside OR"},
		{"* : 100001", 10, "expected a comparison"},
		{"* : 100001 = ", 13, "expected a concept"},
		{"* : 100001 < 100002", 13, "only = and !="},
		{"* : 100001 = #x", 14, "expected a number"},
		{"* : 100001 = #007", 14, "without leading zeros"},
		{`* : 100001 = "`, 13, "quotation mark at the end"},
		{`* : 100001 = "\n"`, 14, `one of " \ after`},
		{`* : 100001 >= "20200101"`, 14, "expected a concept, #number"},
		{"* : R 100001 = #5", 15, "reversed"},
		{"* : { 100001 = * ", 17, "expected }"},
		{"* : { { 100001 = * } }", 6, "a group cannot contain groups"},
		{"* : [2..1] 100001 = *", 5, "not above"},
		{"* : [1.2] 100001 = *", 6, "expected .."},
		{"* : [1..99999999999] 100001 = *", 8, "up to"},
		{"* : 100001 = * MINUS 100002", 4, "AND or OR between refinements"},
		{"* {{ foo = 1 }}", 5, "expected a filter of descriptions"},
		{"* {{ = 1 }}", 5, "expected a filter of descriptions"},
		{"* {{ term = x\"y\" }}", 12, "expected a search term"},
		{"* {{ term = x(y) }}", 12, "expected a search term"},
		{"* : (100001) {{ C moduleId = (1", 11, "expected a comparison"},
		{"* : (100001) not", 16, "expected a comparison"},
		{"* {{ C term = \"x\" }}", 7, "expected a filter of concepts"},
		{"* {{ term = x }}", 12, "expected a search term"},
		{"* {{ term < \"x\" }}", 10, "expected = or !="},
		{"* {{ term = \" \" }}", 12, "with a word"},
		{"* {{ term = (\"a\"\"b\") }}", 16, "white space between the elements"},
		{"* {{ term = (\"a\"", 16, "expected ) at the end of the set"},
		{"* {{ term = wild:\"\" }}", 17, "one character or more"},
		{"* {{ language = eng }}", 16, "two letters"},
		{"* {{ type = foo }}", 12, "expected syn, fsn or def"},
		{"* {{ dialect = 1 }}", 15, "alias of a dialect"},
		{"* {{ dialect = en-us (x) }}", 22, "expected prefer, accept"},
		{"* {{ C effectiveTime = \"2020\" }}", 23, "YYYYMMDD"},
		{"* {{ C effectiveTime = \"20201301\" }}", 23, "YYYYMMDD"},
		{"* {{ C active = 2 }}", 16, "expected 1, true"},
		{"* {{ C active = 1 }", 18, "expected }}"},
		{"* {{ M active = 1 }}", 7, "expected member-of (^)"},
		{"* {{ + HISTORY }} {{ C active = 1 }}", 18, "expected brackets"},
		{"* {{ + HISTORY-FOO }}", 15, "expected MIN, MOD or MAX"},
		{"* {{ + OTHER }}", 7, "expected HISTORY"},
		{"^ [1] 100001", 3, "expected the name of a reference set field"},
		{"^ [a b] 100001", 5, "expected ]"},
		{"childOf100001", 7, "expected white space after childof"},
		{"100001 /* x", 7, "expected */"},
		{"foo", 0, "expected a concept"},
		{"< A00.0", 2, `a code that is not a SNOMED CT identifier is written code#"A00.0"`},
		{"< A00.0 OR *", 2, `code#"A00.0"`},
		{"<< M/E", 3, `code#"M/E"`},
		{"<< HP:0000118 : x", 3, `code#"HP:0000118"`},
		{"< 4548-4", 2, `any other code is written code#"4548-4"`},
		{"< 104548-4", 2, `code#"104548-4"`},
		{"* : (100001 |a = *)", 12, "|"},
		{"* : (100001 /*) = *", 12, "*/"},
		{`* : (100001 |)| /* ) */ = "\")" OR * = *) 1`, 42, "expected an operator"},
		{"* {{ term = \"a\x1f\" }}", 14, "control"},
		{"* {{ term = \"\x7f\" }}", 13, "control"},
		{`"foo"`, 0, "alternate identifier"},
		{"foo#", 4, "expected the code"},
		{"100001 \xff", 7, "UTF-8"},
		{strings.Repeat("(", MaxDepth+1) + "*", MaxDepth, "nest deeper"},
		{strings.Repeat("a", MaxLength+1), MaxLength, "too long"},
	} {
		_, err := Parse(c.text)
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("%.40q: %v", c.text, err)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(e.Want, c.want) {
			t.Errorf("%.40q: at %d %q, want at %d %q", c.text, e.Offset, e.Want, c.offset, c.want)
		}
		if !strings.Contains(e.Error(), e.Want) {
			t.Errorf("%.40q: the message is %q", c.text, e.Error())
		}
	}
}

// TestClosing looks for the ends of brackets and of filters.
func TestClosing(t *testing.T) {
	for _, c := range []struct {
		text          string
		bracket, both int
	}{
		{"()x}}", 2, 5},
		{"(())}}", 4, 6},
		{"(()}}", -1, -1},
		{`(")\")")}}`, 8, 10},
		{`("`, -1, -1},
		{`(")\`, -1, -1},
		{"(|)|)}}", 5, 7},
		{"(|)}}", -1, -1},
		{"(||)|}}|x}}", 4, 11},
		{"(/*)*/)}}", 7, 9},
		{"(/**/)}}", 6, 8},
		{"(/)}}", 3, 5},
		{"(/*)}}", -1, -1},
		{`()"}}\"}}"|}}|}`, 2, -1},
		{"()|}}", 2, -1},
		{"()", 2, -1},
	} {
		if got := closing(c.text, 0); got != c.bracket {
			t.Errorf("%q: the bracket ends at %d, want %d", c.text, got, c.bracket)
		}
		if got := closingBraces(c.text, 0); got != c.both {
			t.Errorf("%q: the braces end at %d, want %d", c.text, got, c.both)
		}
	}
}

// TestNearby cuts texts between characters, and bytes that are no text.
func TestNearby(t *testing.T) {
	whole, cut := strings.Repeat("ö", 12), strings.Repeat("\x80", 30)
	for text, want := range map[string]string{whole: whole, whole + "x": whole + "…", "x" + whole: ("x" + whole)[:23] + "…", cut: "…"} {
		if near := nearby("a"+text, 1); near != want {
			t.Errorf("%q: near %q", text, near)
		}
	}
}

// TestDeepText parses texts that would be slow if anything were tried twice.
func TestDeepText(t *testing.T) {
	deep := "100001 = *"
	for range 30 {
		deep = "((( (* : (" + deep + ")))) = *)"
	}
	_, err := Parse("* : " + deep)
	if err == nil {
		t.Fatal("deeper than allowed, and no error")
	}
	wide := strings.Repeat("100001 OR ", 20_000) + "100002"
	if _, err := Parse(wide); err != nil {
		t.Fatal(err)
	}
}

// FuzzParse looks for panics and for texts whose canonical form is not stable.
func FuzzParse(f *testing.F) {
	for _, p := range productions {
		for _, c := range p.cases {
			f.Add(c[0])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		once := e.String()
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q: its form %q: %v", text, once, err)
		}
		if twice := again.String(); twice != once {
			t.Fatalf("%q: %q, then %q", text, once, twice)
		}
	})
}
