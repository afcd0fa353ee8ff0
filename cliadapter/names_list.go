package cliadapter

import (
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/names"
	"github.com/roget-health/roget/engine/operation"
)

// A lineNames resolves the names of code systems in the lines of a list. It is safe for concurrent use;
// nil leaves names as they are.
type lineNames struct{ list *names.List }

func newLineNames(eng *engine.Engine) *lineNames {
	return &lineNames{newDictionary(eng).list(kinds[0])}
}

// system returns the canonical that a line has as its code system, which may have a version. A part of
// a name is not enough, because nobody sees what it is taken for. What is no name stays as it is: the
// answer is about that.
func (n *lineNames) system(text string) string {
	if n == nil || text == "" || strings.Contains(text, ":") {
		return text
	}
	name, version, versioned := strings.Cut(text, "|")
	url, how, err := n.list.Find(name)
	switch {
	case err != nil || how == names.ByPart:
		return text
	case versioned:
		url += "|" + version
	}
	return url
}

// renameGiven replaces the short names in values of parameters by the canonicals that they stand for.
func (inv *invocation) renameGiven(op *operation.Operation, given []assignment, flags map[string]string, eng *engine.Engine) error {
	d := newDictionary(eng)
	for i := range given {
		p, ok := op.Param(given[i].param)
		if !ok || p.Names == "" {
			continue
		}
		var err error
		if given[i].value, err = inv.resolve(d, "--"+flags[p.Name], p.Names, given[i].value); err != nil {
			return err
		}
	}
	return nil
}

// rename replaces the short names of an annotation.
func (a *annotation) rename(inv *invocation, eng *engine.Engine) error {
	a.names = newLineNames(eng)
	d := newDictionary(eng)
	for _, value := range [...]struct {
		flag, typ string
		text      *string
	}{{"--system", kinds[0], &a.system}, {"--url", kinds[1], &a.url}, {"--map", kinds[2], &a.conceptMap}} {
		if *value.text == "" {
			continue
		}
		var err error
		if *value.text, err = inv.resolve(d, value.flag, value.typ, hyphened(*value.text)); err != nil {
			return err
		}
	}
	return nil
}

// hyphened writes a title as a name without blanks. A URI stays as it is.
func hyphened(text string) string {
	if strings.Contains(text, ":") {
		return text
	}
	return strings.Join(strings.Fields(text), "-")
}
