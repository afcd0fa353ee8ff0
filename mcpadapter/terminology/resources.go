package terminology

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// Resources of the protocol are pointers: what is loaded, and what one resource is about.
// Codes come from the tools.
const (
	listURI     = "roget://terminology/"
	resourceURI = listURI + "{kind}/{+canonical}"
	jsonType    = "application/json"
)

func (t *Tools) addResources(s *mcp.Server) {
	for _, kind := range []struct{ typ, name, title string }{
		{"CodeSystem", "code-systems", "Loaded code systems"},
		{"ValueSet", "value-sets", "Loaded value sets"},
		{"ConceptMap", "concept-maps", "Loaded concept maps"},
	} {
		s.AddResource(&mcp.Resource{
			URI: listURI + kind.typ, Name: kind.name, Title: kind.title, MIMEType: jsonType,
			Description: "Canonicals, versions and names, without those of FHIR itself. The tool catalogue pages through all.",
		}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			out, err := t.catalogue(ctx, CatalogueInput{Kind: kind.typ})
			if err != nil {
				return nil, err
			}
			return document(req.Params.URI, out)
		})
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resourceURI, Name: "resource", Title: "A code system, value set or concept map", MIMEType: jsonType,
		Description: "What one resource is about: kind is CodeSystem, ValueSet or ConceptMap; canonical is its url, percent-encoded.",
	}, t.readResource)
}

func (t *Tools) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	kind, canonical, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, listURI), "/")
	if plain, err := url.PathUnescape(canonical); err == nil {
		canonical = plain
	}
	if kind, err := kindOf(kind); err == nil && canonical != "" {
		list, err := t.source.Resources(ctx, kind)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if r := &list[i]; r.URL != "" && (r.URL == canonical || joined(r.URL, r.Version) == canonical) {
				return document(req.Params.URI, Loaded{
					URL: r.URL, Version: r.Version, Name: answer.Line(r.label()), Status: r.Status, Content: r.Content, Codes: r.Codes,
					Description: answer.Cut(answer.Clean(r.Description), 2000),
				})
			}
		}
	}
	return nil, mcp.ResourceNotFoundError(req.Params.URI)
}

// document returns a value as the content of a resource.
func document(uri string, value any) (*mcp.ReadResourceResult, error) {
	doc, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: jsonType, Text: answer.Clean(string(doc))}}}, nil
}
