package main

import "strings"

// binding returns the name of the list of an element's codes and schedules the list for writing:
// for required bindings to value sets whose codes are all known. It returns ! and the value set for
// other required bindings, and ~ and the value set for extensible ones.
func (w *writer) binding(e *element) string {
	url, _, _ := strings.Cut(e.Binding.ValueSet, "|")
	switch {
	case url == "":
		return ""
	case e.Binding.Strength == "extensible":
		return "~" + strings.TrimPrefix(url, valueSetURL)
	case e.Binding.Strength != "required":
		return ""
	}
	if _, known := w.lists[url]; !known {
		w.lists[url] = w.expand(w.valueSets[url])
	}
	if w.lists[url] == nil {
		return "!" + strings.TrimPrefix(url, valueSetURL)
	}
	if id, own := strings.CutPrefix(url, valueSetURL); own {
		return "/" + id
	}
	return url
}

const valueSetURL = "http://hl7.org/fhir/ValueSet/"

// group is the codes of a system.
type group struct {
	system string
	codes  []string
}

// expand lists the codes of a value set, nil if they are not all known.
func (w *writer) expand(vs *resource) []group {
	if vs == nil || vs.Compose == nil || len(vs.Compose.Exclude) > 0 {
		return nil
	}
	var list []group
	for _, inc := range vs.Compose.Include {
		g := group{system: inc.System}
		for _, c := range inc.Concept {
			g.codes = append(g.codes, c.Code)
		}
		if inc.Concept == nil {
			system := w.codeSystems[inc.System]
			if system == nil || system.Content != "complete" {
				return nil
			}
			g.codes = allCodes(nil, system.Concept)
		}
		if len(inc.Filter) > 0 || len(inc.ValueSet) > 0 || g.codes == nil {
			return nil
		}
		list = append(list, g)
	}
	return list
}

func allCodes(dst []string, list []*concept) []string {
	for _, c := range list {
		dst = allCodes(append(dst, c.Code), c.Concept)
	}
	return dst
}
