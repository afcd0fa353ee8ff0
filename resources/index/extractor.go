package index

import (
	"github.com/roget-health/roget/resources/definitions"
)

// An Extractor makes Values of documents. It is safe for concurrent use.
type Extractor struct {
	tables *definitions.Tables
}

// NewExtractor gives the Extractor of the search parameters of tables.
func NewExtractor(t *definitions.Tables) *Extractor { return &Extractor{tables: t} }

// Field gives a search parameter as the key space has it.
func (x *Extractor) Field(p *definitions.SearchParam) Field { return NewField(p.Number) }
