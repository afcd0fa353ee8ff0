package rf2

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader/rf2/internal/checkdigit"
)

// id reads an identifier.
func (r *rows) id(column int) sctid {
	id, ok := parseID(r.fields[column])
	if !ok {
		r.wrong(column, "an identifier of 6 to 18 digits")
	}
	return id
}

// parseID parses an identifier without checking its check digit.
func parseID(f []byte) (id sctid, ok bool) {
	if len(f) < 6 || len(f) > 18 || f[0] == '0' {
		return 0, false
	}
	for _, c := range f {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		id = id*10 + sctid(d)
	}
	return id, true
}

// A component is the kind of component that an identifier names: its second to last digit.
type component byte

const (
	conceptID      component = '0'
	descriptionID  component = '1'
	relationshipID component = '2'
)

func (c component) String() string {
	switch c {
	case conceptID:
		return "concept"
	case descriptionID:
		return "description"
	}
	return "relationship"
}

// ownID reads the identifier of the component of a row, and checks partition and check digit,
// unless lax is set.
func (r *rows) ownID(column int, of component, lax bool) sctid {
	id := r.id(column)
	if lax || r.err != nil {
		return id
	}
	f := r.fields[column]
	if partition := f[len(f)-2]; partition != byte(of) || f[len(f)-3] > '1' {
		r.wrong(column, fmt.Sprintf("the identifier of a %s: partition 0%c or 1%c before the check digit", of, of, of))
	} else if !checkdigit.Verhoeff(f) {
		r.wrong(column, "another check digit")
	}
	return id
}

// A uuid identifies a member of a reference set.
type uuid [16]byte

// member reads the identifier of a member.
func (r *rows) member(column int) (id uuid) {
	f := r.fields[column]
	const form = "a UUID: 8-4-4-4-12 hexadecimal digits"
	if len(f) != 36 || f[8] != '-' || f[13] != '-' || f[18] != '-' || f[23] != '-' {
		r.wrong(column, form)
		return id
	}
	at := 0
	for i := range id {
		if f[at] == '-' {
			at++
		}
		high, low := nibble(f[at]), nibble(f[at+1])
		if high|low > 15 {
			r.wrong(column, form)
			return uuid{}
		}
		id[i] = high<<4 | low
		at += 2
	}
	return id
}

// nibble returns the value of a hexadecimal digit, and more than 15 for any other character.
func nibble(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// date reads a date as a number: 20250131.
func (r *rows) date(column int) uint32 {
	d, ok := parseDate(r.fields[column])
	if !ok {
		r.wrong(column, "a date like 20250131")
	}
	return d
}

// parseDate parses a date of eight digits. It drops a time after the date (T000000Z), which early
// releases have.
func parseDate(f []byte) (date uint32, ok bool) {
	if len(f) > 8 && f[8] == 'T' && len(f) <= 16 {
		f = f[:8]
	}
	if len(f) != 8 {
		return 0, false
	}
	for _, c := range f {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		date = date*10 + uint32(d)
	}
	month, day := date/100%100, date%100
	return date, date >= 1900_00_00 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// flag reads 0 or 1.
func (r *rows) flag(column int) bool {
	f := r.fields[column]
	if len(f) != 1 || f[0]&^1 != '0' {
		r.wrong(column, "0 or 1")
		return false
	}
	return f[0] == '1'
}

// number reads a number without sign, below limit.
func (r *rows) number(column int, limit uint32) uint32 {
	f := r.fields[column]
	var n uint32
	for _, c := range f {
		d := c - '0'
		if n = n*10 + uint32(d); d > 9 || n >= limit || len(f) > 9 {
			r.wrong(column, "a number, not too large")
			return 0
		}
	}
	if len(f) == 0 {
		r.wrong(column, "a number")
	}
	return n
}

// text reads a text, which may be empty.
func (r *rows) text(column int) []byte {
	f := r.fields[column]
	if !utf8.Valid(f) {
		r.wrong(column, "UTF-8")
		return nil
	}
	return f
}

// values returns the fields from a column on unchanged, with the tabs between them.
func (r *rows) values(column int) []byte {
	if column >= len(r.fields) {
		return nil
	}
	size := len(r.fields) - column - 1
	for _, f := range r.fields[column:] {
		size += len(f)
	}
	return r.fields[column][:size:size] // fields are adjacent in the line
}

// language reads the code of a language.
func (r *rows) language(column int) []byte {
	f := r.fields[column]
	if len(f) < 2 || len(f) > 35 || bytes.ContainsFunc(f, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) {
		r.wrong(column, "a language code")
	}
	return f
}
