package catalog

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// Which supplements of a code system are used: language packs always, others only if the request
// (useSupplement) or the value set (extension valueset-supplement) names them.

const (
	// supplementType is the extension with the type of a supplement.
	supplementType = "http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type"
	languagePack   = "lang-pack"
	// valueSetSupplement is the extension with a supplement that a value set needs.
	valueSetSupplement = "http://hl7.org/fhir/StructureDefinition/valueset-supplement"
)

// IsNamed reports whether a list of canonicals names a supplement.
func IsNamed(names []string, url, version string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		u, v, _, err := r4.SplitCanonical(name)
		return err == nil && u == url && MatchVersion(v, version)
	})
}

// SupplementsOf returns the indexes of the supplements to use with a code system, in order of
// precedence. A supplement must name the url of the code system, and its version or none. names
// are the canonicals of requested supplements.
func (st *State) SupplementsOf(x *codesystem.Index, names []string) ([]*codesystem.Index, error) {
	if st.supplements.empty() || x == nil {
		return nil, nil
	}
	var out []*codesystem.Index
	for _, r := range st.supplements.get(x.URL()) {
		if !r.isLanguagePack() && !IsNamed(names, r.Header.URL, r.Header.Version) {
			continue
		}
		_, version, _, err := r4.SplitCanonical(r.Supplements)
		if err != nil || !MatchVersion(version, x.Version()) {
			continue
		}
		s, err := r.Index()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// SupplementsNamed returns the supplements that a request names, and those that the value set
// needs.
func SupplementsNamed(request []string, vs *r4.ValueSet) ([]string, error) {
	list, err := r4.DecodeExtensions(vs.Extension)
	if err != nil {
		return nil, issue.Invalid("valueSet", "its extensions cannot be read")
	}
	names := request
	for i := range list {
		if name := list[i].Value.Text; list[i].URL == valueSetSupplement && !slices.Contains(names, name) {
			names = append(names[:len(names):len(names)], name)
		}
	}
	return names, nil
}

// CheckSupplements returns an error for named supplements that do not supplement any of the code
// systems in use. It is an OutcomeError that wraps ErrUnknownSupplement.
func (st *State) CheckSupplements(names []string, used []*codesystem.Index) error {
	var absent []string
	for _, name := range names {
		found := slices.ContainsFunc(used, func(x *codesystem.Index) bool {
			return x != nil && slices.ContainsFunc(st.supplements.get(x.URL()), func(r *Record) bool { return IsNamed([]string{name}, r.Header.URL, r.Header.Version) })
		})
		if !found {
			absent = append(absent, name)
		}
	}
	switch len(absent) {
	case 0:
		return nil
	case 1:
		return issue.SupplementMissing.Failure(issue.ClassUnprocessable, issue.ErrUnknownSupplement, "", absent[0])
	}
	return issue.SupplementsMissing.Failure(issue.ClassUnprocessable, issue.ErrUnknownSupplement, "", issue.Enumerate(absent, "and"))
}

// HasSupplements reports whether there has been a supplement.
func (st *State) HasSupplements() bool { return !st.supplements.empty() }
