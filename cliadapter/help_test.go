package cliadapter

import (
	"strings"
	"testing"
)

// TestHelpRepeatsNothing: no paragraph of the help of any command, and no text about a flag, has the
// same sentence twice.
func TestHelpRepeatsNothing(t *testing.T) {
	texts := 0
	for _, line := range helpLines() {
		_, help, _ := run(t, &absent{}, nil, strings.Fields(line)...)
		for _, text := range helpTexts(help) {
			texts++
			if twice := repeated(text); twice != "" {
				t.Errorf("roget %s repeats %q in:\n%s", line, twice, text)
			}
		}
	}
	if texts < 1000 {
		t.Errorf("found %d texts", texts)
	}
}

// helpTexts returns the texts of a page of help, each on one line: its paragraphs, and what it says about
// each flag, argument and command.
func helpTexts(page string) (texts []string) {
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		entry := strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ")
		switch {
		case text == "":
			texts = append(texts, "")
		case entry || len(texts) == 0:
			texts = append(texts, text)
		default:
			texts[len(texts)-1] += " " + text
		}
	}
	return texts
}

// repeated returns a sentence that a text has twice, "" if there is none.
func repeated(text string) string {
	seen := map[string]bool{}
	for sentence := range strings.SplitSeq(text, ". ") {
		sentence = strings.TrimSuffix(strings.TrimSpace(sentence), ".")
		if strings.Contains(sentence, " ") && seen[sentence] { // a word alone is no sentence
			return sentence
		}
		seen[sentence] = true
	}
	return ""
}

func TestRepeated(t *testing.T) {
	for text, want := range map[string]string{
		"--role ROLE  Role for the policy. May be repeated. May be repeated.": "May be repeated",
		"It is so. It is not. It is so.":                                      "It is so",
		"It is so. It is not.":                                                "",
		"":                                                                    "",
	} {
		if got := repeated(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
