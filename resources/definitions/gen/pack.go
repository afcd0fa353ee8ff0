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
	"github.com/roget-health/roget/resources/definitions"
)

// packAll returns the two files of the package: the table of headers, and the bodies of the documents as
// lines in the same order.
func packAll(list []*resource) (headers, documents []byte, err error) {
	slices.SortFunc(list, func(a, b *resource) int {
		return cmp.Or(cmp.Compare(a.ResourceType, b.ResourceType), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Version, b.Version))
	})
	var table, bodies bytes.Buffer
	lines := json.NewEncoder(&bodies)
	lines.SetEscapeHTML(false)
	for _, r := range list {
		if err := lines.Encode(r.body); err != nil {
			return nil, nil, err
		}
		row := columns(r)
		for _, field := range row {
			if strings.ContainsAny(field, "\t\r\n") {
				return nil, nil, fmt.Errorf("%s: %q contains a tab or a line break", r.URL, field)
			}
		}
		table.WriteString(strings.Join(row, "\t") + "\n")
	}
	if documents, err = pack.Lines(bodies.Bytes()); err != nil {
		return nil, nil, err
	}
	headers, err = pack.Table(table.Bytes(), headerColumns-1)
	return headers, documents, err
}

// headerColumns is the number of columns of the table of headers.
const headerColumns = 17

// columns returns the row of a resource in the table of headers. A star stands for the id at the end of a
// url, and for the last part of the id at the end of a name or title; = for a name that follows from the
// title.
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
	tail := r.ID[strings.LastIndexByte(r.ID, '-')+1:]
	name := ending(r.Name, tail)
	if r.Name == definitions.NameOf(r.Title) {
		name = "="
	}
	return []string{
		r.ResourceType, r.ID, ending(r.URL, r.ID), r.Version, name, ending(r.Title, tail), r.Status, experimental, r.Date, r.Publisher,
		r.Language, oid, standards, r.Copyright, r.Content, ending(r.ValueSet, r.ID), concepts,
	}
}

// ending puts a star in place of the last part of a text.
func ending(text, last string) string {
	if start, found := strings.CutSuffix(text, last); found && last != "" {
		return start + "*"
	}
	return text
}
