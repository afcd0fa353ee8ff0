package fhirxml

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
)

// checkTag bounds the tag that begins at d.at before it is read: its attributes and their lengths.
// It reports whether there is no error.
func (d *decoder) checkTag() bool {
	attributes := 0
	ok := eachValue(d.src[d.at:], func(value []byte) bool {
		if attributes++; attributes > maxAttributes {
			d.failAs("too-long", "the element has more than %d attributes", maxAttributes)
		}
		if len(value) > d.codec.limits.MaxToken {
			d.failAs("too-long", "the value of an attribute exceeds %d bytes", d.codec.limits.MaxToken)
		}
		return d.err == nil
	})
	return ok && d.err == nil
}

// eachValue calls f for the value of each attribute in the start tag that a text begins with, with
// its references, until f returns false. A malformed tag, or another token, has no or fewer values.
func eachValue(text []byte, f func([]byte) bool) bool {
	if len(text) < 2 || text[0] != '<' || text[1] == '!' || text[1] == '?' || text[1] == '/' {
		return true
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '>':
			return true
		case '"', '\'':
			n := bytes.IndexByte(text[i+1:], c)
			if n < 0 {
				return true
			}
			if !f(text[i+1 : i+1+n]) {
				return false
			}
			i += n + 1
		}
	}
	return true
}

// normalize replaces literal white space in the values of attributes by blanks, as XML requires
// (https://www.w3.org/TR/xml/#AVNormalize). The decoder of Go keeps it, and it is then no longer
// different from references such as &#10;, which stand for themselves.
func (d *decoder) normalize(start xml.StartElement) {
	literal := func(value []byte) bool { return bytes.ContainsAny(value, "\t\n\r") }
	if !bytes.ContainsAny(d.src[d.at:d.in.InputOffset()], "\t\n\r") {
		return
	}
	i := 0
	eachValue(d.src[d.at:], func(value []byte) bool {
		if i < len(start.Attr) && literal(value) {
			start.Attr[i].Value = resolved(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(string(value)))
		}
		i++
		return true
	})
}

// resolved returns the text of a well-formed value with its references replaced.
func resolved(value string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(value, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		var name string
		name, value, _ = strings.Cut(rest, ";")
		switch name {
		case "amp":
			b.WriteByte('&')
		case "lt":
			b.WriteByte('<')
		case "gt":
			b.WriteByte('>')
		case "quot":
			b.WriteByte('"')
		case "apos":
			b.WriteByte('\'')
		default:
			number, base := strings.TrimPrefix(name, "#"), 10
			if hex, is := strings.CutPrefix(number, "x"); is {
				number, base = hex, 16
			}
			n, _ := strconv.ParseUint(number, base, 21)
			b.WriteRune(rune(n))
		}
	}
}
