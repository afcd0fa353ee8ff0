package cliadapter

import (
	"strconv"

	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// A sheet is the form in which a command answers a list: a row has the line, its codes, the code
// system, the version if the command knows it, the fields of the sheet, and a message.
type sheet struct {
	codes   []string // names of the fields of codes
	version bool
	fields  []lists.Field
	// fill sets the fields of a row from a result, and emits it; it may emit several rows.
	fill func(result operation.Result, row *sheetRow)
}

// A sheetRow is a row that is being filled.
type sheetRow struct {
	system, version, message string
	values                   []lists.Value // of the fields of the sheet
	emit                     func()
}

// resultField is the field that says yes or no.
var resultField = lists.Field{Name: "result", Kind: lists.Bool}

// sheetOf returns the sheet of a command, or nil. properties are those that a lookup names.
func sheetOf(name string, properties []string) *sheet {
	one := []string{"code"}
	switch name {
	case "validate-code":
		return &sheet{codes: one, version: true, fill: fillValidation, fields: []lists.Field{
			resultField, {Name: "display"}, {Name: "inactive", Kind: lists.Bool}, {Name: "status"}, {Name: "normalized_code", Wide: true},
		}}
	case "member-of":
		return &sheet{codes: one, fill: fillMembership, fields: []lists.Field{resultField, {Name: "display"}}}
	case "subsumes":
		return &sheet{codes: []string{"code_a", "code_b"}, version: true, fill: fillSubsumption, fields: []lists.Field{
			resultField, {Name: "outcome"}, {Name: "display_a"}, {Name: "display_b"},
		}}
	case "translate":
		return &sheet{codes: one, fill: fillTranslation, fields: []lists.Field{
			resultField,
			{Name: "equivalence"},
			{Name: "target_code"},
			{Name: "target_display"},
			{Name: "target_system", Wide: true},
			{Name: "map", Wide: true},
			{Name: "comment", Wide: true},
		}}
	case "lookup":
		return lookupSheet(one, properties)
	}
	return nil
}

// lookupSheet has the properties that are named, or else some that every concept has.
func lookupSheet(codes, properties []string) *sheet {
	s := &sheet{codes: codes, version: true, fields: []lists.Field{resultField, {Name: "display"}}}
	if len(properties) == 0 {
		properties = []string{"definition", "inactive", "parent"}
	}
	for _, name := range properties {
		s.fields = append(s.fields, lists.Field{Name: name, Kind: propertyKind(name), Wide: name == "definition"})
	}
	s.fill = func(result operation.Result, row *sheetRow) {
		r := result.(*engine.LookupResult)
		row.system, row.version = r.Index.URL(), r.Index.Version()
		row.values[0], row.values[1].Text = lists.Truth(true), r.Display
		for i, name := range properties {
			row.values[i+2] = textsValue(r.Texts(name), propertyKind(name))
		}
		row.emit()
	}
	return s
}

// propertyKind returns the kind of a property: every property may have several values, but those
// that every concept has have one.
func propertyKind(name string) lists.Kind {
	switch name {
	case "inactive", "abstract":
		return lists.Bool
	case "definition":
		return lists.Text
	}
	return lists.List
}

// textsValue returns texts as a value.
func textsValue(texts []string, kind lists.Kind) (v lists.Value) {
	switch {
	case kind == lists.List:
		v.List = texts
	case len(texts) > 0:
		v.Text = texts[0]
	}
	return v
}

func fillValidation(result operation.Result, row *sheetRow) {
	r := result.(*engine.ValidateCodeResult)
	if r.System != "" {
		row.system = r.System
	}
	if r.Version != "" {
		row.version = r.Version
	}
	row.message = r.Message
	v := row.values
	v[0], v[1].Text, v[3].Text, v[4].Text = lists.Truth(r.Result), r.Display, r.Status, r.NormalizedCode
	if r.Inactive {
		v[2] = lists.Truth(true)
	}
	row.emit()
}

func fillMembership(result operation.Result, row *sheetRow) {
	r := result.(*engine.MemberOfResult)
	row.values[0], row.values[1].Text = lists.Truth(r.Member), r.Display
	row.emit()
}

func fillSubsumption(result operation.Result, row *sheetRow) {
	r := result.(*engine.SubsumesResult)
	row.system, row.version = r.Index.URL(), r.Index.Version()
	v := row.values
	v[0], v[1].Text = lists.Truth(r.Yes()), string(r.Outcome)
	v[2].Text, v[3].Text = r.Displays()
	row.emit()
}

// fillTranslation emits a row for each translation, or one if there is none.
func fillTranslation(result operation.Result, row *sheetRow) {
	r := result.(*engine.TranslateResult)
	row.message = r.Message
	row.values[0] = lists.Truth(r.Result)
	if len(r.Matches) == 0 {
		row.emit()
		return
	}
	for i := range r.Matches {
		m := &r.Matches[i]
		for n, text := range [...]string{string(m.Equivalence), m.Concept.Code, m.Concept.Display, m.Concept.System, m.Map, m.Comment} {
			row.values[n+1].Text = text
		}
		row.emit()
	}
}

// all returns all fields of a row.
func (s *sheet) all() []lists.Field {
	fields := []lists.Field{{Name: "line", Kind: lists.Number}}
	for _, name := range s.codes {
		fields = append(fields, lists.Field{Name: name})
	}
	fields = append(fields, lists.Field{Name: "system", Wide: true})
	if s.version {
		fields = append(fields, lists.Field{Name: "version", Wide: true})
	}
	fields = append(fields, s.fields...)
	return append(fields, lists.Field{Name: "message"})
}

// A rowWriter writes the rows of one answer after the other. It is not safe for concurrent use.
type rowWriter struct {
	sheet *sheet
	form  lists.Form
	row   []lists.Value
	now   sheetRow
	dst   []byte
}

func newRowWriter(s *sheet, form lists.Form) *rowWriter {
	w := &rowWriter{sheet: s, form: form, row: make([]lists.Value, len(s.all()))}
	w.now.emit = w.emit
	return w
}

// append appends the rows of an answer to dst: fill sets what is not in the item.
func (w *rowWriter) append(dst []byte, it *lists.Item, fill func(*sheetRow)) []byte {
	clear(w.row)
	w.row[0].Text = strconv.Itoa(it.Line)
	for i := range w.sheet.codes {
		w.row[1+i].Text = it.Codes[i]
	}
	w.now.system, w.now.version, w.now.message = it.System, it.Version, ""
	w.now.values = w.row[w.first() : len(w.row)-1]
	w.dst = dst
	fill(&w.now)
	dst, w.dst = w.dst, nil
	return dst
}

// first returns the place of the first field of the sheet.
func (w *rowWriter) first() int { return len(w.row) - 1 - len(w.sheet.fields) }

func (w *rowWriter) emit() {
	at := 1 + len(w.sheet.codes)
	w.row[at].Text = w.now.system
	if w.sheet.version {
		w.row[at+1].Text = w.now.version
	}
	w.row[len(w.row)-1].Text = w.now.message
	w.dst = w.form.AppendRow(w.dst, w.row)
}
