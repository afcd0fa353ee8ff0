package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
)

// parameter is the part of a SearchParameter that is read.
type parameter struct {
	URL        string   `json:"url"`
	Version    string   `json:"version"`
	Code       string   `json:"code"`
	Base       []string `json:"base"`
	Type       string   `json:"type"`
	Expression string   `json:"expression"`
	Target     []string `json:"target"`
	Component  []struct {
		Definition string `json:"definition"`
		Expression string `json:"expression"`
	} `json:"component"`
}

const parameterURL = "http://hl7.org/fhir/SearchParameter/"

// withoutValues are the parameters that need no expression.
var withoutValues = []string{"_text", "_content", "_query"}

// isStandard reports whether a parameter belongs to R4 and can be evaluated. It excludes examples
// and parameters without a type or an expression.
func (p *parameter) isStandard() bool {
	return p.Version == "4.0.1" && strings.HasPrefix(p.URL, parameterURL) && len(p.Base) > 0 &&
		(p.Expression != "" || slices.Contains(withoutValues, p.Code))
}

// mended corrects an expression that R4 wrote in invalid FHIRPath, or that yields an extension
// instead of its value.
func mended(expression string) string {
	for _, m := range mends {
		expression = m.find.ReplaceAllString(expression, m.replace)
	}
	return expression
}

var mends = []struct {
	find    *regexp.Regexp
	replace string
}{
	{regexp.MustCompile(`^InsurancePlan\.?name \| alias$|^name \| alias$`), "InsurancePlan.name | InsurancePlan.alias"},
	{regexp.MustCompile(`\bhasExtension\(('[^']*')\)`), "extension($1).exists()"},
	{regexp.MustCompile(`(\.extension\('[^']*'\))$`), "$1.value"},
	{regexp.MustCompile(`/patient-extensions-Patient-mothersMaidenName'`), "/patient-mothersMaidenName'"},
	{regexp.MustCompile(`\bas\(DateTime\)`), "as(dateTime)"},
	{regexp.MustCompile(`\bas\(String\)`), "as(string)"},
	{regexp.MustCompile(`\bas\(Uri\)`), "as(uri)"},
}

var root = regexp.MustCompile(`^\(*([A-Z]\w+)`)

// terms returns the parts of a union that are about a type.
func terms(expression, typ string) string {
	var mine []string
	depth, from := 0, 0
	take := func(to int) {
		term := strings.TrimSpace(expression[from:to])
		if m := root.FindStringSubmatch(term); m != nil && m[1] == typ {
			mine = append(mine, term)
		}
		from = to + 1
	}
	for i, c := range expression {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			take(i)
		}
	}
	take(len(expression))
	return strings.Join(mine, " | ")
}

// writeParameters writes a line for each parameter of each type: code, kind, expression, targets,
// name of the definition unless it is that of the type and the code; followed by a line for each
// component.
func (w *writer) writeParameters(all []*parameter) error {
	byType := map[string][]*parameter{}
	codes := map[string]string{}
	for _, p := range all {
		for _, base := range p.Base {
			byType[base] = append(byType[base], p)
		}
		codes[p.URL] = p.Code
	}
	for _, typ := range sortedKeys(byType) {
		w.line("S", typ)
		list := byType[typ]
		slices.SortFunc(list, func(a, b *parameter) int { return strings.Compare(a.Code, b.Code) })
		for i, p := range list {
			if i > 0 && p.Code == list[i-1].Code {
				return fmt.Errorf("%s has two search parameters %s", typ, p.Code)
			}
			expression := terms(mended(p.Expression), typ)
			if expression == "" && p.Expression != "" {
				return fmt.Errorf("%s: no part of %[3]q is about %[2]s", p.URL, typ, p.Expression)
			}
			name := strings.TrimPrefix(p.URL, parameterURL)
			if name == typ+"-"+p.Code {
				name = ""
			}
			w.line(p.Code, p.Type, short(expression, typ, p.Code), strings.Join(w.targets(p, expression), "|"), name)
			for _, c := range p.Component {
				if codes[c.Definition] == "" {
					return fmt.Errorf("%s: the component %s does not exist", p.URL, c.Definition)
				}
				w.line("", codes[c.Definition], mended(c.Expression))
			}
		}
	}
	return nil
}

// short returns an expression without the type at the start of its terms: = for the element that the code
// names.
func short(expression, typ, code string) string {
	of := typ + "."
	if expression == of+definitions.ElementOf(code) {
		return "="
	}
	if rest, found := strings.CutPrefix(expression, of); found {
		expression = "." + rest
	}
	return strings.NewReplacer(" "+of, " .", "("+of, "(.").Replace(expression)
}

var resolved = regexp.MustCompile(`resolve\(\) is (\w+)`)

// targets returns the types that a parameter of one type may refer to. They can be fewer than those
// of a definition for several types: only those that the expression selects and the elements allow.
// An empty result means any type.
func (w *writer) targets(p *parameter, expression string) []string {
	if p.Type != "reference" {
		return nil
	}
	var may []string
	for term := range strings.SplitSeq(expression, " | ") {
		var of []string
		if m := resolved.FindStringSubmatch(term); m != nil {
			of = m[1:]
		} else if of = w.elementTargets[strings.Trim(asReference.ReplaceAllString(term, "$1"), "()")]; of == nil {
			may = nil
			break
		}
		may = append(may, of...)
	}
	list := slices.Clone(p.Target)
	if may != nil {
		list = slices.DeleteFunc(list, func(t string) bool { return !slices.Contains(may, t) })
		if len(list) == 0 {
			list = may
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) >= w.resources-1 { // Parameters cannot be a target
		return nil
	}
	return list
}

var asReference = regexp.MustCompile(`^\(?([\w.]+?)(?: as Reference\)|\.as\(Reference\)|)$`)
