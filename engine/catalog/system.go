package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
)

// System returns the index of a code system with content.
func (st *State) System(canonical, version string) (*codesystem.Index, error) {
	if list := st.shelves[KindCodeSystem].byURL.get(canonical); version == "" && len(list) > 0 {
		return list[0].PresentIndex() // the usual case, without parsing
	}
	url, version, err := st.SplitSystem("system", canonical, version)
	if err != nil {
		return nil, err
	}
	r, err := st.SystemRecord(url, version)
	if err != nil {
		return nil, err
	}
	return r.PresentIndex()
}

// SplitSystem is SplitVersioned for code systems. Some code systems have a | in their url
// (http://terminology.hl7.org/CodeSystem/v2-0006|2.1 in R4 core): a canonical that is the url of a
// code system is not split.
func (st *State) SplitSystem(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') >= 0 && len(st.shelves[KindCodeSystem].byURL.get(canonical)) > 0 {
		return canonical, explicit, nil
	}
	return SplitVersioned(name, canonical, explicit)
}

// SystemRecord returns the code system of a url and version.
func (st *State) SystemRecord(url, version string) (*Record, error) {
	sh := &st.shelves[KindCodeSystem]
	r, known := sh.Find(url, version)
	if r == nil {
		return nil, sh.Unknown(issue.ErrUnknownSystem, url, version, known)
	}
	return r, nil
}

// CodeSystem returns the code system that a request names by id, or by canonical and version.
func (st *State) CodeSystem(id, name, canonical, version string) (*codesystem.Index, error) {
	if id == "" {
		if canonical == "" {
			return nil, issue.Missing(name, "the code system to ask")
		}
		return st.System(canonical, version)
	}
	r, err := st.Instance(KindCodeSystem, "CodeSystem", id)
	if err != nil {
		return nil, err
	}
	if canonical != "" {
		url, v, err := st.SplitSystem(name, canonical, version)
		if err != nil {
			return nil, err
		}
		if url != r.Header.URL {
			return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is %s, not %s", id, r.Header.URL, url))
		}
		version = v
	}
	if !MatchVersion(version, r.Header.Version) {
		return nil, issue.Invalid("version", fmt.Sprintf("CodeSystem/%s has version %q, not %q", id, r.Header.Version, version))
	}
	if r.Content == "supplement" {
		return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is a supplement of %s; ask that code system", id, r.Supplements))
	}
	return r.PresentIndex()
}

// Instance returns the record of a request for an instance.
func (st *State) Instance(k Kind, typ, id string) (*Record, error) {
	r := st.shelves[k].ID(id)
	if r == nil {
		return nil, fmt.Errorf("%w: %s/%s", issue.ErrUnknownID, typ, id)
	}
	return r, nil
}

// Versions returns the versions of a code system from low to high.
func (st *State) Versions(system string) []string {
	list := st.shelves[KindCodeSystem].versions(system)
	slices.SortFunc(list, CompareVersions)
	return list
}

// ImplicitSystem returns the code system at the beginning of the url of an implicit resource: its
// canonical, or an edition of SNOMED CT. version is the version of a separate parameter.
func (st *State) ImplicitSystem(base, version string, rules *RuleSet) (*Record, error) {
	if system, edition, ok := editionBase(base); ok {
		switch {
		case version == "" || MatchVersion(version, edition):
			version = edition
		case !MatchVersion(edition, version):
			return nil, issue.Invalid("version", fmt.Sprintf("%s and version %q contradict each other", base, version))
		}
		base = system
	}
	version = rules.Choose(base, version)
	r, err := st.SystemRecord(base, version)
	if err != nil {
		return nil, err
	}
	return r, rules.Allows(base, r.Header.Version)
}

// Declaring returns the code systems whose CodeSystem.valueSet, the value set of all codes, is a
// canonical.
func (st *State) Declaring(canonical string) []*Record { return st.allCodes.get(canonical) }
