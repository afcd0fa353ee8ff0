package base

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
)

// designationUses returns the code system of designation uses that loaders assign.
func designationUses() *engine.Entry {
	header := loader.Header()
	header.ID, header.URL, header.Version, header.Name = "designation-use", loader.DesignationUse, "1.0.0", "DesignationUse"
	header.Title, header.Publisher, header.Language = "Uses of designations in classifications", "Roget", "en"
	header.Description = "Kinds of names in ClaML and ICD-10-CM for which no other code system has codes"
	header.HierarchyMeaning = ""
	uses := loader.DesignationUses()
	return &engine.Entry{
		Header: header.Header, Content: header.Content, Concepts: len(uses), Origin: Origin, BuiltIn: true,
		CodeSystem: func() (*codesystem.Index, error) {
			b := codesystem.NewBuilder(header)
			for _, use := range uses {
				if _, err := b.Add(&codesystem.Concept{Code: use.Code, Display: use.Display, Definition: use.Definition, Parent: -1}); err != nil {
					return nil, err
				}
			}
			return b.Build(context.Background())
		},
	}
}
