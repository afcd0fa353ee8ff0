package codesystem

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// propertyView reads the property sections. The zero value has no property.
type propertyView struct {
	names  []propertyInfo // by code
	first  []uint32       // first pair of each property, and the end
	values texts          // of pairs
	roles  []role         // of properties, see readRoles
	starts []uint32
	held   []uint32
	groups []uint16 // of held; nil when nothing is grouped
	sets   holderSets
	targetView
}

// openProperties opens the property sections. Whatever it accepts can be read later without going
// out of range. n is the number of concepts.
func openProperties(in opener, n int) (v propertyView, err error) {
	raw := in.get(secPropNames)
	if raw == nil {
		return v, nil
	}
	if err := json.Unmarshal(raw, &v.names); err != nil {
		return v, fmt.Errorf("%w: property names: %w", ErrDamaged, err)
	}
	if !slices.IsSortedFunc(v.names, func(a, b propertyInfo) int { return strings.Compare(a.Code, b.Code) }) {
		return v, fmt.Errorf("%w: property names out of order", ErrDamaged)
	}
	if v.first, err = numbersOf[uint32](in.get(secPropFirst)); err != nil {
		return v, fmt.Errorf("properties: %w", err)
	}
	offsets := in.get(secPairOffsets)
	pairs := len(offsets)/4 - 1
	if pairs < 0 {
		return v, fmt.Errorf("%w: no property values", ErrDamaged)
	}
	if err = in.offsets(v.first, len(v.names), pairs); err != nil {
		return v, fmt.Errorf("properties: %w", err)
	}
	if v.values, err = in.texts(secPairOffsets, secPairValues, pairs, false); err != nil {
		return v, fmt.Errorf("property values: %w", err)
	}
	if err = in.typed(&v.values); err != nil {
		return v, err
	}
	if v.starts, err = numbersOf[uint32](in.get(secHeldOffsets)); err != nil {
		return v, fmt.Errorf("properties of concepts: %w", err)
	}
	if v.held, err = numbersOf[uint32](in.get(secHeld)); err != nil {
		return v, fmt.Errorf("properties of concepts: %w", err)
	}
	if err = in.offsets(v.starts, n, len(v.held)); err != nil {
		return v, fmt.Errorf("properties of concepts: %w", err)
	}
	if err = in.below(v.held, pairs); err != nil {
		return v, fmt.Errorf("properties of concepts: %w", err)
	}
	if v.groups, err = halves(in.get(secHeldGroups)); err != nil {
		return v, fmt.Errorf("groups of properties: %w", err)
	}
	if v.groups != nil && len(v.groups) != len(v.held) {
		return v, fmt.Errorf("%w: %d groups of %d properties", ErrDamaged, len(v.groups), len(v.held))
	}
	if v.sets, err = openSets(in, len(v.names)+pairs, n); err != nil {
		return v, fmt.Errorf("properties: %w", err)
	}
	if v.targetView, err = openTargets(in, v.first, pairs, n); err != nil {
		return v, fmt.Errorf("attributes: %w", err)
	}
	return v, nil
}

// typed verifies that every value begins with the letter of its type.
func (in opener) typed(values *texts) error {
	if in.trusted {
		return nil
	}
	for i := range len(values.off) - 1 {
		if values.off[i] == values.off[i+1] {
			return fmt.Errorf("%w: property value %d has no type", ErrDamaged, i)
		}
	}
	return nil
}

// find returns the number of a property.
func (v *propertyView) find(code string) (prop int, ok bool) {
	return slices.BinarySearchFunc(v.names, code, func(p propertyInfo, code string) int { return strings.Compare(p.Code, code) })
}

// number returns the number of the property that a pair belongs to.
func (v *propertyView) number(pair uint32) int {
	lo, hi := 0, len(v.first)-1
	for hi-lo > 1 {
		half := int(uint(lo+hi) / 2)
		if v.first[half] <= pair {
			lo = half
		} else {
			hi = half
		}
	}
	return lo
}

// of returns the property that a pair belongs to.
func (v *propertyView) of(pair uint32) string { return v.names[v.number(pair)].Code }

// readRoles sets the meaning of each property in its system.
func (v *propertyView) readRoles(x *Index) {
	v.roles = make([]role, len(v.names))
	for i := range v.names {
		v.roles[i] = x.roleOf(v.names[i].Code)
	}
}

// list returns the pairs of a concept in source order.
func (v *propertyView) list(o Ord) []uint32 {
	if v.starts == nil {
		return nil
	}
	return v.held[v.starts[o]:v.starts[o+1]]
}

// lowerBound returns the first pair from lo to hi whose bytes are not less than enc.
func (v *propertyView) lowerBound(lo, hi uint32, enc string) uint32 {
	n, _ := sort.Find(int(hi-lo), func(i int) int { return strings.Compare(enc, v.values.at(lo+uint32(i))) })
	return lo + uint32(n)
}

// appendEqual appends the pairs of a property whose value equals want, see valueRule.equal.
func (v *propertyView) appendEqual(dst []uint32, prop int, want string, rule valueRule) []uint32 {
	lo, hi := v.first[prop], v.first[prop+1]
	for lo < hi {
		letter := v.values.at(lo)[:1]
		end := max(lo+1, v.lowerBound(lo, hi, afterLetter(letter[0])))
		switch {
		case letter[0] == letterCode && !rule.fold, letter[0] == letterString && !rule.texts, letter[0] == letterBoolean, letter[0] == letterDateTime:
			if at := v.lowerBound(lo, end, letter+want); at < end && v.values.at(at)[1:] == want {
				dst = append(dst, at)
			}
		case letter[0] == letterCoding && (!rule.displays || !mayBeDisplay(want)):
			dst = v.appendCodings(dst, lo, end, want)
		default:
			for pair := lo; pair < end; pair++ {
				if rule.equal(v.values.at(pair), want) {
					dst = append(dst, pair)
				}
			}
		}
		lo = end
	}
	return dst
}

// appendCodings appends the Codings from lo to hi with a code, or with system|code.
func (v *propertyView) appendCodings(dst []uint32, lo, hi uint32, want string) []uint32 {
	if strings.IndexByte(want, 0) >= 0 { // NUL separates the parts of a Coding
		return dst
	}
	letter := string(letterCoding)
	prefixes := [2]string{letter + want + "\x00"}
	if bar := strings.LastIndexByte(want, '|'); bar >= 0 {
		prefixes[1] = letter + want[bar+1:] + "\x00" + want[:bar] + "\x00"
	}
	for _, prefix := range prefixes {
		if prefix == "" {
			continue
		}
		for at := v.lowerBound(lo, hi, prefix); at < hi && strings.HasPrefix(v.values.at(at), prefix); at++ {
			dst = append(dst, at)
		}
	}
	return dst
}

// Properties yields the properties of a concept in source order, without properties that only
// state the hierarchy (parent, child, subsumedBy); for these see Parents and Children.
func (x *Index) Properties(o Ord) iter.Seq[Property] {
	return func(yield func(Property) bool) {
		first, end := x.props.heldRange(o)
		for i := first; i < end; i++ {
			if !yield(x.props.property(i)) {
				return
			}
		}
	}
}

// AppendProperties appends what Properties yields to dst.
func (x *Index) AppendProperties(o Ord, dst []Property) []Property {
	first, end := x.props.heldRange(o)
	for i := first; i < end; i++ {
		dst = append(dst, x.props.property(i))
	}
	return dst
}

// heldRange returns the range in held with the pairs of a concept.
func (v *propertyView) heldRange(o Ord) (first, end uint32) {
	if v.starts == nil {
		return 0, 0
	}
	return v.starts[o], v.starts[o+1]
}

// property returns the property in held[i].
func (v *propertyView) property(i uint32) Property {
	pair := v.held[i]
	return Property{Code: v.of(pair), Value: decodeValue(v.values.at(pair)), Group: v.group(i)}
}

// group returns the group of held[i].
func (v *propertyView) group(i uint32) int {
	if v.groups == nil {
		return 0
	}
	return int(v.groups[i])
}

// PropertyValues appends the values of one property of a concept to dst, in source order. It also
// knows properties that every concept has: parent and child are the codes of the neighbours (also
// under the names that the system declares for them), and inactive and, unless the system has
// properties of these names, abstract, notSelectable and deprecated are flags.
func (x *Index) PropertyValues(o Ord, code string, dst []r4.Value) []r4.Value {
	had := len(dst)
	prop, stored := x.props.find(code)
	if stored {
		lo, hi := x.props.first[prop], x.props.first[prop+1]
		for _, pair := range x.props.list(o) {
			if lo <= pair && pair < hi {
				dst = append(dst, decodeValue(x.props.values.at(pair)))
			}
		}
	}
	switch x.roleOf(code) {
	case roleParent:
		for _, p := range x.Parents(o) {
			dst = append(dst, r4.Code(x.Code(p)))
		}
	case roleChild:
		for _, c := range x.Children(o) {
			dst = append(dst, r4.Code(x.Code(c)))
		}
	case roleInactive:
		if len(dst) == had {
			dst = append(dst, r4.Boolean(x.Inactive(o)))
		}
	case roleAbstract:
		if !stored {
			dst = append(dst, r4.Boolean(x.Abstract(o)))
		}
	case roleDeprecated:
		if !stored {
			dst = append(dst, r4.Boolean(x.Deprecated(o)))
		}
	}
	return dst
}

// PropertyNames returns the codes of the properties that concepts have, sorted, without properties
// that only state the hierarchy.
func (x *Index) PropertyNames() []string {
	names := make([]string, len(x.props.names))
	for i, p := range x.props.names {
		names[i] = p.Code
	}
	return names
}

// HasProperty reports whether a concept has a property with a value, as the filter `code = value`
// selects it. It allocates nothing for properties of concepts.
func (x *Index) HasProperty(o Ord, code, value string) bool {
	f, err := x.compileFilter(r4.Filter{Property: code, Op: "=", Value: value})
	return err == nil && f.Contains(o)
}

// roleOf returns the meaning of a property in this system.
func (x *Index) roleOf(code string) role {
	header := x.Header()
	for i := range header.Property {
		if header.Property[i].Code == code {
			return roleOfDeclared(&header.Property[i])
		}
	}
	return roleOfName(code)
}
