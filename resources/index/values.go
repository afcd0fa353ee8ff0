package index

import (
	"encoding/binary"
	"iter"
)

// Values are the values of all search parameters of a document, and its entries.
// Extractor.Extract makes them; they are not changed after that.
//
// As bytes they are: the format (1 byte), the number of parameters that have values (2 bytes,
// little endian), for each in ascending order its number and the offset of its values behind
// this table (4 bytes each), then lists of values, each with its length in front.
// Parameters with the same values share a list.
type Values struct {
	data    []byte
	entries [][]byte
	terms   [][]byte // in the order of parameters
}

// valuesFormat is the first byte of Values.
const valuesFormat = 1

// Append appends the values as bytes, for View.
func (v *Values) Append(dst []byte) []byte { return append(dst, v.data...) }

// View returns the values to read.
func (v *Values) View() View { return View{v.data} }

// Entries returns the entries of the document, each once, in no particular order: the caller's
// to keep. When it has Terms, there is an entry for each parameter that tells of news.
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

// Terms returns those entries of the vocabulary for the document that are not known. When they
// were written durably, they are added to what is known.
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

// View reads Values from their bytes. The zero View has no values. Bytes that were not
// written by Append give no values, or wrong ones, but do no harm.
type View struct{ data []byte }

// NewView reads the bytes of Values.Append, which must not be changed as long as the View or
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

// Has reports that a parameter has a value.
func (v View) Has(number uint32) bool { return len(v.list(number)) > 0 }

// list finds the values of a parameter.
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
