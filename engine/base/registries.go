package base

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/registries"
	"github.com/roget-health/roget/engine"
)

// registered returns the code systems that FHIR uses and others keep: currencies, countries, areas.
func registered() []*engine.Entry {
	list := registries.All()
	entries := make([]*engine.Entry, len(list))
	for i := range list {
		s := &list[i]
		header := s.Header()
		entries[i] = &engine.Entry{
			Header: header.Header, Content: header.Content, Concepts: s.Len(), Origin: Origin, BuiltIn: true,
			CodeSystem: func() (*codesystem.Index, error) { return s.Index(context.Background()) },
		}
	}
	return entries
}
