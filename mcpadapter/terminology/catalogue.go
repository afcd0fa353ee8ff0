package terminology

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/engine/names"
	"github.com/roget-health/roget/engine/spelling"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// CatalogueInput is what catalogue is asked.
type CatalogueInput struct {
	Kind   string `json:"kind,omitempty" jsonschema:"CodeSystem (default), ValueSet or ConceptMap"`
	Text   string `json:"text,omitempty" jsonschema:"words of url, name or title"`
	All    bool   `json:"all,omitempty" jsonschema:"with those of FHIR itself, which are left out without text"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next of the answer before"`
}

// CatalogueOutput is a page of what is loaded.
type CatalogueOutput struct {
	Total     int      `json:"total"`
	Resources []Loaded `json:"resources"`
	Next      string   `json:"next,omitempty" jsonschema:"cursor for more"`
	Note      string   `json:"note,omitempty"`
}

// Loaded is a resource that is loaded.
type Loaded struct {
	URL         string `json:"url"`
	Version     string `json:"version,omitempty"`
	Name        string `json:"name,omitempty"`
	Status      string `json:"status,omitempty"`
	Content     string `json:"content,omitempty" jsonschema:"unless complete"`
	Codes       int    `json:"codes,omitempty"`
	Description string `json:"description,omitempty"`
}

func (t *Tools) addCatalogue(s *mcp.Server) {
	add(s, tool("catalogue", "List what is loaded",
		"Lists the loaded code systems, value sets or concept maps with their versions. A single match comes with its description and number of codes."), t.catalogue)
}

// kindOf reads a kind as assistants write it.
func kindOf(kind string) (string, error) {
	switch names.Fold(kind) {
	case "", "codesystem", "codesystems":
		return "CodeSystem", nil
	case "valueset", "valuesets":
		return "ValueSet", nil
	case "conceptmap", "conceptmaps", "map", "maps":
		return "ConceptMap", nil
	}
	return "", fmt.Errorf("kind is %q: give CodeSystem, ValueSet or ConceptMap", answer.Short(kind, 60))
}

func (t *Tools) catalogue(ctx context.Context, in CatalogueInput) (CatalogueOutput, error) {
	kind, err := kindOf(in.Kind)
	if err != nil {
		return CatalogueOutput{}, err
	}
	if len(in.Text) > maxQuery {
		return CatalogueOutput{}, fmt.Errorf("text has more than %d bytes: give a few words of a url, name or title", maxQuery)
	}
	same := in
	same.Cursor, same.Kind = "", kind
	_, offset, arguments, err := page(0, 1, in.Cursor, call{"catalogue", same})
	if err != nil {
		return CatalogueOutput{}, err
	}
	list, err := t.source.Resources(ctx, kind)
	if err != nil {
		return CatalogueOutput{}, err
	}
	found, hidden := chosen(list, &in)
	var out CatalogueOutput
	switch {
	case len(found) == 0 && in.Text != "":
		out.Note = unknown(kind, in.Text, list).Error()
	case hidden > 0:
		out.Note = fmt.Sprintf("%d more are part of FHIR itself; text or all=true shows them", hidden)
	}
	if len(found) == 1 {
		found[0].Description = answer.Short(description(list, found[0]), maxText)
		if kind == "ValueSet" {
			if e, err := t.expanded(ctx, parameters{}.text("url", joined(found[0].URL, found[0].Version)).number("count", 0)); err == nil {
				found[0].Codes = e.total()
			}
		}
	}
	return out.fill(found, offset, arguments), nil
}

// chosen returns the resources that a call is about, those of FHIR last, and how many of
// FHIR it leaves out.
func chosen(list []Resource, in *CatalogueInput) (found []Loaded, hidden int) {
	want := spelling.Words(in.Text)
	var basic []Loaded
	for i := range list {
		r := &list[i]
		if r.URL == "" {
			continue
		}
		if len(want) > 0 && !r.has(want) {
			continue
		}
		item := Loaded{URL: r.URL, Version: r.Version, Name: answer.Short(r.label(), 120), Status: r.Status, Codes: r.Codes}
		if r.Content != "complete" {
			item.Content = r.Content
		}
		if item.Status == "active" {
			item.Status = ""
		}
		switch {
		case !r.basic():
			found = append(found, item)
		case in.All || in.Text != "":
			basic = append(basic, item)
		default:
			hidden++
		}
	}
	return append(found, basic...), hidden
}

// has reports whether url, id, name or title have some words.
func (r *Resource) has(want []string) bool {
	text := strings.ToLower(r.URL + " " + r.ID + " " + r.Name + " " + r.Title)
	plain := names.Fold(text)
	return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) && !strings.Contains(plain, w) })
}

func description(list []Resource, l Loaded) string {
	for i := range list {
		if list[i].URL == l.URL && list[i].Version == l.Version {
			return list[i].Description
		}
	}
	return ""
}

// fill adds resources from offset on: as many as the answer has room for.
func (o CatalogueOutput) fill(all []Loaded, offset int, arguments any) CatalogueOutput {
	o.Total = len(all)
	rest := all[min(offset, len(all)):]
	with := func(n int) CatalogueOutput {
		out := o
		out.Resources = append([]Loaded{}, rest[:n]...)
		if n < len(rest) {
			out.Next = answer.Cursor(offset+n, arguments)
		}
		return out
	}
	return with(answer.Fit(len(rest), budget, func(n int) (any, string) { out := with(n); return out, out.text() }))
}

func (o *CatalogueOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", len(o.Resources), o.Total)
	for _, r := range o.Resources {
		fmt.Fprintf(&b, "\n%s %s", joined(r.URL, r.Version), r.Name)
		if r.Codes > 0 {
			fmt.Fprintf(&b, " (%d codes)", r.Codes)
		}
		if r.Description != "" {
			b.WriteString(": " + r.Description)
		}
	}
	if o.Note != "" {
		b.WriteString("\n" + o.Note)
	}
	if o.Next != "" {
		b.WriteString("\nmore: cursor " + o.Next)
	}
	return b.String()
}
