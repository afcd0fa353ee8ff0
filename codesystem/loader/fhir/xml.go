package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

// xml reads a resource in XML. It is converted to JSON as a whole, so MaxDocument bounds it, also if
// it is a CodeSystem.
func (l *reader) xml(r io.Reader, origin Origin) {
	limit := l.limits.MaxDocument
	text, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("%w: a resource in XML has more than %d bytes", ErrTooLarge, limit)
	}
	var json []byte
	if err == nil {
		limits := r4.Limits{MaxDepth: 2*l.limits.MaxNesting + 32, MaxToken: limit}
		json, err = fhirxml.New(definitions.R4(), limits).AppendJSON(l.ctx, nil, text)
		if err != nil { // it may be R5
			if as5, unread := fhirxml.New(definitions.R5(), limits).AppendJSON(l.ctx, nil, text); unread == nil {
				json, err = as5, nil
			}
		}
	}
	if err != nil {
		l.fail(origin, err)
		return
	}
	l.converted = true
	l.values(bytes.NewReader(json), origin, false)
	l.converted = false
}

// unplaced returns an error without the place in the JSON that a resource was converted to.
func unplaced(err error) error {
	var syntax *r4.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	without := *syntax
	without.Line, without.Column = 0, 0
	return &without
}
