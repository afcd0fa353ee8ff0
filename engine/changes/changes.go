package changes

import "strings"

// A List is what is different between an old and a new state.
type List struct {
	Kind    string    `json:"kind"` // CodeSystem or ValueSet
	Old     string    `json:"old"`  // canonicals
	New     string    `json:"new"`
	Added   []Concept `json:"added"`
	Removed []Concept `json:"removed"`
	Changed []Changed `json:"changed"`
	// Unchanged is the number of codes of both that are the same.
	Unchanged int `json:"unchanged"`
}

// A Concept is a code with its display, of the new state if it is in both.
type Concept struct {
	System  string `json:"system,omitempty"` // in value sets
	Code    string `json:"code"`
	Display string `json:"display,omitempty"`
}

// A Changed is a code of both states, and what is different about it.
type Changed struct {
	Concept
	Fields []Field `json:"fields"`
}

// A Field is one thing that is different: code (its spelling, where case does not matter), display,
// status, abstract, definition (also the fully specified name), parents, or properties.
type Field struct {
	Name string `json:"field"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	// Removed and Added are codes of parents, or properties: property=value, and those of a group
	// together in braces.
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// Kind returns what the change is to the users of a code: moved, status, meaning, display, or other.
func (f *Field) Kind() string {
	switch f.Name {
	case "parents":
		return "moved"
	case "definition", "properties":
		return "meaning"
	case "display", "status":
		return f.Name
	}
	return "other"
}

// Sides returns the old and the new value as text. Values of a list are separated by |.
func (f *Field) Sides() (old, current string) {
	if len(f.Removed)+len(f.Added) > 0 {
		return strings.Join(f.Removed, "|"), strings.Join(f.Added, "|")
	}
	return f.Old, f.New
}

// Same reports whether nothing is different.
func (l *List) Same() bool { return len(l.Added)+len(l.Removed)+len(l.Changed) == 0 }

// newList returns a list without changes, whose arrays are not null in JSON.
func newList(kind, old, current string) *List {
	return &List{Kind: kind, Old: old, New: current, Added: []Concept{}, Removed: []Concept{}, Changed: []Changed{}}
}

// add adds a code of both states.
func (l *List) add(c Concept, fields []Field) {
	if len(fields) == 0 {
		l.Unchanged++
		return
	}
	l.Changed = append(l.Changed, Changed{c, fields})
}

// compared appends a field if its values differ.
func compared(fields []Field, name, old, current string) []Field {
	if old == current {
		return fields
	}
	return append(fields, Field{Name: name, Old: old, New: current})
}
