package loader

import (
	"strings"
	"unicode"

	"github.com/roget-health/roget/resources/r4"
)

// Identity names a code system whose source does not, or overrides what the source says. An empty
// field keeps what the source says.
type Identity struct {
	URL, Version, Name, Title, Status, Date string
	Publisher, Description, Copyright       string
	// Language is the language of the displays, such as "en".
	Language string
}

// Header returns the header of a complete code system with an is-a hierarchy, for readers of
// formats that do not state these.
func Header() *r4.CodeSystem {
	sensitive := true
	h := &r4.CodeSystem{CaseSensitive: &sensitive, HierarchyMeaning: "is-a", Content: "complete"}
	h.ResourceType, h.Status = "CodeSystem", "active"
	return h
}

// Apply puts the identity into a header, and derives a missing name and id from the title or url
// (R4 CodeSystem.name is for computers).
func (id Identity) Apply(h *r4.CodeSystem) {
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&h.URL, id.URL},
		{&h.Version, id.Version},
		{&h.Name, id.Name},
		{&h.Title, id.Title},
		{&h.Status, id.Status},
		{&h.Date, id.Date},
		{&h.Publisher, id.Publisher},
		{&h.Description, id.Description},
		{&h.Copyright, id.Copyright},
		{&h.Language, id.Language},
	} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	last := h.URL[strings.LastIndexAny(h.URL, "/:#")+1:]
	if h.Name == "" {
		if h.Name = NameOf(h.Title); h.Name == "" {
			h.Name = NameOf(last)
		}
	}
	if h.ID == "" {
		h.ID = idOf(last)
	}
}

// NameOf derives a name for computers from a title: its words joined, each capitalized, with a
// leading N where the name would begin with a digit.
func NameOf(title string) string {
	var b strings.Builder
	start := true
	for _, c := range title {
		switch {
		case c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c):
			start = true
			continue
		case b.Len() == 0 && unicode.IsDigit(c):
			b.WriteByte('N')
		}
		if start {
			c = unicode.ToUpper(c)
		}
		start = false
		if b.Len() < 255 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// idOf derives a resource id from the last part of a url (R4 datatypes, id).
func idOf(text string) string {
	id := strings.Map(func(c rune) rune {
		switch {
		case c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) || c == '-' || c == '.':
			return c
		case c == '_':
			return '-'
		}
		return -1
	}, text)
	return id[:min(len(id), 64)]
}
