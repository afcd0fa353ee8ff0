package index

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"strings"
)

// A Field is a search parameter, or part of one, in the key space. Its methods return the ranges
// that contain the entries of all versions that can match. A composite Field that is narrowed to a
// first component (First) returns ranges of the second. Extractor.Field makes a Field.
//
// The ranges returned by one call do not overlap and are in ascending order. Within one entry a
// scan is ordered by Seq, so the results of a range that is Range.Single are in the order of Seq.
type Field struct {
	prefixes [][]byte
	whole    bool // prefixes end within a key, so that only Has narrows down
	strings  bool // tokens may be strings, whose entries have no case
	phones   bool // tokens may be telephone numbers
}

// NewField returns the field of entries under parameter numbers.
func NewField(numbers ...uint32) Field {
	var f Field
	for _, n := range numbers {
		f.prefixes = append(f.prefixes, appendNumberOf(nil, n))
	}
	slices.SortFunc(f.prefixes, bytes.Compare)
	return f
}

// bounds builds the ranges of a key from one value up to another, exclusive. A nil to means all
// values that begin with beginning.
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

// starting builds the ranges of values that begin with a value.
func (f Field) starting(key byte, value []byte) []Range {
	if f.whole {
		return f.Has()
	}
	return f.bounds(nil, key, value, nil, nil)
}

// ordered sorts ranges that were built key by key.
func ordered(ranges []Range) []Range {
	if len(ranges) > 1 {
		sort.Slice(ranges, func(i, j int) bool { return bytes.Compare(ranges[i].From, ranges[j].From) < 0 })
	}
	return ranges
}

// Has returns the ranges of all values. They may include entries of a wider parameter that the
// parameter is a part of.
func (f Field) Has() []Range {
	var dst []Range
	for _, p := range f.prefixes {
		dst = append(dst, Range{From: slices.Clone(p), To: after(p)})
	}
	return dst
}

// one reduces ranges of keys of a fixed length to single entries.
func one(ranges []Range) []Range {
	for i := range ranges {
		ranges[i].To = append(slices.Clone(ranges[i].From), 0)
	}
	return ranges
}

// Token returns the ranges of a code of a system, "" for no system. A code element has the system
// of its binding. Concepts that have only texts are stored under the code "".
func (f Field) Token(system, code string) []Range {
	return f.tokens(code, func(code string) []Range { return one(f.starting(keyToken, appendPair(nil, code, system))) })
}

// Code returns the ranges of a code of any system.
func (f Field) Code(code string) []Range {
	return f.tokens(code, func(code string) []Range { return f.starting(keyToken, appendHalf(nil, code)) })
}

// tokens returns the ranges of a code and, if there may be some, of the string and telephone number.
func (f Field) tokens(code string, of func(code string) []Range) []Range {
	if f.whole {
		return f.Has()
	}
	ranges := of(code)
	lower, phone := strings.ToLower(code), phoneOf(code)
	if f.strings && lower != code {
		ranges = append(ranges, of(lower)...)
	}
	if f.phones && phone != code && phone != lower {
		ranges = append(ranges, of(phone)...)
	}
	return ordered(ranges)
}

// System returns the ranges of all codes, and a function that reports whether an entry may be of
// the system.
func (f Field) System(system string) (ranges []Range, may func(entry []byte) bool) {
	tail := appendPair(nil, "", system)[halfLen:]
	return f.starting(keyToken, nil), func(entry []byte) bool {
		return f.whole || len(entry) >= len(tail) && slices.Equal(entry[len(entry)-len(tail):], tail)
	}
}

// Prefix returns the ranges of texts that begin with a text, both folded, and of names and addresses
// with a word that does.
func (f Field) Prefix(text string) []Range {
	folded, _ := capText(appendFold(nil, text, false))
	spaced, _ := capText(appendFold(nil, text, true))
	if f.whole || len(folded) == 0 {
		return f.starting(keyString, nil)
	}
	ranges := append(f.starting(keyWord, folded), f.starting(keyString, folded)...)
	if !bytes.Equal(folded, spaced) {
		ranges = append(append(ranges, f.starting(keyWord, spaced)...), f.starting(keyString, spaced)...)
	}
	return ordered(ranges)
}

// Text returns the ranges of texts that equal a text, both folded. They include the matches of
// :exact.
func (f Field) Text(text string) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyString, endText(appendFold(nil, text, false))))
}

// endText truncates a folded text and marks its end.
func endText(folded []byte) []byte {
	text, capped := capText(folded)
	if capped {
		return append(slices.Clip(text), 1)
	}
	return append(text, 0)
}

// Texts returns the ranges of all texts, and a function that returns the folded text of an entry
// and whether it is truncated.
func (f Field) Texts() (ranges []Range, text func(entry []byte) (folded []byte, capped bool)) {
	return f.starting(keyString, nil), func(entry []byte) ([]byte, bool) {
		at := len(f.prefixes[0]) + 1
		if f.whole || len(entry) <= at {
			return nil, true
		}
		return entry[at : len(entry)-1], entry[len(entry)-1] != 0
	}
}

// Reference returns the ranges of references to any version of a resource, on this server or by a
// URL that ends with type and id.
func (f Field) Reference(k Key) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyReference, appendPair(nil, k.ID, k.Type)))
}

// ReferenceID returns the ranges of references to resources of any type with an id.
func (f Field) ReferenceID(id string) []Range {
	return f.starting(keyReference, appendHalf(nil, id))
}

// Identifier returns the ranges of references by identifier, "" for an identifier without a system.
func (f Field) Identifier(system, value string) []Range {
	return one(f.starting(keyIdentifier, appendPair(nil, strings.ToLower(value), system)))
}

// IdentifierValue returns the ranges of references by an identifier of any system.
func (f Field) IdentifierValue(value string) []Range {
	return f.starting(keyIdentifier, appendHalf(nil, strings.ToLower(value)))
}

// URL returns the ranges of a URL: of URIs and canonicals of any version, and of references by
// absolute URL.
func (f Field) URL(url string) []Range {
	if f.whole {
		return f.Has()
	}
	return one(f.starting(keyURL, appendHash(nil, url)))
}

// First returns the field of the second components of a Composite whose first component is a token
// of a system, "" for none.
func (f Field) First(system, code string) Field {
	return f.second(appendPair(nil, code, system), false)
}

// FirstCode is First for any system. Ranges of its second components are not narrowed down by them.
func (f Field) FirstCode(code string) Field { return f.second(appendHalf(nil, code), true) }

// FirstReference is First for a Composite whose first component is a reference.
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

// TypeRange returns the range of all versions of a resource type: one entry.
func TypeRange(typ string) Range {
	from := typeEntry(typ)
	return Range{From: from, To: append(slices.Clone(from), 0)}
}

// typeEntry returns the entry that every version of a type has.
func typeEntry(typ string) []byte {
	return appendNumberOf(append(appendNumberOf(nil, 0), keyType), typeNumber(typ))
}

// The key is the fifth byte of an entry, after the parameter number. The comments say what follows
// it. Decision 21 describes the whole key space.
const (
	keyDate       = 'd' // width class, Low (7 bytes)
	keyPosition   = 'g' // latitude, longitude (4 bytes each)
	keySpan       = 'i' // Low of a span of numbers
	keyURL        = 'l' // hash (8)
	keyNumber     = 'n' // a single number
	keyReference  = 'r' // hash of id (5) and type (3)
	keyString     = 's' // folded text, then 0, or 1 if truncated
	keyToken      = 't' // hash of code (5) and system (3)
	keyCanonical  = 'u' // hash of the canonical unit (4), a single number in it
	keyWord       = 'p' // folded text from a word on, as of a string
	keyWide       = 'w' // hash of the canonical unit (4), Low of a span
	keyComposite  = 'x' // hash of the first component (8), key and value of the second
	keyIdentifier = 'y' // of a reference: hash of code (5) and system (3)

	// After the number 0, which no parameter has:
	keyType = 't' // hash of the type (4)
	keyTerm = 'v' // parameter, a token or URL in use
	keyNews = 'w' // parameter: a version brought a new term
)

const (
	textCap = 48  // maximum bytes of a folded text in an entry
	termCap = 512 // maximum bytes of a token or URL in the vocabulary
)

func appendNumberOf(dst []byte, parameter uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, parameter)
}

// hash is FNV-1a with a final mix, so that every part of it is equally good.
func hash[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// typeNumber returns the hash of a resource type.
func typeNumber(typ string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(typ)) // never fails
	return h.Sum32()
}

// appendPair appends the hash of a name followed by that of its namespace. So all entries of a name
// are adjacent, and within them those of one namespace.
func appendPair(dst []byte, name, space string) []byte {
	dst = appendHalf(dst, name)
	h := hash(space)
	return append(dst, byte(h>>16), byte(h>>8), byte(h))
}

// halfLen and pairLen are the bytes appended by appendHalf and appendPair.
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

// Times in entries have 7 bytes: milliseconds since about 33,700 BC. Times out of range become the
// first or the last.
const (
	timeBias = int64(1) << 50
	timeLast = int64(1)<<56 - 1
)

func appendTime(dst []byte, ms int64) []byte {
	n := min(max(ms, -timeBias), timeLast-timeBias) + timeBias
	return append(dst, byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// classes are the maximum widths of the classes of times, in milliseconds. A span belongs to the
// first class that is wide enough, and to the last one if it has no beginning or no end.
var classes = [...]int64{second, day, 31 * day, 366 * day, 3660 * day, math.MaxInt64}

// classOf returns the class of a span.
func classOf(s Span[int64]) int {
	width := s.High - s.Low
	if s.Low == Earliest || s.High == Latest || width < 0 {
		return len(classes) - 1
	}
	for i, limit := range classes {
		if width <= limit {
			return i
		}
	}
	return len(classes) - 1
}

// appendDegrees appends an angle in units of 10^-7 degrees.
func appendDegrees(dst []byte, degrees float64) []byte {
	steps := math.Round(degrees * 1e7)
	steps = min(max(steps, math.MinInt32), math.MaxInt32)
	return binary.BigEndian.AppendUint32(dst, uint32(int64(steps)+1<<31))
}

// after returns the least byte string greater than all that begin with prefix, which must contain a
// byte other than 0xFF.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for len(end) > 1 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}
