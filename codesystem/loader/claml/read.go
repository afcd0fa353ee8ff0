package claml

import (
	"encoding/xml"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/markup"
)

// A classification is a document during reading.
type classification struct {
	uid, name, title, version, date, language string

	classes   []*class
	byCode    map[string]*class
	modifiers map[string]*modifier
}

// A class is a Class or a ModifierClass.
type class struct {
	code, kind, usage string
	line              int
	parents, children []string
	meta              []named
	labels            []label
	modified          []modification
	excluded          []string // modifiers
}

type named struct{ name, value string }

// label is a Label of a Rubric.
type label struct{ kind, language, text string }

// modification is a ModifiedBy.
type modification struct {
	modifier string
	valid    map[string]bool // classes of the modifier; empty: all
	line     int
}

// A modifier holds its classes in the order of the document.
type modifier struct {
	classes []*class
	byCode  map[string]*class
}

// read reads a document.
func read(in *loader.Stream) (*classification, error) {
	r := markup.NewReader(in)
	if _, err := r.Root("ClaML"); err != nil {
		return nil, err
	}
	c := &classification{byCode: map[string]*class{}, modifiers: map[string]*modifier{}}
	err := r.Children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "Meta":
			if markup.Attribute(e, "name") == "lang" {
				c.language = markup.Attribute(e, "value")
			}
		case "Identifier":
			if c.uid == "" || urlOf(c.uid) == "" {
				c.uid = markup.Attribute(e, "uid")
			}
		case "Title":
			c.name, c.version, c.date = markup.Attribute(e, "name"), markup.Attribute(e, "version"), markup.Attribute(e, "date")
			var err error
			c.title, err = r.Text()
			return err
		case "Modifier":
			c.modifier(markup.Attribute(e, "code"))
		case "ModifierClass":
			x, err := readClass(r, e)
			if err != nil {
				return err
			}
			m := c.modifier(markup.Attribute(e, "modifier"))
			m.classes, m.byCode[x.code] = append(m.classes, x), x
			return nil
		case "Class":
			x, err := readClass(r, e)
			if err != nil {
				return err
			}
			if had := c.byCode[x.code]; had != nil {
				return r.Fail("the class %.40q is defined twice, first on line %d", x.code, had.line)
			}
			c.classes, c.byCode[x.code] = append(c.classes, x), x
			return nil
		}
		return r.Skip()
	})
	return c, err
}

// modifier returns the modifier with a code, a new one if necessary.
func (c *classification) modifier(code string) *modifier {
	m := c.modifiers[code]
	if m == nil {
		m = &modifier{byCode: map[string]*class{}}
		c.modifiers[code] = m
	}
	return m
}

// readClass reads a Class or ModifierClass.
func readClass(r *markup.Reader, e xml.StartElement) (*class, error) {
	x := &class{code: markup.Attribute(e, "code"), kind: markup.Attribute(e, "kind"), usage: markup.Attribute(e, "usage"), line: r.Line()}
	if x.code == "" {
		return nil, r.Fail("%s without code", e.Name.Local)
	}
	return x, r.Children(func(e xml.StartElement) error {
		code := markup.Attribute(e, "code")
		switch e.Name.Local {
		case "SuperClass":
			x.parents = append(x.parents, code)
		case "SubClass":
			x.children = append(x.children, code)
		case "Meta":
			x.meta = append(x.meta, named{markup.Attribute(e, "name"), markup.Attribute(e, "value")})
		case "ExcludeModifier":
			x.excluded = append(x.excluded, code)
		case "ModifiedBy":
			m := modification{modifier: code, valid: map[string]bool{}, line: r.Line()}
			err := r.Children(func(e xml.StartElement) error {
				if e.Name.Local == "ValidModifierClass" {
					m.valid[markup.Attribute(e, "code")] = true
				}
				return r.Skip()
			})
			x.modified = append(x.modified, m)
			return err
		case "Rubric":
			kind := markup.Attribute(e, "kind")
			return r.Children(func(e xml.StartElement) error {
				if e.Name.Local != "Label" {
					return r.Skip()
				}
				l := label{kind: kind, language: markup.Attribute(e, "lang")}
				var err error
				if l.text, err = r.Text("Para", "Fragment", "ListItem", "List", "Table", "Caption", "Row", "Cell"); l.text != "" {
					x.labels = append(x.labels, l)
				}
				return err
			})
		}
		return r.Skip()
	})
}
