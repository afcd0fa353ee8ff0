package uiadapter

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/engine"
)

// eclRoom is the workbench for expressions that select concepts.
func eclRoom() *room {
	return &room{name: "ecl", link: "ecl", types: []string{"CodeSystem", "ValueSet"}, routes: map[string]func(*Page) error{
		"GET /ui/ecl":      (*Page).workbenchPage,
		"GET /ui/complete": (*Page).complete,
	}}
}

// maxExpression is the length of the longest expression of the workbench, in bytes: it is in the
// address.
const maxExpression = 6000

// workbenchData is what ecl.html shows.
type workbenchData struct {
	Systems []Choice
	System  *System
	// Chosen is the value of the chosen code system in the address.
	Chosen string
	Text   string
	Error  *Mistake
	// Codes are the first concepts, if there is an expression without an error.
	Codes CodeList
	// Written is the expression without terms and comments.
	Written string
	// ValueSet and Compose are the addresses of the value set that the expression is, and of where one is
	// made of it.
	ValueSet, Compose string
	// Share is the absolute address of the page.
	Share string
	Done  bool
}

// A Choice is a code system to choose.
type Choice struct {
	Value, Name string
	Chosen      bool
}

// A Mistake is an error of an expression with its place.
type Mistake struct {
	Line, Column int
	// Before, At and After are the line, where At is at fault.
	Before, At, After string
	Text              string
}

// choices returns the versions of code systems that can be chosen: those that were loaded, or those of
// FHIR if there are none.
func (p *Page) choices(chosen string) []Choice {
	var list []Choice
	loaded, basic := apart(p.systems())
	if len(loaded) == 0 {
		loaded = basic
	}
	for _, e := range loaded {
		list = append(list, Choice{e.Header.URL, nameOf(e), e.Header.URL == chosen})
		for _, other := range p.entries("CodeSystem") {
			if other.Header.URL == e.Header.URL && other != e && other.HasCodes(false) {
				value := e.Header.URL + "|" + other.Header.Version
				list = append(list, Choice{value, nameOf(other) + " " + releaseOf(other.Header.Version), value == chosen})
			}
		}
	}
	return list
}

// chosenSystem returns the code system of the address, else SNOMED CT, else the first.
func (p *Page) chosenSystem(list []Choice) (*System, string, error) {
	chosen := cmp.Or(p.Query("system"), preset(list))
	canonical, version, _ := strings.Cut(chosen, "|")
	if canonical == "" {
		return nil, "", fmt.Errorf("%w: system, the code system of the expression", engine.ErrMissingParameter)
	}
	s, err := p.system(canonical, version)
	return s, chosen, err
}

// preset returns SNOMED CT if it can be chosen, else the first code system, "" if there are none.
func preset(list []Choice) string {
	chosen := ""
	for _, c := range list {
		if chosen == "" || c.Value == snomed {
			chosen = c.Value
		}
	}
	return chosen
}

// workbenchPage shows the editor and what the expression selects.
func (p *Page) workbenchPage() error {
	d := &workbenchData{Text: p.Query("q")}
	if len(d.Text) > maxExpression {
		return fmt.Errorf("%w: the expression has more than %d bytes", engine.ErrInvalidParameter, maxExpression)
	}
	var err error
	if d.System, d.Chosen, err = p.chosenSystem(p.choices("")); err != nil {
		return err
	}
	d.Systems = p.choices(d.Chosen)
	if d.Text != "" {
		if err := p.evaluate(d); err != nil {
			return err
		}
	}
	if d.Error == nil || p.IsFragment() { // while one types, most expressions are not complete
		return p.Show("ecl.html", "result", p.T("ecl.title"), d)
	}
	p.Title, p.Data = p.T("ecl.title"), d
	return p.render(http.StatusUnprocessableEntity, "ecl.html", "layout")
}

// evaluate fills in what the expression selects, or its error.
func (p *Page) evaluate(d *workbenchData) error {
	set, written, mistake, err := p.selected(d.System, d.Text)
	if err != nil || mistake != nil {
		d.Error = mistake
		return err
	}
	d.Written, d.Done = written, true
	l := &d.Codes
	l.Size, l.Total = presetSize, int(set.GetCardinality())
	offset := p.Number("offset", 0, 0, maxOffset)
	for i := offset; i < min(offset+l.Size, l.Total); i++ {
		o, err := set.Select(uint32(i))
		if err != nil {
			return err
		}
		ref := d.System.ref(o)
		l.Rows = append(l.Rows, CodeRow{Ref: ref, Known: true})
	}
	if len(l.Rows) > 0 {
		l.First, l.Last = offset+1, offset+len(l.Rows)
	}
	if err := p.pages(l, "ecl", "system", d.Chosen, "q", d.Text); err != nil {
		return err
	}
	return p.onward(d)
}

// onward fills in the addresses that lead on from an expression.
func (p *Page) onward(d *workbenchData) error {
	own, err := link("ecl", "system", d.Chosen, "q", d.Text)
	if err != nil {
		return err
	}
	d.Share = p.h.Address(p.r) + "/ui/" + own
	if canonical := expressionURL(d.System, d.Text); canonical != "" {
		if d.ValueSet, err = link("valueset", "url", canonical); err != nil {
			return err
		}
	}
	if p.Has("basket") {
		d.Compose, err = link("basket", "system", d.Chosen, "ecl", d.Text)
	}
	return err
}

// expressionURL returns the canonical of the value set that an expression is, "" if there is none: only
// SNOMED CT names the version in it.
func expressionURL(s *System, text string) string {
	escaped := url.PathEscape(text)
	switch {
	case s.Version == "":
		return s.URL + implicitExpression + escaped
	case strings.HasPrefix(s.Version, snomed):
		return s.Version + implicitExpression + escaped
	}
	return ""
}

// selected returns the concepts that an expression selects, and the expression in brief. A mistake in
// it is no error.
func (p *Page) selected(s *System, text string) (set bitmap, written string, m *Mistake, err error) {
	e, err := ecl.Parse(text)
	var plan *ecl.Plan
	if err == nil {
		plan, err = ecl.Compile(s.x, e, s.packs...)
	}
	if err == nil {
		var found bitmap
		if found, err = plan.Set(p.Context()); err == nil {
			return found, e.String(), nil, nil
		}
	}
	if m = mistake(text, err); m != nil {
		return nil, "", m, nil
	}
	return nil, "", nil, err
}

// A bitmap is a set of concepts that is not modified.
type bitmap interface {
	GetCardinality() uint64
	Select(i uint32) (codesystem.Ord, error)
}

// mistake returns the place of an error in an expression, nil if the error is none of the expression.
func mistake(text string, err error) *Mistake {
	var syntax *ecl.SyntaxError
	var evaluation *ecl.EvaluationError
	m, offset, length := &Mistake{}, 0, 1
	switch {
	case errors.As(err, &syntax):
		offset, m.Text = syntax.Offset, syntax.Want
	case errors.As(err, &evaluation):
		offset, m.Text = evaluation.Offset, evaluation.Err.Error()+" "+evaluation.Part
		length = max(len(evaluation.Part), 1)
	default:
		return nil
	}
	offset = min(max(offset, 0), len(text))
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	m.Line = strings.Count(text[:start], "\n") + 1
	m.Column = utf8.RuneCountInString(text[start:offset]) + 1
	at := min(offset+length, end)
	for at < end && !utf8.RuneStart(text[at]) {
		at++
	}
	m.Before, m.At, m.After = ending(text[start:offset]), text[offset:at], short(text[at:end])
	if strings.TrimSpace(m.At) == "" {
		m.At = "␣" // the end, or a space
	}
	return m
}

// ending returns the last characters of a text, with an ellipsis if there are more.
func ending(s string) string {
	const most = 80
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	runes := []rune(s)
	return "…" + string(runes[n-most:])
}

// completionData is what the completion of an expression offers.
type completionData struct {
	Options []Completion
}

// A Completion is a concept that can be inserted.
type Completion struct {
	ID string
	Ref
	// Insert is the text, which takes the place of Remove characters (of UTF-16) before the caret.
	Insert string
	Remove int
	// Attribute is true for a concept that is the name of an attribute.
	Attribute bool
}

const maxCompletions = 12

// complete offers concepts for the words before the caret.
func (p *Page) complete() error {
	before := p.r.FormValue("before")
	if len(before) > maxExpression {
		return fmt.Errorf("%w: the expression has more than %d bytes", engine.ErrInvalidParameter, maxExpression)
	}
	s, _, err := p.chosenSystem(p.choices(""))
	if err != nil {
		return err
	}
	d := &completionData{}
	words, attribute, ok := typed(before)
	if ok {
		d.Options = p.completions(s, words, attribute)
	}
	p.Title, p.Data = p.T("ecl.title"), d
	return p.ShowPart("ecl.html", "options", "ecl", p.T("ecl.title"), d)
}

// completions returns the attributes and concepts that fit the words.
func (p *Page) completions(s *System, words string, attribute bool) []Completion {
	var list []Completion
	add := func(o codesystem.Ord, isAttribute bool) {
		ref := s.ref(o)
		text := cmp.Or(constraint(s.URL, ref.Code, short(ref.Text)), constraint("", ref.Code, short(ref.Text)))
		insert, found := strings.CutPrefix(text, "<< ")
		if !found || len(list) == maxCompletions {
			return
		}
		list = append(list, Completion{
			ID: "option-" + strconv.Itoa(len(list)), Ref: ref, Insert: insert, Remove: utf16Len(words), Attribute: isAttribute,
		})
	}
	q := codesystem.CompileQuery(words).In(p.displays().First())
	if attribute {
		for _, name := range s.x.PropertyNames() {
			if o, found := s.x.Find(name); found {
				if _, fits := q.Match(name, s.term(o).Text); fits || q.Empty() {
					add(o, true)
				}
			}
		}
		return list
	}
	if utf8.RuneCountInString(words) < 2 {
		return nil
	}
	hits, _ := s.x.SearchWith(s.packs, q, s.withStatus("active"), 0, maxCompletions, nil)
	for _, hit := range hits {
		add(hit.Concept, false)
	}
	return list
}

// typed returns the words before the caret that name a concept, and whether an attribute is expected
// there. ok is false where no concept can be named, as in a term.
func typed(before string) (words string, attribute, ok bool) {
	if strings.Count(before, "|")%2 == 1 || strings.Count(before, `"`)%2 == 1 {
		return "", false, false
	}
	at := strings.LastIndexAny(before, "<>!=:,(){}[]|^*+\"\n") + 1
	words = strings.TrimLeft(before[at:], " \t")
	last := byte(0)
	if head := strings.TrimRight(before[:at], " \t\n"); head != "" {
		last = head[len(head)-1]
	}
	afterConcept := last == '|' || last == ')' || last == '}' || last == '*' || last == '"'
	for _, keyword := range [...]string{"AND", "OR", "MINUS"} {
		i := strings.LastIndex(" "+upper(words), " "+keyword+" ")
		if i < 0 || i+len(keyword)+1 > len(words) {
			continue
		}
		words, afterConcept = strings.TrimLeft(words[i+len(keyword):], " \t"), false
		attribute = strings.Count(before, ":") > 0 && keyword != "MINUS"
	}
	if afterConcept {
		return "", false, false
	}
	attribute = attribute || last == ':' || last == ',' || last == '{' || last == ']'
	return words, attribute, true
}

// upper returns a text with its ASCII letters in upper case, which keeps the places of bytes.
func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// utf16Len returns the length of a text as scripts count it.
func utf16Len(s string) int {
	n := 0
	for _, c := range s {
		n++
		if c > 0xffff {
			n++
		}
	}
	return n
}
