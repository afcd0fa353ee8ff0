package changes

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/engine/answer"
)

// Lines returns the list as text: removed codes after -, added ones after +, and each difference of a
// code of both after ~. The texts are as they are in their source.
func (l *List) Lines() []string {
	lines := []string{"--- " + l.Old, "+++ " + l.New}
	several := l.systems() > 1
	for _, c := range l.Removed {
		lines = append(lines, "- "+c.text(several))
	}
	for _, c := range l.Added {
		lines = append(lines, "+ "+c.text(several))
	}
	for _, c := range l.Changed {
		for _, f := range c.Fields {
			lines = append(lines, "~ "+c.name(several)+"  "+f.Name+": "+f.text())
		}
	}
	return lines
}

// Total counts the codes of the list.
func (l *List) Total() string {
	return fmt.Sprintf("%s removed, %s added, %s changed, %s unchanged", answer.Thousands(len(l.Removed)), answer.Thousands(len(l.Added)),
		answer.Thousands(len(l.Changed)), answer.Thousands(l.Unchanged))
}

// systems counts the code systems of the codes in the list.
func (l *List) systems() int {
	seen := map[string]bool{}
	for _, list := range [][]Concept{l.Removed, l.Added} {
		for _, c := range list {
			seen[c.System] = true
		}
	}
	for _, c := range l.Changed {
		seen[c.System] = true
	}
	return len(seen)
}

// name is the code, with its code system if there are several.
func (c Concept) name(several bool) string {
	if several {
		return c.System + "|" + c.Code
	}
	return c.Code
}

func (c Concept) text(several bool) string {
	return strings.TrimRight(c.name(several)+"  "+c.Display, " ")
}

func (f Field) text() string {
	if len(f.Removed)+len(f.Added) == 0 {
		return f.Old + " → " + f.New
	}
	var parts []string
	for _, code := range f.Removed {
		parts = append(parts, "-"+code)
	}
	for _, code := range f.Added {
		parts = append(parts, "+"+code)
	}
	return strings.Join(parts, " ")
}

// WriteCSV writes a row for each code that was removed or added, and for each difference of a code of
// both. Values of a list are separated by |.
func (l *List) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"change", "system", "code", "display", "field", "old", "new"}}
	for _, c := range l.Removed {
		rows = append(rows, []string{"removed", c.System, c.Code, c.Display, "", "", ""})
	}
	for _, c := range l.Added {
		rows = append(rows, []string{"added", c.System, c.Code, c.Display, "", "", ""})
	}
	for _, c := range l.Changed {
		for _, f := range c.Fields {
			old, current := f.Sides()
			rows = append(rows, []string{"changed", c.System, c.Code, c.Display, f.Name, old, current})
		}
	}
	return out.WriteAll(rows)
}
