// Package expressiontest has a small edition of SNOMED CT for tests of expressions.
package expressiontest

import (
	"context"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// concepts are an edition in its necessary normal form, one a line: a name, the code, parents, and
// attributes in groups; = defines the concept. The first group is of attributes without one.
const concepts = `
root 138875005
attribute 410662002 root
objectAttribute 762705008 attribute
dataAttribute 762706009 attribute
site 363698007 objectAttribute
directSite 405813007 site
morphology 116676008 objectAttribute
agent 246075003 objectAttribute
severity 246112005 objectAttribute
laterality 272741003 objectAttribute
ingredient 127489000 objectAttribute
strength 1142135004 dataAttribute
trade 774158006 dataAttribute
sugarfree 859999008 dataAttribute
refset 900000000000455006 root
finding 404684003 root
disorder 64572001 finding
structure 123037004 root
lung 39607008 structure
leftLung 44029006 lung | laterality left
upperLobe 45653009 lung
bronchus 955009 structure
femur 71341001 structure
neck 29627003 femur
abnormality 49755003 root
inflammation 409774005 abnormality
granuloma 45647009 inflammation
fracture 72704001 abnormality
closedFracture 20946005 fracture
qualifier 362981000 root
left 7771000 qualifier
right 24028007 qualifier
severe 24484000 qualifier
mild 255604002 qualifier
organism 410607006 root
bacterium 409822003 organism
streptococcus 58800005 bacterium
lungDisorder = 19829001 disorder | | site lung
infection = 40733004 disorder | | agent organism
bacterial = 87628006 infection | | agent bacterium
pneumonitis = 205237003 lungDisorder | | site lung, morphology inflammation
infectivePneumonia = 312342009 pneumonitis infection | | site lung, morphology inflammation | agent organism
bacterialPneumonia = 53084003 infectivePneumonia bacterial | | site lung, morphology inflammation | agent bacterium
fractureOfFemur = 71620000 disorder | | site femur, morphology fracture
fractureOfNeck = 5913000 fractureOfFemur | | site neck, morphology fracture
asthma 195967001 lungDisorder | | site lung
oldAsthma ! 155574008
product 373873005 root
substance 105590001 root
aspirin 387458008 substance
caffeine 255641001 substance
withAspirin = 7947003 product | | ingredient aspirin
aspirin300 = 322236009 withAspirin | strength #300 | ingredient aspirin
`

// Codes returns the codes of the concepts by their names.
func Codes() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(concepts)) {
		f := strings.Fields(line)
		if codes[f[0]] = f[1]; len(f[1]) == 1 {
			codes[f[0]] = f[2]
		}
	}
	return codes
}

// Write replaces the names of concepts in a text by their codes.
func Write(text string) string {
	codes := Codes()
	var out strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') })
		if n < 0 {
			n = len(text)
		}
		word := text[:max(n, 1)]
		if code, ok := codes[word]; ok {
			word = code
		}
		out.WriteString(word)
		text = text[max(n, 1):]
	}
	return out.String()
}

// Edition returns the edition. The simple reference set refset has one member, asthma.
func Edition(t testing.TB) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", URL: "http://snomed.info/sct", Version: "http://snomed.info/sct/900000000000207008/version/20260101", Name: "SNOMED_CT", Status: "active", Language: "en"},
		Content: "complete", Compositional: true,
		Property: []r4.CodeSystemProperty{{Code: "inactive", Type: "boolean"}, {Code: "sufficientlyDefined", Type: "boolean"}},
	})
	codes := Codes()
	for line := range strings.Lines(strings.TrimSpace(concepts)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		f := strings.Fields(parts[0])
		c := codesystem.Concept{Display: f[0], Parent: -1}
		add := func(name string, v r4.Value, group int) {
			c.Properties = append(c.Properties, codesystem.Property{Code: name, Value: v, Group: group})
		}
		add("sufficientlyDefined", r4.Boolean(f[1] == "="), 0)
		if f[1] == "!" {
			add("inactive", r4.Boolean(true), 0)
		}
		if f[1] == "=" || f[1] == "!" {
			f = f[1:]
		}
		c.Code = f[1]
		for _, up := range f[2:] {
			add("parent", r4.Code(codes[up]), 0)
		}
		for group, list := range parts[1:] {
			for one := range strings.SplitSeq(list, ",") {
				name, value, ok := strings.Cut(strings.TrimSpace(one), " ")
				if number, is := strings.CutPrefix(value, "#"); is {
					add(codes[name], r4.Value{Type: "Decimal", Text: number}, group)
				} else if ok {
					add(codes[name], r4.Code(codes[value]), group)
				}
			}
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddRefset(codes["refset"], nil); err != nil {
		t.Fatal(err)
	}
	if err := b.AddMember(&codesystem.RefsetMember{Refset: codes["refset"], Component: codes["asthma"], Active: true}); err != nil {
		t.Fatal(err)
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}
