package ecl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
)

// TestAdmits judges listed concepts as if they were expressions: by their place and relationships the result
// is that of looking them up, unless the constraint names them.
func TestAdmits(t *testing.T) {
	x := expressiontest.Edition(t)
	m, err := expression.NewModel(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for name := range expressiontest.Codes() {
		for _, op := range []string{"", "<", "<<", "<!", "<<!", ">", ">>"} {
			texts = append(texts, op+" "+name)
		}
		texts = append(texts, "< disorder : site = "+name, "* : [0..0] site = << "+name, "* : {site = "+name+", morphology = *}", "* : { site != "+name+"} OR morphology = << "+name, name+" . site",
			"< disorder MINUS << "+name, "< disorder OR < "+name, "* : "+name+" = *", "!!< (< "+name+")", "!!> (<< "+name+")", "* : [1..2] site = < "+name, "* : [2..3] {<< "+name+" = *}")
	}
	texts = append(texts, "^ refset", "* : R site = *", "* : [0..0] R site = *", "* : strength = #300", "* : strength > #300", "* : strength != #12", "* {{ C active = 1 }}", "* {{ C active = 0 }}",
		"* {{ C definitionStatus = defined }}", "* {{ C definitionStatus != defined }}", "(< disorder) {{ + HISTORY }}", `* {{ C effectiveTime = "" }}`, `* {{ term = "a" }}`, "!!< *", ">! (< disorder)", "* : 116680003 = disorder", "* : {116680003 = disorder, site = *}")
	for _, text := range texts {
		e, err := Parse(expressiontest.Write(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(x, e)
		if err != nil {
			t.Fatal(err)
		}
		for o := range codesystem.Ord(x.Len()) {
			want, err := p.Contains(t.Context(), o)
			c := pose(x, m.Of(o))
			got, failed := admits(t.Context(), p.root, c)
			switch {
			case strings.Contains(text, x.Display(o)), x.Inactive(o), strings.HasPrefix(text, "!!<") && !got:
				continue
			case strings.Contains(text, "definitionStatus"): // what means a concept is defined
				want = !strings.Contains(text, "!=")
			case strings.Contains(text, " . "), strings.Contains(text, "^"), strings.Contains(text, " R "): // of listed concepts
				want = strings.Contains(text, "[0")
			}
			if err != nil || failed != nil && !errors.Is(failed, ErrUndecided) || failed == nil && got != want {
				t.Errorf("%s in %s: %v, %v; listed: %v, %v", x.Display(o), text, got, failed, want, err)
			}
			stopped := contexttest.After(t.Context(), 1)
			if _, err := admits(stopped, p.root, c); stopped.Seen() && err == nil {
				t.Fatalf("%s in %s, stopped: no error", x.Display(o), text)
			}
		}
	}
	// An expression that is below a listed concept, and above none.
	e, err := expression.Parse(expressiontest.Write("fractureOfFemur : laterality = left"))
	if err != nil {
		t.Fatal(err)
	}
	below, err := m.Bind(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"!!> (* : site = femur)": false, "!!< (* : site = femur)": true, "!!> (* : laterality = left)": true, "!!< (* : laterality = left)": true,
		"!!< (< disorder)": true, "!!> disorder": false, "< fractureOfFemur": true, "<! fractureOfFemur": true, "<! disorder": false, "> fractureOfFemur": false,
		"* : site = (disorder . site) OR laterality = (* . laterality)": true, "* : {site = (* . site) OR laterality != (* . laterality)}": true, "* : R site = (* . site)": false,
		"(* : laterality = (* . laterality)) MINUS (< disorder : site = (* . site))": false, "(* {{ C definitionStatusId = (* . site) }}) {{ + HISTORY }}": false, "> (* . site)": false,
		"* : [2..2] << (* . site) != *": false, "* : {[0..0] 116680003 = (* . site)}": true,
		"* : {site = femur, laterality = left}": false, "* : {site = femur}, {laterality = left}": true, "* : [2..2] {* = *}": true, "* : [3..3] {* = *}": false,
	} {
		c, err := Parse(expressiontest.Write(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(x, c)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Admits(t.Context(), below); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		for looks, seen := 0, true; seen; looks++ {
			if p, err = Compile(x, c); err != nil {
				t.Fatal(err)
			}
			stopped := contexttest.After(t.Context(), looks)
			_, err := p.Admits(stopped, below)
			if seen = stopped.Seen(); seen != errors.Is(err, context.Canceled) {
				t.Fatalf("%s, stopped at look %d: %v", text, looks, err)
			}
		}
	}
}
