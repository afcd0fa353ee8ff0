package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem/packed/pack"
)

// memberSize is how much JSON a member of the documents contains, which is what has to be unpacked
// to read one document. All of R4's fit into one, in some 10 ms. Members of 1 MiB take a twentieth more
// space.
const memberSize = 1 << 22

// packAll returns the two files of the package: the table of headers, and the bodies of the documents as lines of a
// file of members, each of at least memberSize bytes but the last.
func packAll(list []*resource, memberSize int) (headers, documents []byte, err error) {
	slices.SortFunc(list, func(a, b *resource) int {
		return cmp.Or(cmp.Compare(a.ResourceType, b.ResourceType), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Version, b.Version))
	})
	var table, packed, member bytes.Buffer
	flush := func() error {
		if member.Len() == 0 {
			return nil
		}
		frame, err := pack.Lines(member.Bytes())
		packed.Write(frame)
		member.Reset()
		return err
	}
	lines := json.NewEncoder(&member)
	lines.SetEscapeHTML(false)
	for _, r := range list {
		if member.Len() >= memberSize {
			if err := flush(); err != nil {
				return nil, nil, err
			}
		}
		offset := member.Len()
		if err := lines.Encode(r.body); err != nil {
			return nil, nil, err
		}
		row := append(columns(r),
			strconv.Itoa(packed.Len()), strconv.Itoa(offset), strconv.Itoa(member.Len()-offset-1))
		for _, field := range row {
			if strings.ContainsAny(field, "\t\r\n") {
				return nil, nil, fmt.Errorf("%s: %q contains a tab or a line break", r.URL, field)
			}
		}
		table.WriteString(strings.Join(row, "\t") + "\n")
	}
	if err := flush(); err != nil {
		return nil, nil, err
	}
	headers, err = pack.Table(table.Bytes(), headerColumns-1)
	return headers, packed.Bytes(), err
}

// headerColumns is the number of columns of the table of headers.
const headerColumns = 20

// columns returns the row of a resource in the table of headers, without its place.
func columns(r *resource) []string {
	experimental, oid, standards, concepts := "", "", "", ""
	if r.Experimental != nil {
		experimental = strconv.FormatBool(*r.Experimental)
	}
	if len(r.Identifier) > 0 {
		oid = r.Identifier[0].Value
	}
	if len(r.Extension) > 0 {
		standards = r.Extension[0].ValueCode
	}
	if len(r.Concept) > 0 {
		concepts = strconv.Itoa(size(r.Concept))
	}
	return []string{
		r.ResourceType, r.ID, r.URL, r.Version, r.Name, r.Title, r.Status, experimental, r.Date, r.Publisher,
		r.Language, oid, standards, r.Copyright, r.Content, r.ValueSet, concepts,
	}
}
