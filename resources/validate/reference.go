package validate

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// reference holds a Reference to the forms of https://hl7.org/fhir/R4/references.html: Type/id
// with or without a version, an absolute url, a urn, or #id of a contained resource.
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
		return // a search, to be resolved when the Bundle is carried out
	}
	typ, ok := cutRelative(ref)
	if !ok {
		w.reportAt(Error, CodeValue, text, "reference", "%.80q is no reference: Type/id, an absolute url, urn:uuid:… or #id is expected", ref)
		return
	}
	if !w.v.tables.IsResource(typ) {
		w.reportAt(Error, CodeValue, text, "reference", "%.40q is no resource type of R4", typ)
		return
	}
	if e := w.steps[len(w.steps)-1].element; e.Targets != nil && e.TypeCode == "Reference" && !slices.Contains(e.Targets, typ) {
		// R4's own examples do this, and later releases allow more targets.
		w.reportAt(Warning, CodeValue, text, "reference", "a reference to %s, but only to %s is foreseen here", typ, strings.Join(e.Targets, ", "))
	}
	if named := v.Get("type"); named.Kind() == document.String && w.v.tables.IsResource(named.Text()) && named.Text() != typ {
		w.reportAt(Error, CodeInvariant, named, "type", "%s, but the reference is to a %s", named.Text(), typ)
	}
}

// isAbsolute reports a uri with a scheme.
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

// isConditional reports a search in place of a reference: Practitioner?identifier=x.
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

// notePossibleLocal notes a value that names a contained resource of the container.
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

// localReferences reports references to contained resources that are not there, and
// warns of contained resources that nothing refers to, when the container has been walked.
func (w *walker) localReferences() {
	contained := w.container.Get("contained")
	if !contained.Exists() && w.local == nil {
		return
	}
	there := make(map[string]bool, contained.Len()) // by id: whether something refers to it
	for resource := range contained.Items() {
		there[resource.Get("id").Text()] = false
	}
	for _, v := range w.local {
		id := v.Text()[1:]
		if _, found := there[id]; found {
			there[id] = true
		} else if v.Name() == "reference" && id != "" {
			w.reportLeft(Error, CodeInvariant, v, "no contained resource has the id %.64q", id)
		}
	}
	for resource := range contained.Items() {
		if id := resource.Get("id").Text(); id != "" && !there[id] && !refersOut(resource) {
			w.reportLeft(Warning, CodeInvariant, resource, "nothing refers to this contained resource")
		}
	}
}

// refersOut reports that a contained resource names its container.
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

// containedRules checks a contained resource that has been walked: it has an id, no
// version and time of its own, and holds no other resources.
func (w *walker) containedRules(v document.Value, deeper bool) {
	if deeper {
		w.report(Error, CodeInvariant, v, "a contained resource cannot contain another")
	}
	if !v.Get("id").Exists() {
		w.reportAt(Error, CodeRequired, v, "id", "a contained resource needs an id")
	}
	meta := v.Get("meta")
	for _, name := range [...]string{"versionId", "lastUpdated", "security"} {
		if meta.Get(name).Exists() {
			w.reportAt(Error, CodeInvariant, meta, "meta."+name, "a contained resource has no meta.%s", name)
		}
	}
}

// reportLeft notes a problem of a value that the walker has left.
func (w *walker) reportLeft(s Severity, code string, v document.Value, format string, args ...any) {
	told := len(w.issues)
	w.report(s, code, v, format, args...)
	if len(w.issues) > told {
		w.issues[told].Expression = v.Path(w.root)
	}
}
