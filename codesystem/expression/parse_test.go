package expression_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/expression"
)

// TestParse reads each production of the compositional grammar 2.4, and composes the display.
func TestParse(t *testing.T) {
	if _, err := expression.Parse("100000:100001=100002" + strings.Repeat(",100001=(100002)", expression.MaxDepth+1)); err != nil {
		t.Errorf("wide, but not deep: %v", err)
	}
	for _, test := range []struct{ text, display string }{
		{"73211009", "73211009"},
		{"73211009 |Diabetes mellitus|", "Diabetes mellitus"},
		{"73211009|Diabetes mellitus|", "Diabetes mellitus"},
		{" 73211009 | Diabetes  mellitus | ", "Diabetes  mellitus"},
		{"=== 73211009", "73211009"},
		{"===73211009", "73211009"},
		{"<<< 73211009", "73211009"},
		{"\t===\r\n73211009\n", "73211009"},
		{"421720008 |Spray dose form| + 7946007 |Drug suspension|", "Spray dose form + Drug suspension"},
		{"421720008+7946007+7946008", "421720008 + 7946007 + 7946008"},
		{"83152002:405815000=122456005", "83152002 : 405815000 = 122456005"},
		{"83152002 |Oophorectomy|: 405815000 |Procedure device| = 122456005 |Laser device|", "Oophorectomy : Procedure device = Laser device"},
		{"71388002 : 405815000 = 122456005 , 260686004 = 129304002", "71388002 : 405815000 = 122456005, 260686004 = 129304002"},
		{"71388002:{260686004=129304002,405813007=15497006}", "71388002 : { 260686004 = 129304002, 405813007 = 15497006 }"},
		{"71388002:{260686004=129304002}{405813007=15497006}", "71388002 : { 260686004 = 129304002 }, { 405813007 = 15497006 }"},
		{"71388002:{260686004=129304002},{405813007=15497006}", "71388002 : { 260686004 = 129304002 }, { 405813007 = 15497006 }"},
		{"71388002:260686004=129304002,{405813007=15497006}", "71388002 : 260686004 = 129304002, { 405813007 = 15497006 }"},
		{"71388002:260686004=129304002{405813007=15497006}", "71388002 : 260686004 = 129304002, { 405813007 = 15497006 }"},
		{"373873005:411116001=(421720008+7946007)", "373873005 : 411116001 = ( 421720008 + 7946007 )"},
		{"397956004:363704007=(24136001:272741003=7771000)", "397956004 : 363704007 = ( 24136001 : 272741003 = 7771000 )"},
		{"397956004:363704007=(24136001:{272741003=(7771000:272741003=7771000)})", "397956004 : 363704007 = ( 24136001 : { 272741003 = ( 7771000 : 272741003 = 7771000 ) } )"},
		{"91143003:1142135004=#10", "91143003 : 1142135004 = 10"},
		{"91143003:1142135004=#-1.5", "91143003 : 1142135004 = -1.5"},
		{"91143003:1142135004=#+0.50", "91143003 : 1142135004 = 0.5"},
		{"91143003:1142135004=#0", "91143003 : 1142135004 = 0"},
		{`322236009:774158006="PANADOL"`, `322236009 : 774158006 = "PANADOL"`},
		{`322236009:774158006="a \"b\" \\ c"`, `322236009 : 774158006 = "a \"b\" \\ c"`},
		{"322236009:774158006=\"a\" , 859999008 = true ", `322236009 : 774158006 = "a", 859999008 = true`},
		{"91143003:1142135004= #10 , 859999008= false\t{ 859999008 = \"a\" } ", `91143003 : 1142135004 = 10, 859999008 = false, { 859999008 = "a" }`},
		{"318969005:859999008=true", "318969005 : 859999008 = true"},
		{"318969005:859999008=FALSE", "318969005 : 859999008 = false"},
		{"318969005 |Ein Präparat – ü| ", "Ein Präparat – ü"},
	} {
		e, err := expression.Parse(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := e.Display(true, func(string) string { return "" }); got != test.display {
			t.Errorf("%s: display %q, want %q", test.text, got, test.display)
		}
	}
}

// TestParseErrors has each error with its position.
func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("100000:100001=(", expression.MaxDepth+1)
	for _, test := range []struct {
		text   string
		offset int
		want   string
	}{
		{"", 0, "identifier"},
		{"  ", 2, "identifier"},
		{"diabetes", 0, "identifier"},
		{"===", 3, "identifier"},
		{"== 73211009", 0, "identifier"},
		{"<< 73211009", 0, "identifier"},
		{"012345678", 0, "leading zeros"},
		{"12345", 0, "6 to 18 digits"},
		{"1234567890123456789", 0, "6 to 18 digits"},
		{"73211009 73211009", 9, "refinement"},
		{"73211009 x", 9, "refinement"},
		{"73211009 |Diabetes", 9, "second |"},
		{"73211009 ||", 10, "term"},
		{"73211009 | |", 11, "term"},
		{"73211009 |\ta  b\tc|", 15, "white space"},
		{"73211009 +", 10, "identifier"},
		{"73211009 + + 73211009", 11, "identifier"},
		{"73211009:", 9, "identifier"},
		{"73211009:{", 10, "identifier"},
		{"73211009:{}", 10, "identifier"},
		{"73211009:405815000", 18, "="},
		{"73211009:405815000:122456005", 18, "="},
		{"73211009:405815000=", 19, "value"},
		{"73211009:405815000=laser", 19, "value"},
		{"73211009:405815000=tru", 19, "value"},
		{"73211009:405815000=122456005,", 29, "identifier"},
		{"73211009:{405815000=122456005", 29, ", or }"},
		{"73211009:{405815000=122456005 405815000=1}", 30, ", or }"},
		{"73211009:{405815000=122456005},405815000=122456005", 31, "{ after the comma"},
		{"73211009:{405815000=122456005}}", 30, "refinement"},
		{"73211009:405815000=(122456005", 29, ")"},
		{"73211009:405815000=()", 20, "identifier"},
		{"73211009:405815000=(=== 122456005)", 20, "identifier"},
		{"(73211009)", 0, "identifier"},
		{"73211009:405815000=#", 20, "number"},
		{"73211009:405815000=#x", 20, "number"},
		{"73211009:405815000=#01", 20, "leading zeros"},
		{"73211009:405815000=#1.", 22, "digits after"},
		{`73211009:405815000="`, 19, "quotation mark"},
		{`73211009:405815000="x`, 19, "quotation mark"},
		{`73211009:405815000=""`, 20, "not empty"},
		{`73211009:405815000="\n"`, 21, `after \`},
		{"73211009 |\x01|", 10, "UTF-8"},
		{"73211009 |\xff|", 10, "UTF-8"},
		{deep, len(deep) - 1, "levels deep"},
		{strings.Repeat("100000+", expression.MaxConcepts) + "100000", 7 * expression.MaxConcepts, "at most 500 concepts"},
		{strings.Repeat(" ", expression.MaxLength+1), expression.MaxLength, "bytes"},
	} {
		var syntax *expression.SyntaxError
		if _, err := expression.Parse(test.text); !errors.As(err, &syntax) {
			t.Errorf("%.60s: no syntax error: %v", test.text, err)
		} else if syntax.Offset != test.offset || !strings.Contains(syntax.Want, test.want) {
			t.Errorf("%.60s: %d %q, want %d %q", test.text, syntax.Offset, syntax.Want, test.offset, test.want)
		}
		if syntax != nil && strings.Contains(syntax.Error(), "at its end") != (syntax.Offset == len(test.text)) {
			t.Errorf("%.40q: %v", test.text, syntax)
		}
	}
}

// TestNear cuts what an error quotes after at most 24 bytes, between characters, and tells what may be
// an expression.
func TestNear(t *testing.T) {
	for begin, near := range map[string]int{"123456789012345678901234": 24, "aaa": 24, "aa": 23, "a": 22, "": 24, "\x80\x80\x80": 0} {
		text := begin + strings.Repeat("€", 9)
		if near == 0 {
			text = strings.Repeat(begin, 10)
		}
		var syntax *expression.SyntaxError
		if _, err := expression.Parse(text); !errors.As(err, &syntax) || syntax.Near != text[:near]+"…" {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]bool{" ": false, "1": false, " 1": true, "a1": false, "===": true, "\n<<<1": true, "1+1": true} {
		if expression.Composed(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

// FuzzParse: an error has a position within the text, and what Parse reads Composed recognises.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"=== 73211009 |x| + 404684003 : 405815000 = ( 122456005 : { 260686004 = #-1.5 } ), { 405813007 = \"a\\\"\" , 405814001 = true }",
		"<<<73211009", "73211009:405815000=", "73211009:{405815000=#0.10}{405815000=FALSE}",
	} {
		f.Add(seed)
	}
	none := func(string) string { return "" }
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expression.Parse(text)
		if err != nil {
			var syntax *expression.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if !expression.Composed(text) && len(strings.Trim(text, "0123456789")) > 0 {
			t.Fatalf("%q is not recognised", text)
		}
		e.Display(true, none)
	})
}
