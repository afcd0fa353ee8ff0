package validate

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// reference checks that a Reference has one of the forms of
// https://hl7.org/fhir/R4/references.html: Type/id with or without a version, an absolute URL, a
// URN, or #id of a contained resource.
func (w *walker) reference(v document.Value) {
	text := v.Get("reference")
	if text.Kind() != document.String {
		return
	}
	ref := text.Text()
	if ref == "" || ref[0] == '#' || isAbsolute(ref) {
		return
	}
	if w.bundled > 0 && isConditional(ref) {
		return // a search, which is resolved when the Bundle is processed
	}
	typ, ok := cutRelative(ref)
	if !ok {
		w.reportAt(Error, CodeValue, text, "reference", "%.80q is not a reference: expected Type/id, an absolute URL, urn:uuid:… or #id", ref)
		return
	}
	if !w.v.tables.IsResource(typ) {
		w.reportAt(Error, CodeValue, text, "reference", "%.40q is not a resource type of R4", typ)
		return
	}
	if e := w.steps[len(w.steps)-1].element; e.Targets != nil && e.TypeCode == "Reference" && !slices.Contains(e.Targets, typ) {
		// R4's own examples contain such references, and later releases allow more targets.
		w.reportAt(Warning, CodeValue, text, "reference", "the reference is to a %s, but this element refers to %s", typ, strings.Join(e.Targets, ", "))
	}
	if named := v.Get("type"); named.Kind() == document.String && w.v.tables.IsResource(named.Text()) && named.Text() != typ {
		w.reportAt(Error, CodeInvariant, named, "type", "the type is %s, but the reference is to a %s", named.Text(), typ)
	}
}

// isAbsolute reports whether a reference is a URI with a scheme.
func isAbsolute(ref string) bool {
	scheme, rest, ok := strings.Cut(ref, ":")
	if !ok || scheme == "" || rest == "" {
		return false
	}
	for i := range len(scheme) {
		switch c := scheme[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return true
}

// isConditional reports whether a search replaces a reference: Practitioner?identifier=x.
func isConditional(ref string) bool {
	typ, query, ok := strings.Cut(ref, "?")
	return ok && query != "" && isName(typ)
}

func isName(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return text != ""
}

// cutRelative returns the type of Type/id or Type/id/_history/version.
func cutRelative(ref string) (typ string, ok bool) {
	typ, id, ok := strings.Cut(ref, "/")
	if !ok || !isName(typ) {
		return "", false
	}
	id, version, versioned := strings.Cut(id, "/_history/")
	id, _, _ = strings.Cut(id, "#") // a part of the resource
	return typ, r4.ValidID(id) && (!versioned || r4.ValidID(version))
}

// notePossibleLocal records a value that may name a contained resource of the container.
func (w *walker) notePossibleLocal(typ string, v document.Value) {
	switch typ {
	case "uri", "url", "canonical":
		w.local = append(w.local, v)
	case "string":
		if n := len(w.steps); n > 1 && w.steps[n-1].element.Path == "Reference.reference" {
			w.local = append(w.local, v)
		}
	}
}

// localReferences is called after the container has been walked. It is ref-1, which requires that
// references to contained resources exist, and dom-3, which requires a reference to each contained
// resource. R4's expressions would search the container once for each of them.
func (w *walker) localReferences() {
	contained := w.container.Get("contained")
	if !contained.Exists() && w.local == nil {
		return
	}
	there := make(map[string]bool, contained.Len()) // by id: whether something refers to it
	for resource := range contained.Items() {
		id := resource.Get("id").Text()
		if _, found := there[id]; found && id != "" {
			w.reportLeft(Error, CodeDuplicate, resource, "another contained resource has the id %.64q", id)
		}
		there[id] = false
	}
	for _, v := range w.local {
		id := v.Text()[1:]
		if _, found := there[id]; found {
			there[id] = true
		} else if v.Name() == "reference" && id != "" {
			w.reportLeft(Error, CodeInvariant, v, "ref-1: no contained resource has the id %.64q", id)
		}
	}
	for resource := range contained.Items() {
		if id := resource.Get("id").Text(); id != "" && !there[id] && !refersOut(resource) {
			w.reportLeft(Error, CodeInvariant, resource, "dom-3: no reference refers to this contained resource")
		}
	}
}

// refersOut reports whether a contained resource refers to its container.
func refersOut(v document.Value) bool {
	if v.Name() == "reference" && v.Is("#") {
		return true
	}
	for child := range v.Children() {
		if refersOut(child) {
			return true
		}
	}
	return false
}

// reportLeft records a problem of a value that the walker has left.
func (w *walker) reportLeft(s Severity, code string, v document.Value, format string, args ...any) {
	before := len(w.issues)
	w.report(s, code, v, format, args...)
	if len(w.issues) > before {
		w.issues[before].Expression = v.Path(w.root)
	}
}
