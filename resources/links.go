package resources

import (
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// A link is a string in a document that may name another entry of the same bundle, or be a search
// for the referenced resource.
type link struct {
	value     document.Value
	kind      linkKind
	condition condition // set if the link is a search
}

type linkKind uint8

const (
	linkURI       linkKind = iota // type uri, url, oid or uuid: names an entry
	linkReference                 // Reference.reference: names an entry, or is a search
	linkNarrative                 // Narrative.div: href and src of its elements
)

// links returns the strings of a document for which wanted returns true (R4 http.html#trules:
// references, elements of type uri, url, oid and uuid, and links of narratives).
func links(t *definitions.Tables, d *document.Document, wanted func(text string, kind linkKind) bool) []link {
	w := linkWalker{tables: t, wanted: wanted}
	w.resource(d.Root())
	return w.found
}

type linkWalker struct {
	tables *definitions.Tables
	wanted func(text string, kind linkKind) bool
	found  []link
}

func (w *linkWalker) resource(v document.Value) {
	if t := w.tables.Type(v.Get("resourceType").Text()); t != nil {
		w.object(v, t)
	}
}

func (w *linkWalker) object(v document.Value, t *definitions.Type) {
	for member := range v.Members() {
		name := member.Name()
		if strings.HasPrefix(name, "_") { // id and extensions of a primitive
			w.element(member, w.tables.Type("Element"), 0, false)
			continue
		}
		e := t.Element(name)
		if e == nil {
			continue
		}
		kind, is := linkKindOf(t, e)
		w.element(member, e.Type, kind, is)
	}
}

// linkKindOf reports whether an element is a link, and of which kind.
func linkKindOf(t *definitions.Type, e *definitions.Element) (linkKind, bool) {
	switch e.TypeCode {
	case "uri", "url", "oid", "uuid":
		return linkURI, true
	case "xhtml":
		return linkNarrative, true
	case "string":
		return linkReference, e.Name == "reference" && t.Name == "Reference"
	}
	return 0, false
}

func (w *linkWalker) element(v document.Value, t *definitions.Type, kind linkKind, is bool) {
	switch v.Kind() {
	case document.Array:
		for item := range v.Items() {
			w.element(item, t, kind, is)
		}
	case document.Object:
		switch {
		case t == nil:
		case t.Kind == definitions.ResourceType:
			w.resource(v)
		default:
			w.object(v, t)
		}
	case document.String:
		if is && w.wanted(v.Text(), kind) {
			w.found = append(w.found, link{value: v, kind: kind})
		}
	}
}

// replaceLinks returns a narrative with its link targets replaced. resolve returns the new target
// of a URL; ok false leaves it unchanged.
func replaceLinks(narrative string, resolve func(url string) (target string, ok bool)) string {
	var b strings.Builder
	for rest := narrative; ; {
		at, quote := nextLink(rest)
		if at < 0 {
			b.WriteString(rest)
			return b.String()
		}
		end := strings.IndexByte(rest[at:], quote)
		if end < 0 {
			b.WriteString(rest)
			return b.String()
		}
		url := rest[at : at+end]
		b.WriteString(rest[:at])
		if target, ok := resolve(url); ok {
			url = target
		}
		b.WriteString(url)
		rest = rest[at+end:]
	}
}

// nextLink returns where the value of the next href or src begins and the quote that ends it, or -1
// if there is none.
func nextLink(text string) (at int, quote byte) {
	at = -1
	for _, attribute := range [...]string{`href=`, `src=`} {
		for from := 0; ; {
			i := strings.Index(text[from:], attribute)
			if i < 0 {
				break
			}
			i += from + len(attribute)
			if i < len(text) && (text[i] == '"' || text[i] == '\'') {
				if at < 0 || i+1 < at {
					at, quote = i+1, text[i]
				}
				break
			}
			from = i
		}
	}
	return at, quote
}
