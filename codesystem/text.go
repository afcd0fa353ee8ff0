package codesystem

import "context"

// buildText makes the text sections (ids 48 to 63) from an index that has
// everything but them: codes, displays, designations, hierarchy, flags, properties.
func buildText(ctx context.Context, x *Index) ([]section, error) { return nil, nil }

// textView reads the text sections.
type textView struct{}

// openText opens the text sections, under the contract of openProperties.
func openText(get func(id uint32) []byte, n int) (textView, error) { return textView{}, nil }
