package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

const structureDefinition = "http://hl7.org/fhir/StructureDefinition/"

// read adds what an ElementDefinition says to a node. What it does not mention stays as it was.
func (n *node) read(t *definitions.Tables, e document.Value) error {
	for m := range e.Members() {
		switch name := m.Name(); name {
		case "min":
			n.min, _ = strconv.Atoi(m.Text())
		case "max":
			n.max = unbounded
			if text := m.Text(); text != "*" {
				limit, err := strconv.Atoi(text)
				if err != nil || limit < 0 {
					return fmt.Errorf("element %.100s: max %.20q is neither a number nor *", n.id, text)
				}
				n.max = limit
			}
		case "type":
			n.types = readTypes(m)
		case "maxLength":
			n.length, _ = strconv.Atoi(m.Text())
		case "mustSupport":
			n.must = m.Text() == "true"
		case "isModifier":
			n.modifier = m.Text() == "true"
		case "contentReference":
			n.content = m.Text()
		case "binding":
			n.binding = binding{m.Get("strength").Text(), m.Get("valueSet").Text()}
		case "constraint":
			n.readRules(t, m)
		case "slicing":
			n.readSlicing(m)
		default:
			n.readValue(name, m)
		}
	}
	return nil
}

// readValue reads fixed[x], pattern[x], minValue[x] and maxValue[x].
func (n *node) readValue(name string, m document.Value) {
	for _, of := range [...]struct {
		prefix string
		to     *document.Value
	}{{"fixed", &n.fixed}, {"pattern", &n.pattern}, {"minValue", &n.least}, {"maxValue", &n.greatest}} {
		if strings.HasPrefix(name, of.prefix) && len(name) > len(of.prefix) {
			*of.to = m
		}
	}
}

// readTypes returns the types with their profiles. Several entries for one type are united.
func readTypes(list document.Value) []typeRef {
	var types []typeRef
	for t := range list.Items() {
		code := t.Get("code").Text()
		i := slices.IndexFunc(types, func(other typeRef) bool { return other.code == code })
		if i < 0 {
			i, types = len(types), append(types, typeRef{code: code})
		}
		types[i].profiles = append(types[i].profiles, texts(t.Get("profile"))...)
		types[i].targets = append(types[i].targets, texts(t.Get("targetProfile"))...)
	}
	return types
}

func texts(list document.Value) []string {
	var all []string
	for item := range list.Items() {
		all = append(all, item.Text())
	}
	return all
}

// readRules adds constraints. One with the key of another replaces it, and those of R4's own types
// are left to package validate.
func (n *node) readRules(t *definitions.Tables, list document.Value) {
	n.rules = slices.Clone(n.rules)
	for c := range list.Items() {
		source, isCore := strings.CutPrefix(c.Get("source").Text(), structureDefinition)
		text := c.Get("expression").Text()
		if text == "" || isCore && t.Type(source) != nil {
			continue
		}
		r := rule{key: c.Get("key").Text(), severity: c.Get("severity").Text(), human: c.Get("human").Text()}
		var err error
		if r.expression, err = fhirpath.Compile(text); err != nil {
			r.expression, r.problem = nil, err.Error()
		}
		n.rules = slices.DeleteFunc(n.rules, func(old rule) bool { return old.key == r.key })
		n.rules = append(n.rules, r)
	}
}

func (n *node) readSlicing(v document.Value) {
	s := &slicing{rules: v.Get("rules").Text(), ordered: v.Get("ordered").Text() == "true"}
	for d := range v.Get("discriminator").Items() {
		by := discriminator{kind: d.Get("type").Text(), path: d.Get("path").Text()}
		var err error
		if by.steps, err = parseSteps(by.path); err != nil {
			by.problem = err.Error()
		}
		s.by = append(s.by, by)
	}
	if len(s.by) == 0 && n.slicing != nil {
		s.by = n.slicing.by
	}
	n.slicing = s
}
