package engine

import (
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/resolve"
)

// Which version of a code system a coding is checked in, when an include of a value set
// names the system:
//
//	the include, with the rules of the request, asks for    the coding has     checked in
//	any version                                             none               the default version
//	any version                                             one that is known  that of the coding
//	any version                                             another            the default version; noted
//	a version, or a pattern                                 none               what is asked for
//	a pattern that the version of the coding fits           that version       that of the coding
//	anything else                                           another            what is asked for; an error

// mismatch tells how the version of a coding disagrees with that of a value set.
type mismatch int

const (
	versionsAgree   mismatch = iota
	defaultDiffers           // nobody asks for a version, and the default one is another
	ruleDiffers              // a rule of the request chose another
	includeDiffers           // the value set asks for another
	nothingAnswered          // the value set asks for one that is not there
)

// versionChoice is the version a coding is checked in.
type versionChoice struct {
	version  string // "" asks for the default one
	mismatch mismatch
	found    string // that of the code system that answers; "" when none does
}

// chooseForCoding returns the version of a system that a coding with version ofCoding is
// checked in, when an include asks for the version ofInclude.
func chooseForCoding(s *resolve.Source, system, ofInclude, ofCoding string) versionChoice {
	c := versionChoice{version: s.Rules.Choose(system, ofInclude)}
	if ofCoding == "" {
		return c
	}
	switch {
	case c.version == "":
		if slices.ContainsFunc(s.State.Versions(system), func(v string) bool { return catalog.MatchVersion(ofCoding, v) }) {
			c.version = ofCoding
		}
	case c.version != ofCoding && catalog.MatchVersion(c.version, ofCoding):
		c.version = ofCoding
	}
	r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(system, s.Rules.Choose(system, c.version))
	switch {
	case r == nil || !r.HasCodes(s.Strict):
		if c.version != ofCoding {
			c.mismatch = nothingAnswered
		}
		return c
	case catalog.MatchVersion(ofCoding, r.Header.Version):
	case c.version == "":
		c.mismatch = defaultDiffers
	case c.version != ofInclude:
		c.mismatch = ruleDiffers
	default:
		c.mismatch = includeDiffers
	}
	c.found = r.Header.Version
	return c
}
