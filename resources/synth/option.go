package synth

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Option is a parameter for the resources of a type, in addition to the seed.
type Option struct {
	// Name is the documented name: "patient_ref", "questionnaire_template".
	Name string
	// Type is a FHIR type: "string", "code" (one of Choices), "integer" (from Low to High) or
	// "canonical".
	Type      string
	Default   string // "" means that the value is drawn
	Choices   []string
	Low, High int
	Doc       string
}

// allOptions returns the options of a type: first the references, then the others.
func (t *typeRow) allOptions() []Option {
	var list []Option
	for _, r := range t.roles {
		o := Option{Name: roles[r].option, Type: "string", Doc: roles[r].doc}
		if r == roleQuestionnaire {
			o.Type = "canonical"
		}
		list = append(list, o)
	}
	return append(list, t.options...)
}

// setDefaults sets the options of the type to their defaults.
func (g *Generator) setDefaults() {
	for _, o := range g.row.options {
		if o.Default != "" {
			_ = g.set(o.Name, o.Default) // defaults are valid; a test checks it
		}
	}
}

// set sets an option.
func (g *Generator) set(name, value string) error {
	for _, r := range g.row.roles {
		if roles[r].option == name {
			if err := roles[r].check(value); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrOption, name, err)
			}
			g.refs[r] = value
			return nil
		}
	}
	for i := range g.row.options {
		o := &g.row.options[i]
		if o.Name != name {
			continue
		}
		if err := o.check(value); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrOption, name, err)
		}
		g.texts[name] = value
		if o.Type == "integer" {
			g.numbers[name], _ = strconv.Atoi(value) // checked
		}
		return nil
	}
	var names []string
	for _, o := range g.row.allOptions() {
		names = append(names, o.Name)
	}
	return fmt.Errorf("%w: %s has no option %q; use one of %s", ErrOption, g.row.name, name, strings.Join(names, ", "))
}

// check checks the value of an option.
func (o *Option) check(value string) error {
	switch o.Type {
	case "integer":
		n, err := strconv.Atoi(value)
		if err != nil || n < o.Low || n > o.High {
			return fmt.Errorf("%q is not a whole number from %d to %d", value, o.Low, o.High)
		}
	case "code":
		if !slices.Contains(o.Choices, value) {
			return fmt.Errorf("%q is not one of %s", value, strings.Join(o.Choices, ", "))
		}
	}
	return nil
}

// check checks a reference: Type/id with a type that the role allows, or an absolute URI.
func (r *roleRow) check(value string) error {
	if r.typ == "Questionnaire" {
		if value == "" || strings.ContainsAny(value, " \t\r\n") {
			return fmt.Errorf("%q is not a canonical URL", value)
		}
		return nil
	}
	if strings.HasPrefix(value, "urn:uuid:") || strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") {
		return nil
	}
	typ, id, _ := strings.Cut(value, "/")
	switch {
	case !r4.ValidID(id):
		return fmt.Errorf("%q is not a reference of the form %s/id", value, r.typ)
	case typ != r.typ && !slices.Contains(strings.Fields(r.alsoTypes), typ):
		return fmt.Errorf("%q is not a reference to %s", value, strings.Join(append([]string{r.typ}, strings.Fields(r.alsoTypes)...), ", "))
	}
	return nil
}
