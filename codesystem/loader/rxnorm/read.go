package rxnorm

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// readAtom reads a row of RXNCONSO.
func (l *load) readAtom(r *rows) error {
	cui := r.fields[consoCUI]
	if cui == "" || r.fields[consoSAB] == "" {
		return fmt.Errorf("%s: %w: the RXCUI or the SAB is missing", r.where(), loader.ErrFormat)
	}
	n, known := l.number[cui]
	if !known {
		n = uint32(len(l.concepts))
		cui = strings.Clone(cui)
		l.number[cui] = n
		l.concepts = append(l.concepts, concept{cui: cui, where: r.where()})
	}
	l.say(n, fact{property: "SAB", value: r.fields[consoSAB]})
	if r.fields[consoSAB] == own && (r.fields[consoLAT] == "ENG" || r.fields[consoLAT] == "") {
		l.concepts[n].own = true
		l.atoms.Add(n, atom{l.word(r.fields[consoTTY]), strings.Clone(r.fields[consoSTR]), l.word(r.fields[consoSuppress])})
	}
	return nil
}

// suppressed interprets SUPPRESS: O is obsolete, E or Y is suppressed by editors.
func suppressed(s string) bool { return s != "" && s != "N" }

// readType reads a row of RXNSTY.
func (l *load) readType(r *rows) error {
	if n, ok := l.number[r.fields[styCUI]]; ok {
		l.say(n, fact{"STY", r.fields[styTUI], r.fields[styName]})
	}
	return nil
}

// readAttribute reads a row of RXNSAT.
func (l *load) readAttribute(r *rows) error {
	n, ok := l.number[r.fields[satCUI]]
	if !ok || !l.concepts[n].own || r.fields[satSAB] != own || r.fields[satATN] == "" || r.fields[satATV] == "" || suppressed(r.fields[satSuppress]) && r.fields[satSuppress] != "O" {
		return nil
	}
	l.say(n, fact{property: attribute(r.fields[satATN]), value: r.fields[satATV]})
	return nil
}

// attribute returns the property for an attribute, distinct from the properties of other files.
func attribute(name string) string {
	switch name {
	case "TTY", "SAB", "STY", "SUPPRESS", "MERGED_TO_RXCUI", "inactive":
		return "ATN_" + name
	}
	return name
}

// readRelationship reads a row of RXNREL: the relationship of the second concept to the first.
func (l *load) readRelationship(r *rows) error {
	first, second := r.fields[relCUI1], r.fields[relCUI2]
	if first == "" || second == "" || r.fields[relSAB] != own || suppressed(r.fields[relSuppress]) && r.fields[relSuppress] != "O" {
		return nil
	}
	n, ok := l.number[second]
	other, known := l.number[first]
	if !ok || !known || !l.concepts[n].own {
		return nil
	}
	for _, property := range [...]string{r.fields[relREL], r.fields[relRELA]} {
		if property != "" {
			l.links.Add(n, relation{l.word(property), other})
		}
	}
	return nil
}

// readArchived reads a row of RXNATOMARCHIVE.
func (l *load) readArchived(r *rows) error {
	cui := r.fields[oldCUI]
	if n, ok := l.number[cui]; cui == "" || r.fields[oldSAB] != own || ok && l.concepts[n].own {
		return nil
	}
	old := l.retire(cui, r.where())
	if text := r.fields[oldSTR]; text != "" {
		old.names = append(old.names, atom{tty: l.word(r.fields[oldTTY]), text: strings.Clone(text)})
	}
	old.mergeInto(cui, l.word(r.fields[oldMerged]))
	return nil
}

// readSuccessor reads a row of RXNCUI: the replacement of a retired concept.
func (l *load) readSuccessor(r *rows) error {
	if old := l.retired[r.fields[cuiOld]]; old != nil {
		old.mergeInto(r.fields[cuiOld], l.word(r.fields[cuiNew]))
	}
	return nil
}

// readSource reads a row of RXNSAB.
func (l *load) readSource(r *rows) error {
	if r.fields[sabRSAB] == own {
		l.version = versionOf(r.fields[sabSVER])
	}
	return nil
}

// retire returns the record of a retired concept, a new one if necessary.
func (l *load) retire(cui, where string) *retired {
	old := l.retired[cui]
	if old == nil {
		cui = strings.Clone(cui)
		old = &retired{where: where}
		l.retired[cui] = old
		l.old = append(l.old, cui)
	}
	return old
}

// mergeInto records the replacement of a retired concept.
func (old *retired) mergeInto(cui, successor string) {
	if successor == "" || successor == cui {
		return
	}
	for _, had := range old.merged {
		if had == successor {
			return
		}
	}
	old.merged = append(old.merged, successor)
}
