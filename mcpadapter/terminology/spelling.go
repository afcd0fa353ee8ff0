package terminology

import (
	"context"

	"github.com/roget-health/roget/engine/spelling"
)

// searching is a search by text in one value set.
type searching struct {
	tools         *Tools
	in            FindInput
	set           any
	limit, offset int
}

// run asks for a page of the codes that have the words.
func (s *searching) run(ctx context.Context) (*expansion, error) {
	return s.tools.expanded(ctx, s.parameters(s.in.Text).number("offset", s.offset).number("count", s.limit).yes("includeDesignations", true))
}

func (s *searching) parameters(filter string) parameters {
	return parameters{}.resource("valueSet", s.set).text("filter", filter).
		text("displayLanguage", s.in.Language).yes("activeOnly", s.in.ActiveOnly)
}

const (
	// candidates are the codes that one attempt looks at.
	candidates = 200
	maxNear    = 10 // codes that are returned

	noteSpelled = "no code has these very words; these are spelled nearly so"
)

// nearly returns codes that nearly have the words: with another spelling, or without one of
// the words. Note says which.
func (s *searching) nearly(ctx context.Context) (found []member, note string, err error) {
	finder := spelling.Finder[member]{
		Search: func(text string) ([]member, error) {
			e, err := s.tools.expanded(ctx, s.parameters(text).number("count", candidates).yes("includeDesignations", true))
			if err != nil {
				return nil, err
			}
			return e.Contains, nil
		},
		Texts: func(m member) (code string, texts []string) {
			texts = []string{m.Display}
			for _, d := range m.Designation {
				texts = append(texts, d.Value)
			}
			return m.Code, texts
		},
	}
	matches, missing, err := finder.Find(spelling.Words(s.in.Text), maxNear)
	if err != nil || len(matches) == 0 {
		return nil, "", err
	}
	for _, match := range matches {
		m := match.Item
		if match.Text != m.Display {
			m.near = match.Text
		}
		found = append(found, m)
	}
	if missing != "" {
		return found, "no code has all these words; these have all but " + missing, nil
	}
	return found, noteSpelled, nil
}
