package main_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
)

var (
	fence      = regexp.MustCompile("(?ms)^ *```\\w*\n(.*?)^ *```")
	indented   = regexp.MustCompile(`(?m)^(?:    |\t).*$`)
	inline     = regexp.MustCompile("`((?:roget|go run \\.) [^`\n]+)`")
	assignment = regexp.MustCompile(`^[A-Z_]+=`)
)

// TestCommands checks that every command line in the documentation names an existing command, flags
// that it has, and values that they take. Recipes also show commands that they add, and are left
// out.
func TestCommands(t *testing.T) {
	program := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(),
		Getenv:     func(string) string { return "" },
		Platform:   cliadapter.Platform{Folder: t.TempDir(), Home: t.TempDir()},
	})
	checked := 0
	for _, page := range documents(t) {
		if strings.HasSuffix(page, "recipes.md") || page == "CHANGELOG.md" {
			continue
		}
		for _, words := range commandLines(readText(t, page)) {
			if slices.Contains(words, "COMMAND") || slices.Contains(words, "TYPE") {
				continue // any command, any type
			}
			checked++
			args := slices.Clone(words)
			if end := slices.Index(args, "--"); end >= 0 {
				args = args[:end]
			}
			if !slices.Contains(args, "--help") {
				args = append(args, "--help") // the whole line is read before the help is shown
			}
			var out, errs bytes.Buffer
			if code := program.Run(t.Context(), args, cliadapter.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 && !strings.Contains(errs.String(), "needs a value, but --help follows") {
				t.Errorf("%s: %s: %s", page, strings.Join(words, " "), errs.String())
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d command lines were checked", checked)
	}
}

// commandLines returns the arguments of roget in each command line of a page.
func commandLines(page string) [][]string {
	var code []string
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		code = append(code, m[1])
	}
	code = append(code, strings.Join(indented.FindAllString(fence.ReplaceAllString(page, ""), -1), "\n"))
	for _, m := range inline.FindAllStringSubmatch(page, -1) {
		code = append(code, m[1])
	}
	var found [][]string
	for _, block := range code {
		for text := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
			for _, words := range shellCommands(text) {
				for len(words) > 0 && (words[0] == "$" || assignment.MatchString(words[0])) {
					words = words[1:]
				}
				if len(words) > 3 && slices.Equal(words[:3], []string{"go", "run", "."}) {
					words = words[2:]
				}
				if len(words) > 1 && slices.Contains([]string{"roget", "./roget", "."}, words[0]) {
					found = append(found, words[1:])
				}
			}
		}
	}
	return found
}

// shellCommands splits a line of a shell into its commands, and these into words.
func shellCommands(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	quote, started := rune(0), false
	endWord := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	for _, c := range line + "\n" {
		switch {
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == '#' && !started:
			return append(commands, words)
		case c == ' ' || c == '\t' || c == '\n':
			endWord()
		case strings.ContainsRune("|&;<>()", c):
			endWord()
			commands, words = append(commands, words), nil
		default:
			word.WriteRune(c)
			started = true
		}
	}
	return append(commands, words)
}
