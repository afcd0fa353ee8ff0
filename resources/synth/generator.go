package synth

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Errors of New, NewPopulation and Each.
var (
	// ErrUnknownType is returned for a resource type that cannot be generated.
	ErrUnknownType = errors.New("resource type cannot be generated")
	// ErrOption is returned for an option that does not exist, has the wrong type or a bad value.
	ErrOption = errors.New("invalid option")
)

// Options control what is generated. The zero Options are valid: 0 is a seed like any other.
type Options struct {
	// Seed determines all random choices.
	Seed uint64
	// Values are options of the type by name, as listed in Type.Options: "patient_ref" is
	// "Patient/17", "questionnaire_template" is "phq-9".
	Values map[string]string
	// Codes are the codes to draw from for elements without a list, by the path of the element as
	// listed in Type.Codes: "Condition.code". The order matters: the same codes in another order
	// produce other resources.
	Codes map[string][]Coding
}

// Generator generates the resources of one type. It is immutable and safe for concurrent use.
type Generator struct {
	row    *typeRow
	seed   uint64
	seedID string
	stream uint64 // seed of the type's random stream
	// ofPatients is set for a type whose resource n belongs to Patient n.
	ofPatients bool
	refs       [roleCount]string
	texts      map[string]string // options by name
	numbers    map[string]int    // integer options by name
	codes      map[string][]Coding
	clinic     *clinic
}

// New returns a generator for a type. Errors: ErrUnknownType, ErrOption.
func New(typ string, o Options) (*Generator, error) {
	row := rowOf(typ)
	if row == nil {
		return nil, fmt.Errorf("%w: %q; use one of %s", ErrUnknownType, typ, strings.Join(TypeNames(), ", "))
	}
	g := newGenerator(row, o.Seed)
	for _, name := range sortedKeys(o.Values) {
		if err := g.set(name, o.Values[name]); err != nil {
			return nil, err
		}
	}
	for _, path := range sortedKeys(o.Codes) {
		if err := g.setCodes(row.codes, path, o.Codes[path]); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func newGenerator(row *typeRow, seed uint64) *Generator {
	g := &Generator{
		row: row, seed: seed, seedID: strconv.FormatUint(seed, 10), stream: hash(row.name), ofPatients: slices.Contains(row.roles, rolePatient),
		texts: map[string]string{}, numbers: map[string]int{}, codes: map[string][]Coding{}, clinic: loadClinic(),
	}
	g.setDefaults()
	return g
}

// sortedKeys returns the sorted keys of a map, so that the first error is always the same.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// setCodes sets the codes that an element is drawn from.
func (g *Generator) setCodes(paths []string, path string, codes []Coding) error {
	switch {
	case !slices.Contains(paths, path):
		return fmt.Errorf("%w: codes of %s cannot be chosen; use one of %s", ErrOption, path, strings.Join(paths, ", "))
	case len(codes) == 0:
		return fmt.Errorf("%w: the list of codes for %s is empty", ErrOption, path)
	}
	g.codes[path] = slices.Clone(codes)
	return nil
}

// id returns the id of resource n, which consists of the seed and the number.
func (g *Generator) id(n uint64) string { return string(g.appendID(make([]byte, 0, 48), n)) }

func (g *Generator) appendID(dst []byte, n uint64) []byte {
	return strconv.AppendUint(append(append(dst, g.seedID...), '-'), n, 10)
}

// Append appends resource n of the type, counted from 0, as one line of JSON without the line
// end.
func (g *Generator) Append(dst []byte, n uint64) []byte {
	var d draft
	d.numbered(g, n, dst)
	d.write(g.row)
	return d.buf
}
