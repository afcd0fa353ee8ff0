package search

import (
	"context"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// codes are the numbers that the values of a column of tokens have in indexes of the terminology. A set of
// codes is so compared with each value in nanoseconds. They are for several searches at once.
type codes struct {
	mu      sync.Mutex
	systems []string // of values that are one code
	of      []uint8  // by number of the values: the number of the system plus 1, 0 for other values
	numbers map[numbering][]uint32
}

// maxCodeSystems is how many systems of a column have numbers.
const maxCodeSystems = 32

// systemsOf returns the systems of values that are one code, and by number of the values which one it is.
func (k *codes) systemsOf(c *column) ([]string, []uint8) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id := len(k.of); id < len(c.ends); id++ {
		k.of = append(k.of, k.system(c.values(uint32(id))))
	}
	return k.systems, k.of
}

func (k *codes) system(encoded []byte) uint8 {
	v, one := onlyCode(encoded)
	if !one || v.System == "" {
		return 0
	}
	for i := range k.systems {
		if k.systems[i] == v.System {
			return uint8(i + 1)
		}
	}
	if len(k.systems) == maxCodeSystems {
		return 0
	}
	k.systems = append(k.systems[:len(k.systems):len(k.systems)], v.System)
	return uint8(len(k.systems))
}

// onlyCode returns a value that is one code.
func onlyCode(encoded []byte) (only index.Value, one bool) {
	for v := range index.Decode(encoded) {
		if one || v.Kind != index.Token || v.Code == "" {
			return v, false
		}
		only, one = v, true
	}
	return only, one
}

// numbered returns the numbers of the values of a system.
func (k *codes) numbered(ctx context.Context, c *column, of []uint8, system uint8, key any, number func(string) (uint32, bool)) ([]uint32, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	by := numbering{key, uint32(system)}
	numbers, cached := k.numbers[by]
	if !cached && len(k.numbers) >= maxNumberings || k.numbers == nil {
		k.numbers = map[numbering][]uint32{} // this also drops indexes that no longer exist
	}
	for id := len(numbers); id < len(of); id++ {
		n := uint32(unnumbered)
		if of[id] == system {
			v, _ := onlyCode(c.values(uint32(id)))
			if found, ok := number(v.Code); ok {
				n = found
			}
		}
		if numbers = append(numbers, n); id%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	k.numbers[by] = numbers
	return numbers, nil
}

func (k *codes) size() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return int64(len(k.of)) * int64(1+4*len(k.numbers))
}

// member is a set of codes, by the systems of a column.
type member struct {
	numbers  []uint32
	contains func(uint32) bool
}

// inSets returns a function that decides which values of a column have a code in the sets of alternatives. It
// knows this only of values that are one code, which an index has. It is nil for other modifiers.
func (c *columnar) inSets(ctx context.Context, column *column, of *Criterion, alternatives []Alternative) (func(id uint32) (match, known bool), error) {
	switch of.Modifier {
	case In, NotIn, ECL, Below, Above:
	default:
		return nil, nil
	}
	if column.codes == nil {
		return nil, nil
	}
	systems, by := column.codes.systemsOf(column)
	var sets [][]member
	for i := range alternatives {
		if alternatives[i].Kind != definitions.Token {
			return nil, nil
		}
		set, err := c.run.env.Codes(ctx, of.Modifier, &alternatives[i])
		if err != nil {
			return nil, err
		}
		members, err := column.members(ctx, set, systems, by)
		if err != nil {
			return nil, err
		}
		sets = append(sets, members)
	}
	return func(id uint32) (match, known bool) {
		if id == 0 || by[id] == 0 {
			return false, id == 0
		}
		known = true
		for _, members := range sets {
			m := &members[by[id]-1]
			if m.numbers == nil || m.numbers[id] == unnumbered {
				known = false
			} else if m.contains(m.numbers[id]) {
				return true, true
			}
		}
		return false, known
	}, nil
}

func (c *column) members(ctx context.Context, set r4.Codes, systems []string, by []uint8) ([]member, error) {
	members := make([]member, len(systems))
	for i, system := range systems {
		key, number, contains := set.Numbering(system)
		if key == nil {
			continue
		}
		numbers, err := c.codes.numbered(ctx, c, by, uint8(i+1), key, number)
		if err != nil {
			return nil, err
		}
		members[i] = member{numbers, contains}
	}
	return members, nil
}
