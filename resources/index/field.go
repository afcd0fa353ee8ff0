package index

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
)

// Field is a search parameter, or a part of one, as the key space has it. Its methods give
// the ranges where the entries of all versions are that can match; each says whether the
// entries there match for certain. A Field of a Composite narrowed to a first component
// (First) answers for the second. Extractor.Field makes it.
//
// The ranges of one answer do not overlap, and are in ascending order. Within one entry,
// what a scan gives ascends by Seq, so that all that a range gives which is Range.Single
// is in that order.
type Field struct {
	prefixes [][]byte
	whole    bool // prefixes end within a key: only Has narrows down
}

// NewField is the field of entries under numbers of parameters.
func NewField(numbers ...uint32) Field {
	var f Field
	for _, n := range numbers {
		f.prefixes = append(f.prefixes, appendNumberOf(nil, n))
	}
	slices.SortFunc(f.prefixes, slices.Compare)
	return f
}

// bounds builds the range of keys of a kind from one value on to before another; to nil: all
// that follow of the kind and beginning.
func (f Field) bounds(dst []Range, key byte, beginning, from, to []byte) []Range {
	for _, p := range f.prefixes {
		start := append(append(slices.Clone(p), key), beginning...)
		r := Range{From: append(slices.Clip(start), from...)}
		if to == nil {
			r.To = after(start)
		} else {
			r.To = append(slices.Clip(start), to...)
		}
		if slices.Compare(r.From, r.To) < 0 {
			dst = append(dst, r)
		}
	}
	return dst
}

// starting builds the ranges of keys that begin with something.
func (f Field) starting(key byte, value []byte) []Range {
	if f.whole {
		return f.Has()
	}
	return f.bounds(nil, key, value, nil, nil)
}

// ordered sorts ranges built kind by kind.
func ordered(ranges []Range) []Range {
	slices.SortFunc(ranges, func(a, b Range) int { return slices.Compare(a.From, b.From) })
	return ranges
}

// Has returns the ranges of all values. Entries may be of a wider parameter: the one that the
// parameter is a part of.
func (f Field) Has() []Range {
	var dst []Range
	for _, p := range f.prefixes {
		dst = append(dst, Range{From: slices.Clone(p), To: after(p)})
	}
	return dst
}

// one makes ranges of keys of a fixed length ranges of one entry.
func one(ranges []Range) []Range {
	for i := range ranges {
		ranges[i].To = append(slices.Clone(ranges[i].From), 0)
	}
	return ranges
}

// Token returns the ranges of a code of a system: "" for no system. A code element has the
// system of its binding. Concepts of which there are but texts are those of the code "".
func (f Field) Token(system, code string) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyToken, appendPair(nil, code, system)))
}

// Code returns the ranges of a code of whatever system.
func (f Field) Code(code string) []Range { return f.starting(keyToken, appendHalf(nil, code)) }

// System returns the ranges of all codes, and tells by an entry whether it may be of the system.
func (f Field) System(system string) (ranges []Range, may func(entry []byte) bool) {
	tail := appendPair(nil, "", system)[halfLen:]
	return f.starting(keyToken, nil), func(entry []byte) bool {
		return f.whole || len(entry) >= len(tail) && slices.Equal(entry[len(entry)-len(tail):], tail)
	}
}

// Prefix returns the ranges of texts that begin with a text, both folded.
func (f Field) Prefix(text string) []Range {
	folded, _ := capText(appendFold(nil, text))
	return f.starting(keyString, folded)
}

// Text returns the ranges of texts that are equal to a text, both folded: :exact is among them.
func (f Field) Text(text string) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyString, endText(appendFold(nil, text))))
}

// endText cuts a folded text and marks its end.
func endText(folded []byte) []byte {
	text, capped := capText(folded)
	if capped {
		return append(slices.Clip(text), 1)
	}
	return append(text, 0)
}

// Texts returns the ranges of all texts, and a function that takes the text out of an entry:
// folded, and whether it was cut.
func (f Field) Texts() (ranges []Range, text func(entry []byte) (folded []byte, capped bool)) {
	return f.starting(keyString, nil), func(entry []byte) ([]byte, bool) {
		at := len(f.prefixes[0]) + 1
		if f.whole || len(entry) <= at {
			return nil, true
		}
		return entry[at : len(entry)-1], entry[len(entry)-1] != 0
	}
}

// Reference returns the ranges of references to a resource, of whatever version: here, or
// somewhere else by a url that ends with type and id.
func (f Field) Reference(k Key) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyReference, appendPair(nil, k.ID, k.Type)))
}

// ReferenceID returns the ranges of references to resources of an id and whatever type.
func (f Field) ReferenceID(id string) []Range {
	return f.starting(keyReference, appendHalf(nil, id))
}

// Identifier returns the ranges of references by identifier: "" for one without a system.
func (f Field) Identifier(system, value string) []Range {
	return one(f.starting(keyIdentifier, appendPair(nil, value, system)))
}

// IdentifierValue returns the ranges of references by an identifier of whatever system.
func (f Field) IdentifierValue(value string) []Range {
	return f.starting(keyIdentifier, appendHalf(nil, value))
}

// URL returns the ranges of a url: of URIs and canonicals of whatever version, and of references
// by absolute url.
func (f Field) URL(url string) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyURL, appendHash(nil, url)))
}

// First returns the field of second components of a Composite whose first component is a
// token: of a system, "" for none.
func (f Field) First(system, code string) Field {
	return f.second(appendPair(nil, code, system), false)
}

// FirstCode is First of whatever system. What it gives for second components is not
// narrowed down by them.
func (f Field) FirstCode(code string) Field { return f.second(appendHalf(nil, code), true) }

// FirstReference is First of a Composite whose first component is a reference.
func (f Field) FirstReference(k Key) Field {
	return f.second(appendPair(nil, k.ID, k.Type), false)
}

func (f Field) second(value []byte, whole bool) Field {
	g := Field{whole: whole || f.whole}
	for _, r := range f.starting(keyComposite, value) {
		g.prefixes = append(g.prefixes, r.From)
	}
	return g
}

// TypeRange is the range of all versions of a resource type: one entry.
func TypeRange(typ string) Range {
	from := typeEntry(typ)
	return Range{From: from, To: append(slices.Clone(from), 0)}
}

// typeEntry is the entry that every version of a type has.
func typeEntry(typ string) []byte {
	return appendNumberOf(append(appendNumberOf(nil, 0), keyType), typeNumber(typ))
}

// What an entry holds behind the number of its parameter: the fifth byte. Decision 21 has
// the whole key space.
const (
	keyDate       = 'd' // class of width, Low (7 bytes)
	keyPosition   = 'g' // latitude, longitude (4 bytes each)
	keySpan       = 'i' // Low of a number that is a span
	keyURL        = 'l' // hash (8)
	keyNumber     = 'n' // a single number
	keyReference  = 'r' // hash of id (5) and type (3)
	keyString     = 's' // folded text, 0 or, where it was cut, 1
	keyToken      = 't' // hash of code (5) and system (3)
	keyCanonical  = 'u' // hash of the canonical unit (4), a single number in it
	keyWide       = 'w' // hash of the canonical unit (4), Low of a span
	keyComposite  = 'x' // hash of the first component (8), key and value of the second
	keyIdentifier = 'y' // of a reference: hash of code (5) and system (3)

	// Behind the number 0, which no parameter has:
	keyType = 't' // hash of the type (4)
	keyTerm = 'v' // parameter, a token or url in use
	keyNews = 'w' // parameter: a version came with something new in use
)

const (
	textCap = 48  // bytes of a folded text that an entry holds
	termCap = 512 // bytes of a token or url that the vocabulary holds
)

func appendNumberOf(dst []byte, parameter uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, parameter)
}

// hash mixes FNV-1a so that every part of it is as good.
func hash[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// typeNumber is the hash of a resource type.
func typeNumber(typ string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(typ)) // never fails
	return h.Sum32()
}

// appendPair appends the hash of a name and, behind it, of what it is a name in: all
// entries of the name are together, and among them those of one space.
func appendPair(dst []byte, name, space string) []byte {
	dst = appendHalf(dst, name)
	h := hash(space)
	return append(dst, byte(h>>16), byte(h>>8), byte(h))
}

// halfLen and pairLen are how many bytes appendHalf and appendPair append.
const (
	halfLen = 5
	pairLen = 8
)

func appendHalf(dst []byte, name string) []byte {
	h := hash(name)
	return append(dst, byte(h>>32), byte(h>>24), byte(h>>16), byte(h>>8), byte(h))
}

func appendHash(dst []byte, s string) []byte { return binary.BigEndian.AppendUint64(dst, hash(s)) }

func appendUnit(dst []byte, unit string) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(hash(unit)))
}

// Times in entries are 7 bytes: milliseconds since the beginning of year -1000 or so; what
// is outside counts as the first and the last of them.
const (
	timeBias = int64(1) << 50
	timeLast = int64(1)<<56 - 1
)

func appendTime(dst []byte, ms int64) []byte {
	n := ms + timeBias
	switch {
	case ms < -timeBias:
		n = 0
	case ms > timeLast-timeBias:
		n = timeLast
	}
	return append(dst, byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// classes are the classes of widths of times, in milliseconds: a span belongs to the first
// that is not narrower. The last has what has no beginning or no end, too.
var classes = [...]int64{second, day, 31 * day, 366 * day, 3660 * day, math.MaxInt64}

// classOf returns the class of a span.
func classOf(s Span[int64]) int {
	width := s.High - s.Low
	if s.Low == Earliest || s.High == Latest || width < 0 {
		return len(classes) - 1
	}
	for i, most := range classes {
		if width <= most {
			return i
		}
	}
	return len(classes) - 1
}

// appendDegrees appends an angle in steps of 10^-7 degrees.
func appendDegrees(dst []byte, degrees float64) []byte {
	steps := math.Round(degrees * 1e7)
	steps = min(max(steps, math.MinInt32), math.MaxInt32)
	return binary.BigEndian.AppendUint32(dst, uint32(int64(steps)+1<<31))
}

// after returns the least byte string that is greater than all that begin with prefix, which
// must have a byte that is not 0xFF.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for len(end) > 1 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}
