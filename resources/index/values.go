package index

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"unsafe"
)

// Values are the values of all search parameters of a document, and its entries. Extractor.Extract
// makes them; they are immutable.
//
// The encoding is: the format (1 byte), the number of parameters that have values (2 bytes, little
// endian), for each in ascending order its number and the offset of its values after this table (4
// bytes each), then lists of values, each preceded by its length. Parameters with the same values
// share a list.
type Values struct {
	data    []byte
	entries [][]byte
	terms   [][]byte // in the order of parameters
}

// valuesFormat is the first byte of encoded Values.
const valuesFormat = 1

// Append appends the encoded values, for View.
func (v *Values) Append(dst []byte) []byte { return append(dst, v.data...) }

// View returns a View of the values.
func (v *Values) View() View { return View{v.data} }

// Count returns the number of entries and vocabulary entries of the document, as MaxEntries counts
// them.
func (v *Values) Count() int { return len(v.entries) + len(v.terms) }

// Entries returns the entries of the document, without duplicates, unordered, in a slice that the
// caller owns. If the document has Terms, there is also an entry of News for each parameter with a
// new one.
func (v *Values) Entries(known *Vocabulary) [][]byte {
	entries := append(make([][]byte, 0, len(v.entries)+4), v.entries...)
	parameter := uint32(0)
	for _, e := range v.terms {
		if p := binary.BigEndian.Uint32(e[5:]); p != parameter && !known.knows(e) {
			parameter = p
			entries = append(entries, newsEntry(p))
		}
	}
	return entries
}

// Terms returns the vocabulary entries of the document that are not known. Once they are written
// durably, they should be added to known.
func (v *Values) Terms(known *Vocabulary) [][]byte {
	var terms [][]byte
	for _, e := range v.terms {
		if !known.knows(e) {
			terms = append(terms, e)
		}
	}
	return terms
}

func newsEntry(parameter uint32) []byte {
	return appendNumberOf(append(appendNumberOf(nil, 0), keyNews), parameter)
}

// A View reads Values from their encoding. The zero View has no values. Other bytes than those of
// Append yield no values, or wrong ones, but do no harm.
type View struct{ data []byte }

// NewView returns a View of the bytes of Values.Append, which must not change while the View or
// anything read from it is in use.
func NewView(data []byte) View {
	const head, row = 3, 8
	if len(data) < head || data[0] != valuesFormat || len(data) < head+row*int(binary.LittleEndian.Uint16(data[1:])) {
		return View{}
	}
	return View{data}
}

// Param returns the values of a parameter, by its number, in the order of the document.
func (v View) Param(number uint32) iter.Seq[Value] { return values(v.list(number)) }

// Has reports whether a parameter has a value.
func (v View) Has(number uint32) bool { return len(v.list(number)) > 0 }

// Encoded returns the values of a parameter as bytes. Equal bytes are equal values.
func (v View) Encoded(number uint32) []byte { return v.list(number) }

// Decode returns the values that Encoded returned as bytes, which must not change meanwhile.
func Decode(encoded []byte) iter.Seq[Value] { return values(encoded) }

// list returns the encoded values of a parameter.
func (v View) list(number uint32) []byte {
	const head, row = 3, 8
	if len(v.data) < head {
		return nil
	}
	n := int(binary.LittleEndian.Uint16(v.data[1:]))
	low, high := 0, n
	for low < high {
		mid := int(uint(low+high) >> 1)
		if binary.LittleEndian.Uint32(v.data[head+row*mid:]) < number {
			low = mid + 1
		} else {
			high = mid
		}
	}
	at := head + row*low
	if low == n || binary.LittleEndian.Uint32(v.data[at:]) != number {
		return nil
	}
	offset := uint64(head+row*n) + uint64(binary.LittleEndian.Uint32(v.data[at+4:]))
	if offset > uint64(len(v.data)) {
		return nil
	}
	list, _ := cutList(v.data[offset:])
	return list
}

// An encoded Value has its kind and form in one byte, the fields of its kind (preceded by a byte of
// flags if some may be absent), and a list if it has components. A string is preceded by its length
// doubled, or replaced by the odd number of a known system.

// The flags of optional fields.
const (
	hasSystem = 1 << iota
	hasCode
	hasText
	hasUnit
	hasCanonical
	hasVersion
	hasURL
	hasID
)

// The two forms of a span of numbers.
const (
	isSingle = iota // one number
	isWide          // both ends
)

// widths are the usual widths of times, by number.
var widths = [...]int64{1, second, minute, day}

// appendValue appends the encoding of a value.
func appendValue(dst []byte, v *Value) []byte {
	dst = append(dst, byte(v.Kind)|byte(v.Form)<<4)
	switch v.Kind {
	case Token:
		flags := flag(v.System, hasSystem) | flag(v.Code, hasCode) | flag(v.Text, hasText)
		if len(v.components) > 0 {
			flags |= hasID
		}
		dst = append(dst, flags)
		dst = appendStrings(dst, v.System, v.Code, v.Text)
		if len(v.components) > 0 {
			dst = appendBytes(dst, v.components)
		}
	case String:
		dst = appendString(dst, v.Text)
	case Date:
		dst = appendTimes(dst, v.Time)
	case Reference:
		flags := flag(v.System, hasSystem) | flag(v.Code, hasCode) | flag(v.Text, hasText) |
			flag(v.Type, hasUnit) | flag(v.ID, hasID) | flag(v.Version, hasVersion) | flag(v.URL, hasURL)
		dst = append(dst, flags)
		dst = appendStrings(dst, v.System, v.Code, v.Text, v.Type, v.ID, v.Version, v.URL)
	case Quantity:
		flags := flag(v.System, hasSystem) | flag(v.Code, hasCode) | flag(v.Unit, hasUnit)
		if v.CanonicalUnit != "" {
			flags |= hasCanonical
		}
		dst = append(dst, flags)
		dst = appendStrings(dst, v.System, v.Code, v.Unit)
		dst = appendNumbers(dst, v.Number)
		if v.CanonicalUnit != "" {
			dst = appendNumbers(appendString(dst, v.CanonicalUnit), v.Canonical)
		}
	case NumberKind:
		dst = appendNumbers(dst, v.Number)
	case URI:
		dst = append(dst, flag(v.URL, hasURL)|flag(v.Version, hasVersion))
		dst = appendStrings(dst, v.URL, v.Version)
	case Composite:
		dst = appendBytes(dst, v.components)
	case Position:
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Latitude))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Longitude))
	}
	return dst
}

func flag(s string, bit byte) byte {
	if s == "" {
		return 0
	}
	return bit
}

// appendStrings appends the strings that are not empty.
func appendStrings(dst []byte, texts ...string) []byte {
	for _, s := range texts {
		if s != "" {
			dst = appendString(dst, s)
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	if i, found := systemNumber(s); found {
		return binary.AppendUvarint(dst, uint64(i)<<1|1)
	}
	return append(binary.AppendUvarint(dst, uint64(len(s))<<1), s...)
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func appendTimes(dst []byte, s Span[int64]) []byte {
	for i, width := range widths {
		if s.High-s.Low == width {
			return binary.AppendVarint(append(dst, byte(i)), s.Low)
		}
	}
	dst = append(dst, byte(len(widths)))
	return binary.AppendVarint(binary.AppendVarint(dst, s.Low), s.High)
}

func appendNumbers(dst []byte, s Span[Number]) []byte {
	if single(s) {
		return appendBytes(append(dst, isSingle), []byte(s.High))
	}
	return appendBytes(appendBytes(append(dst, isWide), []byte(s.Low)), []byte(s.High))
}

// cutList cuts off a list that is preceded by its length.
func cutList(data []byte) (list, rest []byte) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, nil
	}
	end := size + int(n)
	return data[size:end:end], data[end:]
}

// values decodes the values of a list.
func values(list []byte) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for r := (reader{list}); len(r.data) > 0; {
			var v Value
			r.value(&v)
			if r.data == nil || !yield(v) {
				return
			}
		}
	}
}

// reader decodes values. data becomes nil at the first malformed byte.
type reader struct{ data []byte }

func (r *reader) fail() { r.data = nil }

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.fail()
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) value(v *Value) {
	head := r.byte()
	v.Kind, v.Form = Kind(head&0xf), Form(head>>4)
	switch v.Kind {
	case Token:
		flags := r.byte()
		r.strings(flags, hasSystem, &v.System, hasCode, &v.Code)
		r.strings(flags, hasText, &v.Text, 0, nil)
		if flags&hasID != 0 {
			v.components = r.bytes()
		}
	case String:
		v.Text = r.string()
	case Date:
		v.Time = r.times()
	case Reference:
		flags := r.byte()
		r.strings(flags, hasSystem, &v.System, hasCode, &v.Code)
		r.strings(flags, hasText, &v.Text, hasUnit, &v.Type)
		r.strings(flags, hasID, &v.ID, hasVersion, &v.Version)
		r.strings(flags, hasURL, &v.URL, 0, nil)
	case Quantity:
		flags := r.byte()
		r.strings(flags, hasSystem, &v.System, hasCode, &v.Code)
		r.strings(flags, hasUnit, &v.Unit, 0, nil)
		v.Number = r.numbers()
		if flags&hasCanonical != 0 {
			v.CanonicalUnit = r.string()
			v.Canonical = r.numbers()
		}
	case NumberKind:
		v.Number = r.numbers()
	case URI:
		r.strings(r.byte(), hasURL, &v.URL, hasVersion, &v.Version)
	case Composite:
		v.components = r.bytes()
	case Position:
		if len(r.data) < 16 {
			r.fail()
			return
		}
		v.Latitude = math.Float64frombits(binary.LittleEndian.Uint64(r.data))
		v.Longitude = math.Float64frombits(binary.LittleEndian.Uint64(r.data[8:]))
		r.data = r.data[16:]
	default:
		r.fail()
	}
}

// strings reads two strings if their flags are set.
func (r *reader) strings(flags, first byte, a *string, second byte, b *string) {
	if flags&first != 0 {
		*a = r.string()
	}
	if flags&second != 0 {
		*b = r.string()
	}
}

func (r *reader) string() string {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.fail()
		return ""
	}
	if n&1 != 0 {
		r.data = r.data[size:]
		s, ok := systemOf(n >> 1)
		if !ok {
			r.fail()
		}
		return s
	}
	if n >>= 1; n > uint64(len(r.data)-size) {
		r.fail()
		return ""
	}
	b := r.data[size : size+int(n)]
	r.data = r.data[size+int(n):]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (r *reader) bytes() []byte {
	list, rest := cutList(r.data)
	r.data = rest
	return list
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) times() Span[int64] {
	width := int(r.byte())
	low := r.varint()
	if width < len(widths) {
		return Span[int64]{low, low + widths[width]}
	}
	return Span[int64]{low, r.varint()}
}

// numbers reads a span. For a single number its successor is stored, which begins with it.
func (r *reader) numbers() Span[Number] {
	form := r.byte()
	first := numberIn(r.bytes())
	if form != isSingle {
		return Span[Number]{first, numberIn(r.bytes())}
	}
	if first == "" {
		r.fail()
		return Span[Number]{}
	}
	return Span[Number]{first[:len(first)-1], first}
}

func numberIn(b []byte) Number { return Number(unsafe.String(unsafe.SliceData(b), len(b))) }

// IsNews reports whether an entry is one of News, which depends on what was stored before the
// document.
func IsNews(entry []byte) bool { return bytes.HasPrefix(entry, newsPrefix[:]) }

var newsPrefix = [...]byte{0, 0, 0, 0, keyNews}
