package r4_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

func ExampleCheck() {
	err := r4.Check([]byte(`{"resourceType":"Patient","id":"a","id":"b"}`), r4.DefaultLimits())
	fmt.Println(err)
	// Output: line 1, column 40: id: the name occurs twice in one object
}

func ExampleDecodeValueSet() {
	v, err := r4.DecodeValueSet([]byte(`{"resourceType":"ValueSet","url":"http://example.org/vs",
	  "compose":{"include":[{"system":"http://example.org/cs","filter":[{"property":"concept","op":"is-a","value":"a"}]}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.URL, v.Compose.Include[0].Filter)

	_, err = r4.DecodeValueSet([]byte(`{"resourceType":"ValueSet","compose":{"include":[{"system":7}]}}`))
	var syntax *r4.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax.Expression, "-", syntax.Msg)
	}
	// Output:
	// http://example.org/vs [{concept is-a a}]
	// ValueSet.compose.include[0].system - expected a string, found a number
}

func ExampleSplitCanonical() {
	url, version, fragment, err := r4.SplitCanonical("http://example.org/vs|2.0#part")
	fmt.Println(url, version, fragment, err)
	_, _, _, err = r4.SplitCanonical("http://example.org/vs|1|2")
	fmt.Println(err)
	// Output:
	// http://example.org/vs 2.0 part <nil>
	// malformed canonical "http://example.org/vs|1|2": more than one |
}

func ExampleParametersWriter() {
	w := r4.NewParametersWriter(nil)
	w.Boolean("result", true)
	w.Begin("match")
	w.Code("equivalence", "equal")
	w.End()
	fmt.Printf("%s\n", w.Finish())
	// Output: {"resourceType":"Parameters","parameter":[{"name":"result","valueBoolean":true},{"name":"match","part":[{"name":"equivalence","valueCode":"equal"}]}]}
}

func ExampleScanner() {
	var s r4.Scanner
	s.Reset(strings.NewReader(`{"concept":[{"code":"a"},{"code":"b","display":"B"}]}`), r4.Limits{})
	if s.Object() {
		for s.Member() {
			if string(s.Name()) != "concept" || !s.Array() {
				s.Skip()
				continue
			}
			for s.Element() && s.Object() {
				for s.Member() {
					fmt.Printf("%s = %s\n", s.Expression(), s.Text())
				}
			}
		}
	}
	fmt.Println(s.End())
	// Output:
	// concept[0].code = a
	// concept[1].code = b
	// concept[1].display = B
	// <nil>
}

func ExampleDecimal() {
	a, _ := r4.ParseDecimal("1.50")
	b, _ := r4.ParseDecimal("1.5")
	fmt.Println(a, b, a.Cmp(b))
	// Output: 1.50 1.5 0
}
