package synth

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Errors of New and of Append.
var (
	// ErrUnknownType means that no resources of a type are made.
	ErrUnknownType = errors.New("no resources of the type are made")
	// ErrOption means that an option does not exist, is of another type or has a bad value.
	ErrOption = errors.New("bad option")
)

// Options say what to make. The zero Options are good: seed 0 is a seed.
type Options struct {
	// Seed is what everything follows from.
	Seed uint64
	// Values are options of the type by name, as in Type.Options: "patient_ref" is
	// "Patient/17", "questionnaire_template" is "phq-9".
	Values map[string]string
	// Codes are the codes to draw from for elements that have no list of their own, by the
	// path of the element as in Type.Codes: "Condition.code". The same codes in another order
	// make other resources.
	Codes map[string][]Coding
}

// Generator makes the resources of one type. It is immutable and safe for concurrent use.
type Generator struct {
	row    *typeRow
	seed   uint64
	seedID string
	stream uint64 // of the type
	// ofPatients is set for a type whose resource n is of Patient n.
	ofPatients bool
	refs       [roleCount]string
	texts      map[string]string // options by name
	numbers    map[string]int    // options of type integer by name
	codes      map[string][]Coding
	clinic     *clinic
}

// New makes a generator of a type. Errors: ErrUnknownType, ErrOption.
func New(typ string, o Options) (*Generator, error) {
	row := rowOf(typ)
	if row == nil {
		return nil, fmt.Errorf("%w: %q; there are %s", ErrUnknownType, typ, strings.Join(TypeNames(), ", "))
	}
	g := newGenerator(row, o.Seed)
	for _, name := range sortedKeys(o.Values) {
		if err := g.set(name, o.Values[name]); err != nil {
			return nil, err
		}
	}
	for _, path := range sortedKeys(o.Codes) {
		if err := g.take(row.codes, path, o.Codes[path]); err != nil {
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
	g.preset()
	return g
}

// sortedKeys returns the keys of a map in order: the first error is always the same.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// take has an element drawn from codes.
func (g *Generator) take(paths []string, path string, codes []Coding) error {
	switch {
	case !slices.Contains(paths, path):
		return fmt.Errorf("%w: codes of %s cannot be chosen; there are %s", ErrOption, path, strings.Join(paths, ", "))
	case len(codes) == 0:
		return fmt.Errorf("%w: there are no codes for %s", ErrOption, path)
	}
	g.codes[path] = slices.Clone(codes)
	return nil
}

// id returns the id of resource n: the seed and the number.
func (g *Generator) id(n uint64) string { return string(g.appendID(make([]byte, 0, 48), n)) }

func (g *Generator) appendID(dst []byte, n uint64) []byte {
	return strconv.AppendUint(append(append(dst, g.seedID...), '-'), n, 10)
}

// Append appends resource n of the type, counted from 0, as one line of JSON without the end
// of the line.
func (g *Generator) Append(dst []byte, n uint64) []byte {
	var d draft
	d.numbered(g, n, dst)
	d.write(g.row)
	return d.buf
}
