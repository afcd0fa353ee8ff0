package engine

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// supplementsOf gives the indexes of the supplements that apply to a code system: those
// that name its url, and its version or none. In the order in which versions answer.
func (st *state) supplementsOf(x *codesystem.Index) ([]*codesystem.Index, error) {
	if st.supplements.empty() || x == nil {
		return nil, nil
	}
	var out []*codesystem.Index
	for _, r := range st.supplements.get(x.URL()) {
		_, version, _, err := r4.SplitCanonical(r.Supplements)
		if err != nil || !matchVersion(version, x.Version()) {
			continue
		}
		s, err := r.codeSystem()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
