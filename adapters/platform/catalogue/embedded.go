package catalogue

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem/packed"
)

//go:generate go run ./gen

// embeddedFile is embedded.txt, packed.
//
//go:embed embedded.txt.lzma
var embeddedFile string

var embedded = sync.OnceValue(func() string {
	text, err := packed.Text(embeddedFile)
	if err != nil {
		panic(err) // the file is part of the program, and a test unpacks it
	}
	return string(text)
})

// Embedded returns the embedded catalogue of a view for a major such as 42: types with their endpoints,
// and the fields of some. Platform toolkit, section 4.3.
func Embedded(major int, source Source) *Catalogue {
	c := &Catalogue{Version: fmt.Sprintf("v%d", major), RawVersion: fmt.Sprintf("2.%d", major), Source: source}
	groups := map[string][]Field{}
	section, group := "", "" // of the current line
	for line := range strings.Lines(embedded()) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		first, rest, _ := strings.Cut(strings.TrimPrefix(line, " "), " ")
		first, has := forMajor(first, major)
		switch {
		case line[0] != ' ':
			words := strings.Fields(rest)
			section, group = first, ""
			switch {
			case !has:
				section = ""
			case section == "group":
				group = words[0]
			case section == string(source):
				c.Types = append(c.Types, declared(words, source))
			}
		case section == "names" && source == Schemas:
			for _, word := range strings.Fields(line) {
				c.Types = append(c.Types, nameOnly(word))
			}
		case !has:
		case group != "":
			groups[group] = append(groups[group], field(first, rest, Schemas))
		case section == string(source):
			t := &c.Types[len(c.Types)-1]
			if name, ok := strings.CutPrefix(first, "*"); ok {
				t.Fields = append(t.Fields, groups[name]...)
			} else {
				t.Fields = append(t.Fields, field(first, rest, source))
			}
		}
	}
	c.Types, _ = normalise(c.Types) // the embedded file is far below the limits
	return c
}

// forMajor cuts the list of majors from the end of a word, and reports whether it includes a major.
func forMajor(word string, major int) (string, bool) {
	word, majors, some := strings.Cut(word, "@")
	if !some {
		return word, true
	}
	bound, _ := strconv.Atoi(strings.Trim(majors, "+-"))
	return word, major == bound || major > bound && strings.HasSuffix(majors, "+") || major < bound && strings.HasPrefix(majors, "-")
}

// declared returns the type of a declaration: name, plural, endpoint and optionally singular.
func declared(words []string, source Source) Type {
	t := Type{Name: words[0], Endpoint: words[2], Metadata: source == Schemas}
	if words[1] != "-" {
		t.Plural = words[1]
	}
	if len(words) > 3 {
		t.Singular = words[3]
	}
	return t
}

// nameOnly returns a type without fields.
func nameOnly(word string) Type {
	name, plural, irregular := strings.Cut(word, "=")
	if !irregular {
		plural = strings.ToLower(name[:1]) + name[1:]
		if stem, y := strings.CutSuffix(plural, "y"); y {
			plural = stem + "ies"
		} else {
			plural += "s"
		}
	}
	return Type{Name: name, Plural: plural, Endpoint: "/api/" + plural, Metadata: true}
}

func field(name, rest string, source Source) Field {
	name, required := strings.CutSuffix(name, "!")
	typ, description, _ := strings.Cut(rest, " # ")
	if source == OpenAPI && !required {
		typ += orNone
	}
	return Field{Name: name, Type: typ, Required: required, Description: described(description)}
}

// detailed returns the catalogue without the types whose fields are unknown.
func (c *Catalogue) detailed() *Catalogue {
	some := *c
	some.Types = nil
	for _, t := range c.Types {
		if t.Fields != nil {
			some.Types = append(some.Types, t)
		}
	}
	return &some
}
