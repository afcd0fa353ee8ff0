package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
)

// shelf returns the shelf of a kind.
func (s *state) shelf(k kind) *shelf { return &s.shelves[k] }

// system returns the index of a code system whose content is present.
func (st *state) system(canonical, version string) (*codesystem.Index, error) {
	if list := st.shelves[kindCodeSystem].byURL.get(canonical); version == "" && len(list) > 0 {
		return list[0].content() // the usual case, without a look at the characters
	}
	url, version, err := st.splitSystem("system", canonical, version)
	if err != nil {
		return nil, err
	}
	r, err := st.systemRecord(url, version)
	if err != nil {
		return nil, err
	}
	return r.content()
}

// splitSystem is splitVersioned for a code system, except that some code systems have
// a | in their very url (http://terminology.hl7.org/CodeSystem/v2-0006|2.1 in R4 core):
// a canonical that is the url of one as it stands is not split.
func (st *state) splitSystem(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') >= 0 && len(st.shelves[kindCodeSystem].byURL.get(canonical)) > 0 {
		return canonical, explicit, nil
	}
	return splitVersioned(name, canonical, explicit)
}

// systemRecord finds a code system by url and version.
func (st *state) systemRecord(url, version string) (*record, error) {
	sh := &st.shelves[kindCodeSystem]
	r, known := sh.find(url, version)
	if r == nil {
		return nil, sh.unknown(issue.ErrUnknownSystem, url, version, known)
	}
	return r, nil
}

// codeSystem returns the code system a request names: by instance, or by canonical and version.
func (st *state) codeSystem(id, name, canonical, version string) (*codesystem.Index, error) {
	if id == "" {
		if canonical == "" {
			return nil, issue.Missing(name, "the code system to ask")
		}
		return st.system(canonical, version)
	}
	r, err := st.instance(kindCodeSystem, "CodeSystem", id)
	if err != nil {
		return nil, err
	}
	if canonical != "" {
		url, v, err := st.splitSystem(name, canonical, version)
		if err != nil {
			return nil, err
		}
		if url != r.Header.URL {
			return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is %s, not %s", id, r.Header.URL, url))
		}
		version = v
	}
	if !matchVersion(version, r.Header.Version) {
		return nil, issue.Invalid("version", fmt.Sprintf("CodeSystem/%s has version %q, not %q", id, r.Header.Version, version))
	}
	if r.Content == "supplement" {
		return nil, issue.Invalid(name, fmt.Sprintf("CodeSystem/%s is a supplement of %s; ask that code system", id, r.Supplements))
	}
	return r.content()
}

// instance finds the record of a request on the instance level.
func (st *state) instance(k kind, typ, id string) (*record, error) {
	r := st.shelves[k].id(id)
	if r == nil {
		return nil, fmt.Errorf("%w: %s/%s", issue.ErrUnknownID, typ, id)
	}
	return r, nil
}

// versions lists the versions of a code system from low to high, each once.
func (st *state) versions(system string) []string {
	list := st.shelves[kindCodeSystem].versions(system)
	slices.SortFunc(list, compareVersions)
	return list
}

// implicitSystem finds the code system that a url begins with: its canonical, or an
// edition of SNOMED CT. version is the one asked for beside it.
func (st *state) implicitSystem(base, version string, rules *ruleSet) (*record, error) {
	if system, edition, ok := editionBase(base); ok {
		switch {
		case version == "" || matchVersion(version, edition):
			version = edition
		case !matchVersion(edition, version):
			return nil, issue.Invalid("version", fmt.Sprintf("%s and version %q contradict each other", base, version))
		}
		base = system
	}
	version = rules.choose(base, version)
	r, err := st.systemRecord(base, version)
	if err != nil {
		return nil, err
	}
	return r, rules.allows(base, r.Header.Version)
}

// declaring returns the code systems that declare a canonical as that of the value set of all
// their codes (CodeSystem.valueSet).
func (st *state) declaring(canonical string) []*record { return st.allCodes.get(canonical) }
