package fhirxml_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/sharedtest"
)

// lost are the numbers of examples that HAPI 8.8.0 changes, by what it changes.
var lost = map[string]int{
	"extensions of Timing.event without values": 9,
	"white space in base64":                     2,
	"a decimal with an exponent":                1,
}

// TestHAPI compares the XML of the examples of R4 with that of HAPI's parsers, which none of us
// wrote, and the JSON of HAPI's XML with the examples. It needs Java and the libraries that
// ../shared/conformance/validator/run keeps.
func TestHAPI(t *testing.T) {
	var lines [][]byte
	for _, name := range []string{"examples", "conceptmaps", "other-definitions"} {
		lines = slices.AppendSeq(lines, sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/"+name+".ndjson.gz")))
	}
	theirs := convertedByHAPI(t, lines)
	if len(theirs) != len(lines) {
		t.Fatalf("%d answers for %d resources", len(theirs), len(lines))
	}
	c, changed := codec(), map[string]int{}
	for i, line := range lines {
		markup, err := base64.StdEncoding.DecodeString(theirs[i])
		if err != nil {
			t.Errorf("line %d: HAPI cannot read it: %s", i+1, theirs[i])
			continue
		}
		ours, err := c.AppendXML(t.Context(), nil, line, fhirxml.Compact)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		same := slices.Equal(canonical(t, ours), canonical(t, markup))
		back, err := c.AppendJSON(t.Context(), nil, markup)
		if err != nil {
			t.Errorf("line %d: HAPI's XML: %v", i+1, err)
			continue
		}
		switch d := changeByHAPI(difference("", withoutNarratives(tree(t, line)), withoutNarratives(tree(t, back)))); {
		case lost[d] > 0:
			changed[d]++
		case d != "":
			t.Errorf("line %d: %s", i+1, d)
		case !same:
			t.Errorf("line %d: the XML differs\n%s\n%s", i+1, ours, markup)
		}
	}
	if fmt.Sprint(changed) != fmt.Sprint(lost) {
		t.Errorf("HAPI changes %v, expected %v", changed, lost)
	}
}

// changeByHAPI returns what HAPI changed, or the difference itself if it is another.
func changeByHAPI(difference string) string {
	switch {
	case strings.Contains(difference, ".timingTiming._event:"):
		return "extensions of Timing.event without values"
	case strings.Contains(difference, ".data:") && strings.Contains(difference, " "):
		return "white space in base64"
	case strings.Contains(difference, `"1e-22" became "0.0000000000000000000001"`):
		return "a decimal with an exponent"
	}
	return difference
}

// withoutNarratives empties the narratives in a tree. They are compared as XML, because HAPI changes
// their white space.
func withoutNarratives(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, is := v["div"].(string); is {
			v["div"] = ""
		}
		for _, member := range v {
			withoutNarratives(member)
		}
	case []any:
		for _, item := range v {
			withoutNarratives(item)
		}
	}
	return v
}

// convertedByHAPI returns the XML of each resource as base64.
func convertedByHAPI(t *testing.T, lines [][]byte) []string {
	t.Helper()
	run := sharedtest.Java(t, filepath.Join("testdata", "Convert.java"))
	run.Stdin = bytes.NewReader(append(bytes.Join(lines, []byte("\n")), '\n'))
	var out, problems bytes.Buffer
	run.Stdout, run.Stderr = &out, &problems
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	// Libraries may write notes before the answers.
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	return slices.DeleteFunc(answers, func(line string) bool { return strings.Contains(line, " ") })
}

// canonical returns the tokens of XML without white space between elements, comments and prefixes,
// and with attributes in order.
func canonical(t *testing.T, markup []byte) []string {
	t.Helper()
	in := xml.NewDecoder(bytes.NewReader(markup))
	var list []string
	var text strings.Builder
	flush := func() {
		if words := strings.Join(strings.Fields(text.String()), " "); words != "" {
			list = append(list, words)
		}
		text.Reset()
	}
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %.200s", err, markup)
		}
		switch token := token.(type) {
		case xml.StartElement:
			flush()
			var attributes []string
			for _, a := range token.Attr {
				if a.Name.Local != "xmlns" && a.Name.Space != "xmlns" {
					attributes = append(attributes, fmt.Sprintf("%s %s=%q", a.Name.Space, a.Name.Local, a.Value))
				}
			}
			slices.Sort(attributes)
			list = append(list, fmt.Sprintf("<%s %s %v", token.Name.Space, token.Name.Local, attributes))
		case xml.EndElement:
			flush()
			list = append(list, ">")
		case xml.CharData:
			text.Write(token)
		}
	}
}
