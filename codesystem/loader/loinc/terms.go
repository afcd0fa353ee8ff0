package loinc

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// axes are the columns of the six axes, which make the fully specified name.
var axes = [...]string{"COMPONENT", "PROPERTY", "TIME_ASPCT", "SYSTEM", "SCALE_TYP", "METHOD_TYP"}

// Uses of designations.
const (
	useFullName = "FullySpecifiedName"
	useDisplay  = "display"
)

// spoken are the columns that become code, display, definition and designations. Every other
// column is a property with its name.
var spoken = []string{"LOINC_NUM", "LONG_COMMON_NAME", "SHORTNAME", "DisplayName", "RELATEDNAMES2", "DefinitionDescription"}

// designation returns a designation. The use is LOINC's, except display, which is HL7's.
func designation(language, use, text string) r4.Designation {
	coding := &r4.Coding{System: System, Code: use}
	if use == useDisplay {
		coding.System = loader.DisplayUse
	}
	return r4.Designation{Language: language, Use: coding, Value: text}
}

// fullName joins the axes of a row.
func fullName(rows *loader.Rows, at []int) string {
	texts := make([]string, 0, len(at))
	for _, column := range at {
		texts = append(texts, rows.Text(column))
	}
	return strings.TrimRight(strings.Join(texts, ":"), ":")
}

// readTable adds the terms to the index.
func (l *load) readTable(rows *loader.Rows) error {
	at, err := columns(rows, "LOINC_NUM", "LONG_COMMON_NAME", "STATUS")
	if err != nil {
		return err
	}
	axisAt := make([]int, len(axes))
	for i, axis := range axes {
		axisAt[i] = rows.Column(axis)
	}
	l.columns = map[string]bool{}
	var plain []int // columns that become properties unchanged
	for i, column := range rows.Header() {
		if slices.ContainsFunc(spoken, func(s string) bool { return strings.EqualFold(s, column) }) || slices.Contains(axisAt, i) {
			continue
		}
		plain = append(plain, i)
		l.columns[column] = true
	}
	names := []int{rows.Column("SHORTNAME"), rows.Column("DisplayName"), rows.Column("RELATEDNAMES2")}
	uses := []string{"SHORTNAME", "DisplayName", "RELATEDNAMES2"}
	definition, changed := rows.Column("DefinitionDescription"), rows.Column("VersionLastChanged")
	notice := rows.Column("EXTERNAL_COPYRIGHT_NOTICE")
	var c codesystem.Concept
	for rows.Next() {
		c = codesystem.Concept{
			Code: rows.Text(at[0]), Display: rows.Text(at[1]), Definition: rows.Text(definition), Parent: -1, Where: rows.Where(),
			Designations: c.Designations[:0], Properties: c.Properties[:0],
		}
		if name := fullName(rows, axisAt); name != "" {
			c.Designations = append(c.Designations, designation("en", useFullName, name))
		}
		for i, column := range names {
			if text := rows.Text(column); text != "" && text != c.Display {
				c.Designations = append(c.Designations, designation("en", uses[i], text))
			}
		}
		c.Properties = l.appendAxes(c.Properties, c.Code, rows, axisAt)
		for _, column := range plain {
			c.Properties = appendText(c.Properties, rows.Header()[column], rows.Text(column))
		}
		if notice >= 0 {
			owner := "LOINC"
			if rows.Text(notice) != "" {
				owner = "3rdParty"
			}
			c.Properties = appendText(c.Properties, "copyright", owner)
		}
		if text := rows.Text(changed); newer(text, l.latest) {
			l.latest = strings.Clone(text)
		}
		if err := l.add(&c, rows.Text(at[2])); err != nil {
			return err
		}
	}
	return nil
}

// appendAxes appends the axes of a term: the parts that the links name, or else the texts of the
// table.
func (l *load) appendAxes(dst []codesystem.Property, code string, rows *loader.Rows, axisAt []int) []codesystem.Property {
	n, known := l.facts.number[code]
	for i, axis := range axes {
		found := false
		if known {
			for k := range l.facts.links.Of(n) {
				if k.property == axis {
					dst, found = append(dst, l.property(k)), true
				}
			}
		}
		text := rows.Text(axisAt[i])
		switch {
		case found || text == "":
		case l.linked():
			dst = append(dst, codesystem.Property{Code: axis, Value: r4.Value{Type: "Coding", Coding: &r4.Coding{Display: text}}})
		default:
			dst = appendText(dst, axis, text)
		}
	}
	return dst
}

// linked reports whether the axes are parts, not texts.
func (l *load) linked() bool { return len(l.release[partLinks]) > 0 }

// newer compares versions such as 2.9 and 2.78: number by number.
func newer(a, b string) bool {
	major, minor, ok := versionNumbers(a)
	if !ok {
		return false
	}
	hadMajor, hadMinor, _ := versionNumbers(b)
	return major > hadMajor || major == hadMajor && minor > hadMinor
}

func versionNumbers(s string) (major, minor int, ok bool) {
	before, after, _ := strings.Cut(s, ".")
	major, err := strconv.Atoi(before)
	minor, err2 := strconv.Atoi(after)
	return major, minor, err == nil && err2 == nil
}

// readMapTo reads the replacements of deprecated terms.
func (l *load) readMapTo(rows *loader.Rows) error {
	at, err := columns(rows, "LOINC", "MAP_TO")
	if err != nil {
		return err
	}
	for rows.Next() {
		l.facts.link(rows.Text(at[0]), link{property: "MAP_TO", code: rows.Text(at[1])})
	}
	return nil
}

func (l *load) readConsumerNames(rows *loader.Rows) error {
	at, err := columns(rows, "LoincNumber", "ConsumerName")
	if err != nil {
		return err
	}
	for rows.Next() {
		l.facts.name(rows.Text(at[0]), "en", "ConsumerName", rows.Text(at[1]))
	}
	return nil
}

// readVariant reads the names of terms in another language. The best of them is the display in
// that language: the long name, else the display name, else the fully specified name.
func (l *load) readVariant(rows *loader.Rows) error {
	tag := variantLanguage(rows.Origin())
	at, err := columns(rows, "LOINC_NUM")
	if err != nil {
		return err
	}
	axisAt := make([]int, len(axes))
	for i, axis := range axes {
		axisAt[i] = rows.Column(axis)
	}
	long, short := rows.Column("LONG_COMMON_NAME"), rows.Column("SHORTNAME")
	shown, related := rows.Column("LinguisticVariantDisplayName"), rows.Column("RELATEDNAMES2")
	for rows.Next() {
		code := rows.Text(at[0])
		if code == "" {
			return fmt.Errorf("%s: %w: LOINC_NUM is missing", rows.Where(), loader.ErrFormat)
		}
		best := false
		for _, n := range [...]struct{ use, text string }{
			{"LONG_COMMON_NAME", rows.Text(long)},
			{"LinguisticVariantDisplayName", rows.Text(shown)},
			{useFullName, fullName(rows, axisAt)},
			{"SHORTNAME", rows.Text(short)},
			{"RELATEDNAMES2", rows.Text(related)},
		} {
			if n.text != "" && !best && n.use != "RELATEDNAMES2" {
				best, n.use = true, useDisplay
			}
			l.facts.name(code, tag, n.use, n.text)
		}
	}
	return nil
}

// variantLanguage returns the language of a linguistic variant from the name of its file:
// frCA8LinguisticVariant.csv is in fr-CA.
func variantLanguage(origin loader.Origin) string {
	name := origin.Entry
	if name == "" {
		name = strings.ReplaceAll(origin.Path, `\`, "/")
	}
	m := variantName.FindStringSubmatch(strings.TrimSuffix(strings.ToLower(path.Base(name)), ".csv"))
	if m == nil {
		return ""
	}
	return language.Make(m[1] + "-" + m[2]).String()
}
