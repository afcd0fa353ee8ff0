package uiadapter

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// link returns the relative address of a page with parameters, which follow as names and values.
// Parameters without a value are left out.
func link(page string, pairs ...any) (string, error) {
	if len(pairs)%2 != 0 {
		return "", errors.New("link: a parameter has no value")
	}
	var b strings.Builder
	b.WriteString(page)
	sep := byte('?')
	for pair := range slices.Chunk(pairs, 2) {
		value := fmt.Sprint(pair[len(pair)-1])
		if value == "" {
			continue
		}
		b.WriteByte(sep)
		sep = '&'
		b.WriteString(url.QueryEscape(fmt.Sprint(pair[0])))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(value))
	}
	return b.String(), nil
}

// number returns a number with its thousands apart (a thin space, as ISO 80000 has it).
func number(n int) string {
	digits := strconv.Itoa(n)
	if n < 10_000 && n > -10_000 {
		return digits
	}
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

// tick returns the value of a checkbox in an address.
func tick(set bool) string {
	if set {
		return "1"
	}
	return ""
}
