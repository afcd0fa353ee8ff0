package csv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// maxMapping bounds a mapping file in bytes.
const maxMapping = 1 << 20

// mapping is a mapping file; see the package comment.
type mapping struct {
	File      string `json:"file"`
	Delimiter string `json:"delimiter"`
	Header    *bool  `json:"header"`

	URL              string `json:"url"`
	Version          string `json:"version"`
	Name             string `json:"name"`
	Title            string `json:"title"`
	Status           string `json:"status"`
	Date             string `json:"date"`
	Publisher        string `json:"publisher"`
	Description      string `json:"description"`
	Copyright        string `json:"copyright"`
	Language         string `json:"language"`
	CaseSensitive    *bool  `json:"caseSensitive"`
	HierarchyMeaning string `json:"hierarchyMeaning"`
	Content          string `json:"content"`

	Code         column        `json:"code"`
	Display      column        `json:"display"`
	Definition   column        `json:"definition"`
	Parent       values        `json:"parent"`
	Level        column        `json:"level"`
	Prefix       prefix        `json:"prefix"`
	Designations []designation `json:"designations"`
	Properties   []property    `json:"properties"`
	Inactive     *condition    `json:"inactive"`
	Abstract     *condition    `json:"abstract"`
	Skip         []*condition  `json:"skip"`
}

// column is a name or a number; the zero column is not given.
type column struct {
	name   string
	number int
}

func (c column) given() bool { return c.name != "" || c.number != 0 }

func (c column) String() string {
	if c.name != "" {
		return fmt.Sprintf("%q", c.name)
	}
	return fmt.Sprintf("%d", c.number)
}

// UnmarshalJSON reads a name or a number.
func (c *column) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &c.name)
	}
	if err := json.Unmarshal(data, &c.number); err != nil || c.number < 1 {
		return fmt.Errorf("a column is a name, or a number from 1, not %.40s", data)
	}
	return nil
}

// values is a column with one value, or several with a separator between them.
type values struct {
	Column    column `json:"column"`
	Separator string `json:"separator"`
}

// UnmarshalJSON reads a column, or an object.
func (v *values) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return v.Column.UnmarshalJSON(data)
	}
	type plain values
	return strictly(data, (*plain)(v))
}

// split returns the values of a field.
func (v *values) split(field string) []string {
	if v.Separator == "" {
		return []string{field}
	}
	return strings.Split(field, v.Separator)
}

// prefix describes how codes nest by their beginnings.
type prefix struct {
	any     bool
	lengths []int
}

// UnmarshalJSON reads true, false, or ascending lengths.
func (p *prefix) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &p.any); err == nil {
		return nil
	}
	if err := json.Unmarshal(data, &p.lengths); err != nil {
		return fmt.Errorf("prefix is true or a list of lengths, not %.40s", data)
	}
	for i, n := range p.lengths {
		if n < 1 || i > 0 && n <= p.lengths[i-1] {
			return errors.New("the lengths of prefix must be ascending")
		}
	}
	return nil
}

type designation struct {
	values
	Language string     `json:"language"`
	Use      *r4.Coding `json:"use"`
}

// UnmarshalJSON reads all members. Otherwise that of the embedded values would be used.
func (d *designation) UnmarshalJSON(data []byte) error {
	var plain struct {
		Column    column     `json:"column"`
		Separator string     `json:"separator"`
		Language  string     `json:"language"`
		Use       *r4.Coding `json:"use"`
	}
	err := strictly(data, &plain)
	*d = designation{values{plain.Column, plain.Separator}, plain.Language, plain.Use}
	return err
}

type property struct {
	values
	Code, Type, Description, URI string
}

// UnmarshalJSON is like that of designation.
func (p *property) UnmarshalJSON(data []byte) error {
	var plain struct {
		Column      column `json:"column"`
		Separator   string `json:"separator"`
		Code        string `json:"code"`
		Type        string `json:"type"`
		Description string `json:"description"`
		URI         string `json:"uri"`
	}
	err := strictly(data, &plain)
	*p = property{values{plain.Column, plain.Separator}, plain.Code, plain.Type, plain.Description, plain.URI}
	return err
}

// condition holds when a column has one of the values.
type condition struct {
	Column column   `json:"column"`
	Values []string `json:"values"`
}

// holds reports whether a field fulfills the condition.
func (c *condition) holds(field string) bool {
	if c.Values == nil {
		yes, ok := truth(field)
		return yes && ok
	}
	for _, v := range c.Values {
		if strings.EqualFold(strings.TrimSpace(v), field) {
			return true
		}
	}
	return false
}

// truth reads a boolean.
func truth(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "y", "1":
		return true, true
	case "false", "no", "n", "0":
		return false, true
	}
	return false, false
}

// strictly decodes JSON and refuses unknown members.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the mapping")
	}
	return nil
}

const ending = ".mapping.json"

// mappingOf returns the mapping file for a path: itself, or the one beside a table; "" when
// there is none.
func mappingOf(path string) string {
	if strings.HasSuffix(strings.ToLower(path), ending) {
		return path
	}
	base := strings.TrimSuffix(path, ".gz")
	for _, end := range tableEndings {
		if table, ok := strings.CutSuffix(base, end); ok {
			if info, err := os.Stat(table + ending); err == nil && info.Mode().IsRegular() {
				return table + ending
			}
		}
	}
	return ""
}

var tableEndings = [...]string{".csv", ".tsv", ".txt"}

// readMapping reads and checks a mapping file.
func readMapping(path string) (*mapping, error) {
	f, err := loader.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMapping+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(data) > maxMapping:
		return nil, fmt.Errorf("%s: %w: a mapping of more than %d bytes", path, loader.ErrTooLarge, maxMapping)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	m := new(mapping)
	if err := strictly(data, m); err != nil {
		return nil, fmt.Errorf("%s: %s%w: %w", path, lineOf(data, err), loader.ErrFormat, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, loader.ErrFormat, err)
	}
	return m, nil
}

// lineOf returns the line of a JSON error, as a prefix, if it is known.
func lineOf(data []byte, err error) string {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typed):
		offset = typed.Offset
	}
	if offset <= 0 || offset > int64(len(data)) {
		return ""
	}
	return fmt.Sprintf("line %d: ", 1+bytes.Count(data[:offset], []byte("\n")))
}

// check refuses an invalid mapping.
func (m *mapping) check() error {
	ways := 0
	for _, given := range []bool{m.Parent.Column.given(), m.Level.given(), m.Prefix.any || m.Prefix.lengths != nil} {
		if given {
			ways++
		}
	}
	switch {
	case !m.Code.given():
		return errors.New(`the column of "code" is missing`)
	case ways > 1:
		return errors.New("only one of parent, level and prefix can define the hierarchy")
	case m.Delimiter != "" && (utf8.RuneCountInString(m.Delimiter) != 1 || strings.ContainsAny(m.Delimiter, "\"\r\n\ufffd")):
		return fmt.Errorf("the delimiter %.20q is not a single character", m.Delimiter)
	case m.File != "" && !filepath.IsLocal(filepath.FromSlash(m.File)):
		return fmt.Errorf("%w: the file %.100q must be in the folder of the mapping or below it", loader.ErrUnsafeName, m.File)
	}
	seen := map[string]bool{}
	for i := range m.Properties {
		p := &m.Properties[i]
		if p.Code == "" {
			p.Code = p.Column.name
		}
		if p.Type == "" {
			p.Type = "string"
		}
		switch {
		case p.Code == "" || !p.Column.given():
			return fmt.Errorf("properties[%d] has no code or no column", i)
		case valueType(p.Type) == "":
			return fmt.Errorf("properties[%d]: unknown type %.20q; the types are code, string, integer, decimal, boolean and dateTime", i, p.Type)
		case seen[p.Code] || p.Code == "parent" && m.Parent.Column.given() || p.Code == "inactive" && m.Inactive != nil || p.Code == "notSelectable" && m.Abstract != nil:
			return fmt.Errorf("properties[%d]: the property %q is defined twice", i, p.Code)
		}
		seen[p.Code] = true
	}
	for i := range m.Designations {
		if !m.Designations[i].Column.given() {
			return fmt.Errorf("designations[%d] has no column", i)
		}
	}
	return nil
}

// valueType returns the type of value[x] for the type of a property, "" if that is unknown.
func valueType(kind string) string {
	switch kind {
	case "code", "string", "integer", "decimal", "boolean", "dateTime":
		return strings.ToUpper(kind[:1]) + kind[1:]
	}
	return ""
}

// header returns the header of the code system.
func (m *mapping) header() *r4.CodeSystem {
	h := loader.Header()
	if h.HierarchyMeaning = m.HierarchyMeaning; h.HierarchyMeaning == "" {
		h.HierarchyMeaning = "is-a"
	}
	if m.Content != "" {
		h.Content = m.Content
	}
	if m.CaseSensitive != nil {
		h.CaseSensitive = m.CaseSensitive
	}
	loader.Identity{
		URL: m.URL, Version: m.Version, Name: m.Name, Title: m.Title, Status: m.Status, Date: m.Date,
		Publisher: m.Publisher, Description: m.Description, Copyright: m.Copyright, Language: m.Language,
	}.Apply(h)
	declare := func(given bool, code, kind, description string) {
		if given {
			h.Property = append(h.Property, r4.CodeSystemProperty{Code: code, URI: "http://hl7.org/fhir/concept-properties#" + code, Type: kind, Description: description})
		}
	}
	declare(m.Parent.Column.given(), "parent", "code", "Parent")
	declare(m.Inactive != nil, "inactive", "boolean", "No longer in use")
	declare(m.Abstract != nil, "notSelectable", "boolean", "Not to be chosen")
	for _, p := range m.Properties {
		h.Property = append(h.Property, r4.CodeSystemProperty{Code: p.Code, URI: p.URI, Type: p.Type, Description: p.Description})
	}
	return h
}
