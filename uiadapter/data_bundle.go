package uiadapter

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/roget-health/roget/engine"
)

// A bundle is a page of a search, of a history or of $everything.
type bundle struct {
	Total *int `json:"total"` // nil if the server does not count so many
	Link  []struct {
		Relation string `json:"relation"`
		URL      string `json:"url"`
	} `json:"link"`
	Entry []struct {
		FullURL  string          `json:"fullUrl"`
		Resource json.RawMessage `json:"resource"`
		Search   struct {
			Mode string `json:"mode"`
		} `json:"search"`
		Request struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		} `json:"request"`
		Response struct {
			LastModified string `json:"lastModified"`
			Etag         string `json:"etag"`
		} `json:"response"`
	} `json:"entry"`
}

// cursor returns where the page that a link leads to begins, "" if there is no such page.
func (b *bundle) cursor(relation string) string {
	for _, l := range b.Link {
		if l.Relation != relation {
			continue
		}
		if u, err := url.Parse(l.URL); err == nil {
			return u.Query().Get("_cursor")
		}
	}
	return ""
}

// warnings returns what the server says about a search.
func (b *bundle) warnings() []string {
	var list []string
	for i := range b.Entry {
		if b.Entry[i].Search.Mode == "outcome" {
			list = append(list, outcomeText(b.Entry[i].Resource))
		}
	}
	return list
}

// unknownType returns the error for what is no resource type.
func unknownType(typ string) error {
	return fmt.Errorf("%w: %q is no resource type of FHIR R4", engine.ErrInvalidParameter, cut(typ, 40))
}
