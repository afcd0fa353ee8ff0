package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
)

// System returns the index of a code system whose content is present.
func (st *State) System(canonical, version string) (*codesystem.Index, error) {
	if list := st.shelves[KindCodeSystem].byURL.get(canonical); version == "" && len(list) > 0 {
		return list[0].PresentIndex() // the usual case, without a look at the characters
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

// SplitSystem is splitVersioned for a code system, except that some code systems have
// a | in their very url (http://terminology.hl7.org/CodeSystem/v2-0006|2.1 in R4 core):
// a canonical that is the url of one as it stands is not split.
func (st *State) SplitSystem(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') >= 0 && len(st.shelves[KindCodeSystem].byURL.get(canonical)) > 0 {
		return canonical, explicit, nil
	}
	return SplitVersioned(name, canonical, explicit)
}

// SystemRecord finds a code system by url and version.
func (st *State) SystemRecord(url, version string) (*Record, error) {
	sh := &st.shelves[KindCodeSystem]
	r, known := sh.Find(url, version)
	if r == nil {
		return nil, sh.Unknown(issue.ErrUnknownSystem, url, version, known)
	}
	return r, nil
}

// CodeSystem returns the code system a request names: by instance, or by canonical and version.
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

// Instance finds the record of a request on the instance level.
func (st *State) Instance(k Kind, typ, id string) (*Record, error) {
	r := st.shelves[k].ID(id)
	if r == nil {
		return nil, fmt.Errorf("%w: %s/%s", issue.ErrUnknownID, typ, id)
	}
	return r, nil
}

// Versions lists the versions of a code system from low to high, each once.
func (st *State) Versions(system string) []string {
	list := st.shelves[KindCodeSystem].versions(system)
	slices.SortFunc(list, CompareVersions)
	return list
}

// ImplicitSystem finds the code system that a url begins with: its canonical, or an
// edition of SNOMED CT. version is the one asked for beside it.
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

// Declaring returns the code systems that declare a canonical as that of the value set of all
// their codes (CodeSystem.valueSet).
func (st *State) Declaring(canonical string) []*Record { return st.allCodes.get(canonical) }
