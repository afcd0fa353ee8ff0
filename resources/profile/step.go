package profile

import (
	"fmt"
	"strings"
)

// A step is a part of the path of a discriminator, in the restricted FHIRPath that R4 allows there:
// $this, elements, extension('url'), resolve(), ofType(T).
type step struct{ kind, name string }

const (
	stepChild     = "child"
	stepExtension = "extension"
	stepResolve   = "resolve"
	stepType      = "ofType"
)

// parseSteps parses the path of a discriminator.
func parseSteps(path string) ([]step, error) {
	var list []step
	for rest := path; rest != ""; {
		var word string
		end := strings.IndexAny(rest, ".(")
		if end < 0 {
			end = len(rest)
		}
		word, rest = rest[:end], rest[end:]
		argument, function := "", false
		if strings.HasPrefix(rest, "(") {
			closing := strings.IndexByte(rest, ')')
			if closing < 0 {
				return nil, fmt.Errorf("a bracket of the path %.100q is not closed", path)
			}
			argument, rest, function = strings.TrimSpace(rest[1:closing]), rest[closing+1:], true
		}
		if rest != "" {
			if rest[0] != '.' || len(rest) == 1 {
				return nil, fmt.Errorf("the path %.100q is not one of a discriminator", path)
			}
			rest = rest[1:]
		}
		switch {
		case function && word == "extension" && len(argument) > 2:
			list = append(list, step{stepExtension, strings.Trim(argument, `'"`)})
		case function && word == "resolve" && argument == "":
			list = append(list, step{stepResolve, ""})
		case function && (word == "ofType" || word == "as") && argument != "":
			list = append(list, step{stepType, argument})
		case function || word == "":
			return nil, fmt.Errorf("the path %.100q has a function that discriminators do not have", path)
		case word != "$this":
			list = append(list, step{stepChild, word})
		}
	}
	return list, nil
}
