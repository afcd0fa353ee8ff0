package loinc

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// part is a part of LOINC (LP…).
type part struct {
	code, kind, name, display, status, where string
}

// parts holds the parts in the order in which they were found.
type parts struct {
	place map[string]int
	list  []part
}

func newParts() parts { return parts{place: map[string]int{}} }

// meet records a part. Facts that are already known stay.
func (p *parts) meet(f *facts, met part) {
	at, ok := p.place[met.code]
	if !ok {
		at = len(p.list)
		met.code = strings.Clone(met.code)
		p.place[met.code] = at
		p.list = append(p.list, part{code: met.code, where: met.where})
	}
	had := &p.list[at]
	for _, pair := range [...][2]*string{{&had.kind, &met.kind}, {&had.name, &met.name}, {&had.display, &met.display}, {&had.status, &met.status}} {
		if *pair[0] == "" {
			*pair[0] = f.word(*pair[1])
		}
	}
}

// isPart reports whether a code is that of a part.
func isPart(code string) bool { return strings.HasPrefix(code, "LP") }

func (l *load) readParts(rows *loader.Rows) error {
	at, err := columns(rows, "PartNumber", "PartTypeName", "PartName", "PartDisplayName", "Status")
	if err != nil {
		return err
	}
	for rows.Next() {
		l.parts.meet(&l.facts, part{
			code: rows.Text(at[0]), kind: rows.Text(at[1]), name: rows.Text(at[2]), display: rows.Text(at[3]), status: rows.Text(at[4]),
			where: rows.Where(),
		})
	}
	return nil
}

// readPartLinks reads the parts of terms. The property is the last segment of its address:
// http://loinc.org/property/analyte.
func (l *load) readPartLinks(rows *loader.Rows) error {
	at, err := columns(rows, "LoincNumber", "PartNumber", "PartName", "PartTypeName")
	if err != nil {
		return err
	}
	address := rows.Column("Property")
	for rows.Next() {
		property := path.Base(rows.Text(address))
		if property == "." || property == "/" {
			property = rows.Text(at[3])
		}
		if err := l.linkPart(rows, property, rows.Text(at[0]), part{code: rows.Text(at[1]), name: rows.Text(at[2]), kind: rows.Text(at[3])}); err != nil {
			return err
		}
	}
	return nil
}

// readMoreLinks reads the links in the radiology playbook and the document ontology, which do not
// name a property. The property is the type of the part in lower case: rad-modality-subtype.
func (l *load) readMoreLinks(rows *loader.Rows) error {
	at, err := columns(rows, "LoincNumber", "PartNumber", "PartTypeName", "PartName")
	if err != nil {
		return err
	}
	dashed := strings.NewReplacer(".", "-", " ", "-", "_", "-")
	for rows.Next() {
		if rows.Text(at[1]) == "" {
			continue
		}
		property := dashed.Replace(strings.ToLower(rows.Text(at[2])))
		if err := l.linkPart(rows, property, rows.Text(at[0]), part{code: rows.Text(at[1]), name: rows.Text(at[3]), kind: rows.Text(at[2])}); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) linkPart(rows *loader.Rows, property, term string, p part) error {
	if property == "" || term == "" || !isPart(p.code) {
		return fmt.Errorf("%s: %w: the LOINC number, the part or its type is missing", rows.Where(), loader.ErrFormat)
	}
	if _, known := l.parts.place[p.code]; !known {
		p.where = rows.Where()
	}
	l.parts.meet(&l.facts, p)
	l.facts.link(term, link{property, p.code, p.name})
	return nil
}

// readHierarchy reads the parents of parts and terms. A row stands for a path to the root, so the
// same parent may occur many times.
func (l *load) readHierarchy(rows *loader.Rows) error {
	at, err := columns(rows, "IMMEDIATE_PARENT", "CODE", "CODE_TEXT")
	if err != nil {
		return err
	}
	for rows.Next() {
		code, parent := rows.Text(at[1]), rows.Text(at[0])
		if code == "" {
			return fmt.Errorf("%s: %w: CODE is missing", rows.Where(), loader.ErrFormat)
		}
		if isPart(code) {
			met := part{code: code}
			if _, known := l.parts.place[code]; !known {
				met.name, met.where = rows.Text(at[2]), rows.Where()
			}
			l.parts.meet(&l.facts, met)
		}
		if parent != "" {
			l.facts.parent(code, parent)
		}
	}
	return nil
}

// addParts adds the parts to the index.
func (l *load) addParts() error {
	var c codesystem.Concept
	for i := range l.parts.list {
		p := &l.parts.list[i]
		c = codesystem.Concept{
			Code: p.code, Display: cmp.Or(p.display, p.name), Parent: -1, Where: p.where,
			Designations: c.Designations[:0], Properties: c.Properties[:0],
		}
		if p.name != c.Display {
			c.Designations = append(c.Designations, designation("en", "PartName", p.name))
		}
		c.Properties = appendText(c.Properties, "STATUS", p.status)
		c.Properties = appendText(c.Properties, "PartTypeName", p.kind)
		if err := l.add(&c, p.status); err != nil {
			return err
		}
	}
	return nil
}

// add adds a concept with its facts: parents, links and names. status is LOINC's status.
func (l *load) add(c *codesystem.Concept, status string) error {
	if strings.EqualFold(status, "DEPRECATED") {
		c.Properties = append(c.Properties, codesystem.Property{Code: "inactive", Value: r4.Boolean(true)})
	}
	if n, known := l.facts.number[c.Code]; known {
		for parent := range l.facts.parents.Of(n) {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(parent)})
		}
		for k := range l.facts.links.Of(n) {
			if !l.columns[k.property] && !slices.Contains(axes[:], k.property) {
				c.Properties = append(c.Properties, l.property(k))
			}
		}
		for m := range l.facts.names.Of(n) {
			c.Designations = append(c.Designations, designation(m.language, m.use, m.text))
		}
	}
	c.Properties = l.appendMembers(c.Properties, c.Code)
	_, err := l.builder.Add(c)
	if err == nil {
		l.reading.Count(1, 0, 0)
	}
	return err
}

// property returns the link as a property.
func (l *load) property(k link) codesystem.Property {
	switch l.kinds[k.property] {
	case "code":
		return codesystem.Property{Code: k.property, Value: r4.Code(k.code)}
	case "string":
		return codesystem.Property{Code: k.property, Value: r4.String(k.code)}
	}
	return codesystem.Property{Code: k.property, Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: System, Code: k.code, Display: k.display}}}
}

// appendText appends a property with a text, unless it is empty.
func appendText(dst []codesystem.Property, code, text string) []codesystem.Property {
	if text == "" {
		return dst
	}
	return append(dst, codesystem.Property{Code: code, Value: r4.String(text)})
}
