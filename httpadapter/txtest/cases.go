package txtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The versions of FHIR that a Runner speaks.
const (
	R4 = "4.0.1"
	R5 = "5.0.0"
)

// Cases is a folder of test cases. It is safe for concurrent use.
type Cases struct {
	dir    string
	suites []*Suite
	files  sync.Map // path in the folder -> func() (*fixture, error)
}

// Suite is a named list of cases with the setup resources that all of their requests carry.
type Suite struct {
	Name  string
	Cases []*Case

	fields object
	setup  []string
}

// Case is one request with its expected response.
type Case struct {
	// ID is suite/name. If a name is repeated in a suite, the second ID ends with #2, the third
	// with #3.
	ID string
	// Name is the part of ID after the suite.
	Name string

	suite  *Suite
	fields object
	in     *Cases
}

// Open reads test-cases.json in the folder dir. The files that it refers to are read once each,
// when the first case that needs them runs.
func Open(dir string) (*Cases, error) {
	data, err := os.ReadFile(filepath.Join(dir, "test-cases.json"))
	if err != nil {
		return nil, err
	}
	tree, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("test-cases.json: %w", err)
	}
	root, _ := tree.(object)
	c := &Cases{dir: dir}
	for _, fields := range objects(root, "suites") {
		c.suites = append(c.suites, c.suite(fields))
	}
	if len(c.suites) == 0 {
		return nil, errors.New("test-cases.json lists no suites")
	}
	return c, nil
}

// Suites returns the suites in the order of the file.
func (c *Cases) Suites() []*Suite { return c.suites }

func (c *Cases) suite(fields object) *Suite {
	s := &Suite{Name: text(fields, "name"), fields: fields, setup: names(fields, "setup")}
	seen := map[string]int{}
	for _, test := range objects(fields, "tests") {
		name := text(test, "name")
		seen[name]++
		if n := seen[name]; n > 1 {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		s.Cases = append(s.Cases, &Case{ID: s.Name + "/" + name, Name: name, suite: s, fields: test, in: c})
	}
	return s
}

// Mode returns the mode that the suite requires, or "" if it is for every server.
func (s *Suite) Mode() string {
	if modes := modesOf(s.fields); len(modes) > 0 {
		return modes[0]
	}
	return ""
}

// Skip returns the reason why a case does not apply to an R4 server that runs in the given modes,
// or "" if it applies.
func (c *Case) Skip(modes []string) string { return c.skip(modes, R4) }

// Skip returns the reason why a case does not apply to the server of the Runner, or "" if it applies.
func (r *Runner) Skip(c *Case) string { return c.skip(r.Modes, r.version()) }

func (c *Case) skip(modes []string, fhirVersion string) string {
	for _, fields := range []object{c.suite.fields, c.fields} {
		wanted := modesOf(fields)
		if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(m string) bool { return slices.Contains(modes, m) }) {
			return "it requires mode " + strings.Join(wanted, " or ")
		}
		if version := text(fields, "version"); version != "" {
			bare, not := strings.CutPrefix(version, "!")
			if not == strings.HasPrefix(fhirVersion, bare) {
				return "it requires FHIR " + version
			}
		}
		if fields["disabled"] == true {
			return "it is disabled in the suite"
		}
	}
	if c.fields["full-set"] == true {
		return "it requires a whole code system that is not part of the suite"
	}
	return ""
}

// modesOf returns the modes that a suite or case is for. An empty list means all modes.
func modesOf(fields object) []string {
	modes := names(fields, "modes")
	if mode := text(fields, "mode"); mode != "" {
		modes = append(modes, mode)
	}
	return modes
}

// file returns the file name in a field, or in the variant of the field for a mode.
func (c *Case) file(field string, modes []string) string {
	for _, mode := range modes {
		if name := text(c.fields, field+":"+mode); name != "" {
			return name
		}
	}
	return text(c.fields, field)
}
