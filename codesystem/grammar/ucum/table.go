package ucum

import (
	"fmt"
	"math/big"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem/packed"
)

// URL is the canonical of UCUM as a code system.
const URL = "http://unitsofmeasure.org"

// Version is the version of the published table, as Edition returns it, without reading the table.
const Version = "2.2"

// An Atom is a unit with its own symbol, as published.
type Atom struct {
	Code, Name, Property       string
	Metric, Special, Arbitrary bool
}

// Atoms lists the units with their own symbol, base units first, in the order of the published
// table.
func Atoms() ([]Atom, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	out := make([]Atom, len(t.order))
	for i, a := range t.order {
		out[i] = Atom{a.code, a.name, a.property, a.metric, a.special, a.arbitrary}
	}
	return out, nil
}

// Edition returns the version of the published table ("2.2") and its date (2024-06-17).
func Edition() (version, date string, err error) {
	t, err := load()
	if err != nil {
		return "", "", err
	}
	return t.version, t.date, nil
}

// table holds the meaning of all symbols. It does not change once built.
type table struct {
	version, date string
	prefixes      map[string]*prefix
	longestPrefix int // in bytes
	atoms         map[string]*atom
	// order holds the atoms as published: base units first.
	order []*atom
	// bases holds the codes of the base units, in the order of dimension.
	bases [baseUnits]string
}

// prefix is a multiplier such as k.
type prefix struct {
	name   string
	factor *big.Rat
}

// atom is a unit with its own symbol.
type atom struct {
	code, name, property       string
	metric, special, arbitrary bool
	// factor and dim are the size in base units. For a special unit they are those of the
	// underlying unit of its scale.
	factor *big.Rat
	dim    dimension
	scale  *scale
}

// load builds the table from the embedded file, once.
var load = sync.OnceValues(func() (*table, error) {
	text, err := packed.Text(essenceFile)
	if err != nil {
		return nil, fmt.Errorf("UCUM table: %w", err)
	}
	return newTable(text)
})

// newTable resolves the definitions of a file: each unit after the units in its definition.
func newTable(text []byte) (*table, error) {
	e, err := readEssence(text)
	if err != nil {
		return nil, err
	}
	if len(e.Bases) != baseUnits {
		return nil, fmt.Errorf("UCUM table: %d base units, want %d", len(e.Bases), baseUnits)
	}
	t := &table{version: e.Version, date: e.Date, prefixes: map[string]*prefix{}, atoms: map[string]*atom{}}
	for i := range e.Prefixes {
		p := &e.Prefixes[i]
		factor, err := number(p.Value.Number)
		if err != nil {
			return nil, fmt.Errorf("UCUM table: prefix %s: %w", p.Code, err)
		}
		t.prefixes[p.Code] = &prefix{name: p.name(), factor: factor}
		t.longestPrefix = max(t.longestPrefix, len(p.Code))
	}
	for i := range e.Bases {
		u := &e.Bases[i]
		a := &atom{code: u.Code, name: u.name(), property: u.Property, metric: true, factor: big.NewRat(1, 1)}
		a.dim[i] = 1
		t.bases[i] = u.Code
		t.add(a)
	}
	r := resolver{table: t, defined: map[string]*essenceUnit{}, open: map[string]bool{}}
	for i := range e.Units {
		u := &e.Units[i]
		r.defined[u.Code] = u
		t.add(&atom{
			code: u.Code, name: u.name(), property: u.Property,
			metric: u.Metric == "yes", special: u.Special == "yes", arbitrary: u.Arbitrary == "yes",
		})
	}
	for _, a := range t.order {
		if err := r.resolve(a); err != nil {
			return nil, fmt.Errorf("UCUM table: unit %s: %w", a.code, err)
		}
	}
	return t, nil
}

func (t *table) add(a *atom) {
	t.atoms[a.code] = a
	t.order = append(t.order, a)
}

// resolver computes the size of units from their definitions.
type resolver struct {
	table   *table
	defined map[string]*essenceUnit
	open    map[string]bool // being resolved, to detect cycles
}

func (r *resolver) resolve(a *atom) error {
	if a.factor != nil {
		return nil
	}
	if r.open[a.code] {
		return fmt.Errorf("defined by itself")
	}
	r.open[a.code] = true
	v := &r.defined[a.code].Value
	size, in := v.Number, v.Unit
	if f := v.Function; f != nil {
		size, in = f.Number, f.Unit
		if a.scale = scaleOf(f.Name); a.scale == nil {
			return fmt.Errorf("unknown function %q", f.Name)
		}
	}
	factor, err := number(size)
	if err != nil {
		return err
	}
	u, err := r.table.parse(in)
	if err != nil {
		return err
	}
	for i := range u.components {
		if c := &u.components[i]; c.atom != nil {
			if err := r.resolve(c.atom); err != nil {
				return err
			}
		}
	}
	f, err := u.Factor()
	if err != nil {
		return err
	}
	a.factor, a.dim = factor.Mul(factor, f), u.dimension()
	return nil
}

// number reads a decimal of the table, such as 1.5e-7, exactly.
func number(text string) (*big.Rat, error) {
	r, ok := new(big.Rat).SetString(strings.TrimSpace(text))
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return r, nil
}

// symbol resolves a symbol: a unit, or a prefix and a metric unit. A unit with this symbol is
// preferred to one with a prefix.
func (t *table) symbol(text string) (*prefix, *atom) {
	if a := t.atoms[text]; a != nil {
		return nil, a
	}
	for n := 1; n <= min(t.longestPrefix, len(text)-1); n++ {
		p := t.prefixes[text[:n]]
		if p == nil {
			continue
		}
		if a := t.atoms[text[n:]]; a != nil && a.metric {
			return p, a
		}
	}
	return nil, nil
}
