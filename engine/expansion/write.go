package expansion

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/engine/answer"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// AppendJSON appends the ValueSet resource.
func (r *Result) AppendJSON(dst []byte) []byte {
	dst = r.appendHead(dst)
	for i := range r.Entries {
		dst = r.appendEntry(dst, i)
	}
	return r.appendTail(dst)
}

// WriteJSON writes the ValueSet resource in pieces, so that a large page needs little memory.
func (r *Result) WriteJSON(w io.Writer) error {
	const piece = 64 << 10
	buf := r.appendHead(make([]byte, 0, piece+4<<10))
	for i := range r.Entries {
		buf = r.appendEntry(buf, i)
		if len(buf) >= piece {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	_, err := w.Write(r.appendTail(buf))
	return err
}

// appendHead appends everything before the first code. A value set without an id, which came with
// the request or is implicit, gets the id of the expansion.
func (r *Result) appendHead(dst []byte) []byte {
	h := &r.ValueSet.Header
	head := r4.ValueSet{Header: r4.Header{
		ResourceType: "ValueSet", ID: cmp.Or(h.ID, strings.TrimPrefix(r.Identifier, "urn:uuid:")), Language: h.Language, URL: h.URL, Version: h.Version, Name: h.Name, Title: h.Title,
		Status: cmp.Or(h.Status, "unknown"), Experimental: h.Experimental, Date: h.Date, Publisher: h.Publisher,
	}}
	if r.definition {
		head.Description, head.Copyright, head.Extension = h.Description, h.Copyright, h.Extension
		head.Compose, head.Immutable, head.Contained = r.ValueSet.Compose, r.ValueSet.Immutable, r.ValueSet.Contained
	}
	dst = head.AppendJSON(dst)
	dst = append(dst[:len(dst)-1], `,"expansion":{`...)
	dst = r.appendExtensions(dst)
	dst = append(dst, `"identifier":"`...)
	dst = append(dst, r.Identifier...)
	dst = append(dst, `","timestamp":"`...)
	dst = r.Timestamp.AppendFormat(dst, time.RFC3339)
	dst = append(dst, '"')
	if !r.Endless {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendInt(dst, int64(r.Total), 10)
	}
	if r.Paged {
		dst = append(dst, `,"offset":`...)
		dst = strconv.AppendInt(dst, int64(r.Offset), 10)
	}
	for i := range r.Parameters {
		dst = append(dst, sep(i, `,"parameter":[{"name":`, `,{"name":`)...)
		dst = r4.AppendString(dst, r.Parameters[i].Name)
		dst = append(dst, ',')
		dst = r4.AppendValue(dst, "value", r.Parameters[i].Value)
		dst = append(dst, '}')
	}
	if len(r.Parameters) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendExtensions appends the extensions of the expansion and a comma.
func (r *Result) appendExtensions(dst []byte) []byte {
	first := `"extension":[`
	had := len(dst)
	if r.Incomplete {
		dst = append(dst, first...)
		dst = r4.AppendExtension(dst, &r4.Extension{URL: extensionOfFHIR + "valueset-toocostly", Value: r4.Boolean(true)})
		first = ","
	}
	if r.Unclosed != "" || r.Composes {
		dst = append(dst, first...)
		dst = r4.AppendExtension(dst, &r4.Extension{URL: extensionOfFHIR + "valueset-unclosed", Value: r4.Boolean(true)})
		first = ","
	}
	if r.Unclosed != "" {
		dst = append(dst, ',')
		dst = r4.AppendExtension(dst, &r4.Extension{URL: extensionOfFHIR + "valueset-unclosed-reason", Value: r4.String(r.Unclosed)})
	}
	dst = r.properties.appendDeclared(dst, first)
	if len(dst) > had {
		dst = append(dst, "],"...)
	}
	return dst
}

// appendDeclared appends the declared properties: first, then the entries separated by commas.
func (p *expansionProperties) appendDeclared(dst []byte, first string) []byte {
	for i := range p.declared {
		dst = append(dst, sep(i, first, ",")...)
		x := r4.Extension{URL: propertyExtension, Extension: r4.Extensions{{URL: "code", Value: r4.Code(p.declared[i].code)}}}
		if p.declared[i].uri != "" {
			x.Extension = append(x.Extension, r4.Extension{URL: "uri", Value: r4.URI(p.declared[i].uri)})
		}
		dst = r4.AppendExtension(dst, &x)
	}
	return dst
}

// sep returns first for the first element of a list, next for the others.
func sep(i int, first, next string) string {
	if i == 0 {
		return first
	}
	return next
}

// appendEntry appends a code. Codes that may have nested codes stay open; a later code or the tail
// closes them.
func (r *Result) appendEntry(dst []byte, i int) []byte {
	e := &r.Entries[i]
	switch depth := e.Depth; {
	case i == 0, depth > r.Entries[i-1].Depth:
		dst = append(dst, `,"contains":[`...)
	default:
		for d := r.Entries[i-1].Depth; d > depth; d-- {
			dst = append(dst, "}]"...)
		}
		dst = append(dst, "},"...)
	}
	dst = append(dst, '{')
	dst = r.properties.appendEntry(dst, i)
	if e.System != "" {
		dst = append(dst, `"system":`...)
		dst = r4.AppendString(dst, e.System)
		dst = append(dst, ',')
	}
	if e.Abstract {
		dst = append(dst, `"abstract":true,`...)
	}
	if e.Inactive {
		dst = append(dst, `"inactive":true,`...)
	}
	if r.versions && e.Version != "" {
		dst = append(dst, `"version":`...)
		dst = r4.AppendString(dst, e.Version)
		dst = append(dst, ',')
	}
	dst = append(dst, `"code":`...)
	dst = r4.AppendString(dst, e.Code)
	if e.Display != "" {
		dst = append(dst, `,"display":`...)
		dst = r4.AppendString(dst, e.Display)
	}
	if r.designations != nil {
		dst = r.appendDesignations(dst, e)
	}
	return dst
}

// appendEntry appends the member extension of a code and a comma.
func (p *expansionProperties) appendEntry(dst []byte, place int) []byte {
	d := p.entries[place]
	if d == nil {
		return dst
	}
	dst = append(dst, `"extension":[`...)
	n := 0
	for i := range d.extensions {
		dst = append(dst, sep(n, "", ",")...)
		dst = r4.AppendExtension(dst, &d.extensions[i])
		n++
	}
	for i := range d.properties {
		dst = append(dst, sep(n, "", ",")...)
		dst = r4.AppendExtension(dst, &r4.Extension{URL: containsPropertyExtension, Extension: r4.Extensions{
			{URL: "code", Value: r4.Code(d.properties[i].Code)}, {URL: "value", Value: d.properties[i].Value},
		}})
		n++
	}
	return append(dst, "],"...)
}

// appendDesignations appends the designations of a code.
func (r *Result) appendDesignations(dst []byte, e *valueset.Entry) []byte {
	n := 0
	for _, d := range r.designated(e) {
		dst = append(dst, sep(n, `,"designation":[`, ",")...)
		dst = r4.AppendDesignation(dst, d)
		n++
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendTail closes all open codes and the resource.
func (r *Result) appendTail(dst []byte) []byte {
	if n := len(r.Entries); n > 0 {
		for d := r.Entries[n-1].Depth; d >= 0; d-- {
			dst = append(dst, "}]"...)
		}
	}
	return append(dst, "}}"...)
}

// Yes is always true: an empty expansion is an answer too.
func (r *Result) Yes() bool { return true }

// Table has one row for each code.
func (r *Result) Table() *answer.Table {
	h := &r.ValueSet.Header
	t := &answer.Table{
		Title:  cmp.Or(r4.JoinCanonical(h.URL, h.Version), h.Title, h.Name, h.ID),
		Header: []string{"CODE", "DISPLAY"},
		Footer: fmt.Sprintf("%d of %s", len(r.Entries), answer.Thousands(r.Total)),
	}
	if r.Incomplete {
		t.Footer += ", which is the limit"
	}
	if r.Offset > 0 {
		t.Footer += fmt.Sprintf(", from %s on", answer.Thousands(r.Offset+1))
	}
	several := slices.ContainsFunc(r.Entries, func(e valueset.Entry) bool { return e.System != r.Entries[0].System })
	if several || r.versions {
		t.Header = append(t.Header, "SYSTEM")
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		display := e.Display
		if e.Abstract {
			display += " (abstract)"
		}
		if e.Inactive {
			display += " (inactive)"
		}
		row := []string{strings.Repeat("  ", e.Depth) + e.Code, strings.TrimSpace(display)}
		if len(t.Header) > 2 {
			system := e.System
			if r.versions {
				system = r4.JoinCanonical(system, e.Version)
			}
			row = append(row, system)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
