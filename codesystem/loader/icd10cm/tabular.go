package icd10cm

import (
	"encoding/xml"
	"regexp"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/markup"
)

// notes are the elements with notes, and their properties.
var notes = [...]struct{ element, property, description string }{
	{"includes", "includes", "What the code includes"},
	{"excludes1", "excludes1", "What must not be coded together with it"},
	{"excludes2", "excludes2", "What is not part of it, and may be coded besides"},
	{"codeFirst", "codeFirst", "What to code before it"},
	{"codeAlso", "codeAlso", "What to code as well"},
	{"useAdditionalCode", "useAdditionalCode", "What to code after it"},
	{"notes", "note", "A note"},
	{"sevenChrNote", "sevenChrNote", "When to use which seventh character"},
}

// An entry is a chapter, a block or a code.
type entry struct {
	code, display, short string
	kind                 kind
	line                 int
	parent               *entry
	children             []*entry
	notes                []note
	terms                []string
	seventh              []character
	listed, billable     bool // listed: it is in the order file, which also states billable
}

type note struct{ property, text string }

// character is a seventh character and its meaning.
type character struct{ char, meaning string }

type kind uint8

const (
	chapter kind = iota
	block
	code
)

// A list is the tabular list during reading.
type list struct {
	version         string
	chapters, codes []*entry
	blocks          map[*entry][]*entry // of a chapter
	byCode          map[string]*entry
}

func newList() *list {
	return &list{blocks: map[*entry][]*entry{}, byCode: map[string]*entry{}}
}

// add puts an entry below a parent, which may be nil.
func (l *list) add(e, parent *entry) {
	e.parent = parent
	if parent != nil {
		parent.children = append(parent.children, e)
	}
	l.byCode[e.code] = e
}

var rangeAtEnd = regexp.MustCompile(`\s*\(([A-Z0-9]{3}(?:-[A-Z0-9]{3})?)\)\s*$`)

// cutRange splits the range of codes from the end of a title.
func cutRange(title string) (text, codes string) {
	if m := rangeAtEnd.FindStringSubmatchIndex(title); m != nil {
		return title[:m[0]], title[m[2]:m[3]]
	}
	return title, ""
}

// readTabular reads the XML.
func (l *list) readTabular(in *loader.Stream) error {
	r := markup.NewReader(in)
	if _, err := r.Root("ICD10CM.tabular"); err != nil {
		return err
	}
	err := r.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "version":
			l.version, err = r.Text()
		case "chapter":
			err = l.readChapter(r)
		default:
			err = r.Skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range l.chapters {
		l.nestBlocks(c)
	}
	return nil
}

func (l *list) readChapter(r *markup.Reader) error {
	c := &entry{kind: chapter, line: r.Line()}
	number := ""
	var sections []*entry
	err := r.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "name":
			number, err = r.Text()
		case "desc":
			if c.display, err = r.Text(); err == nil {
				c.display, c.code = cutRange(c.display)
			}
		case "section":
			s := &entry{kind: block, line: r.Line(), code: markup.Attribute(e, "id")}
			if s.code == "" {
				return r.Fail("a section has no id")
			}
			if !strings.Contains(s.code, "-") {
				s.code += "-" + s.code
			}
			sections = append(sections, s)
			err = l.readEntry(r, s)
		default:
			err = c.readNotes(r, e)
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.code == "" {
		c.code = number
	}
	if c.code == "" {
		return r.Fail("a chapter has no name")
	}
	l.chapters = append(l.chapters, c)
	l.add(c, nil)
	for _, s := range sections {
		if s.code == c.code { // the chapter has no other block
			c.notes = append(c.notes, s.notes...)
			c.terms = append(c.terms, s.terms...)
			for _, d := range s.children {
				d.parent = c
				c.children = append(c.children, d)
			}
			continue
		}
		l.blocks[c] = append(l.blocks[c], s)
		l.add(s, c)
	}
	return nil
}

// nestBlocks puts each block of a chapter below the narrowest block that contains its range.
func (l *list) nestBlocks(c *entry) {
	blocks := l.blocks[c]
	kept := c.children[:0]
	for _, e := range c.children {
		var into *entry
		for _, wide := range blocks {
			if e.kind == block && wide != e && within(e.code, wide.code) && (into == nil || within(wide.code, into.code)) {
				into = wide
			}
		}
		if into == nil {
			kept = append(kept, e)
			continue
		}
		e.parent = into
		into.children = append(into.children, e)
	}
	c.children = kept
}

// within reports whether a range lies in a wider range.
func within(inner, outer string) bool {
	lo, hi, _ := strings.Cut(inner, "-")
	first, last, _ := strings.Cut(outer, "-")
	return inner != outer && first <= lo && hi <= last
}

// readEntry reads a section or a diag.
func (l *list) readEntry(r *markup.Reader, d *entry) error {
	return r.Children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "name":
			d.code, err = r.Text()
		case "desc":
			if d.display, err = r.Text(); d.kind == block {
				d.display, _ = cutRange(d.display)
			}
		case "diag":
			sub := &entry{kind: code, line: r.Line()}
			if err = l.readEntry(r, sub); err != nil {
				return err
			}
			if sub.code == "" {
				return r.Fail("a diag has no name")
			}
			if had := l.byCode[sub.code]; had != nil {
				return r.Fail("the code %.20q is defined twice, first on line %d", sub.code, had.line)
			}
			l.codes = append(l.codes, sub)
			l.add(sub, d)
		case "sevenChrDef":
			err = r.Children(func(e xml.StartElement) error {
				if e.Name.Local != "extension" {
					return r.Skip()
				}
				char := markup.Attribute(e, "char")
				meaning, err := r.Text()
				if len(char) == 1 {
					d.seventh = append(d.seventh, character{char, meaning})
				}
				return err
			})
		case "inclusionTerm":
			err = eachNote(r, func(text string) { d.terms = append(d.terms, text) })
		default:
			err = d.readNotes(r, e)
		}
		return err
	})
}

// readNotes reads an element with notes, and skips any other.
func (d *entry) readNotes(r *markup.Reader, e xml.StartElement) error {
	for _, n := range notes {
		if n.element == e.Name.Local {
			return eachNote(r, func(text string) { d.notes = append(d.notes, note{n.property, text}) })
		}
	}
	return r.Skip()
}

func eachNote(r *markup.Reader, f func(text string)) error {
	return r.Children(func(xml.StartElement) error {
		text, err := r.Text()
		if text != "" {
			f(text)
		}
		return err
	})
}
