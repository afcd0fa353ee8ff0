package index

import (
	"bytes"
	"slices"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

// Owners finds the resources in whose compartment a document is. It is safe for concurrent use.
type Owners struct {
	typ     string // of the owners
	members map[string]func() ([]*fhirpath.Expression, error)
	scopes  sync.Pool
}

// NewOwners returns Owners for the compartments of a type, such as Patient, or nil if the type has no
// compartment.
func NewOwners(t *definitions.Tables, typ string) *Owners {
	c := t.Compartment(typ)
	if c == nil {
		return nil
	}
	o := &Owners{typ: typ, members: map[string]func() ([]*fhirpath.Expression, error){}}
	o.scopes.New = func() any { return fhirpath.NewScope(t) }
	for _, member := range c.Types() {
		o.members[member] = sync.OnceValues(func() (list []*fhirpath.Expression, err error) {
			for _, code := range c.Params(member) {
				p := t.SearchParam(member, code)
				if p == nil || p.Kind != definitions.Reference {
					continue
				}
				e, err := fhirpath.Compile(p.Expression)
				if err != nil {
					return nil, err
				}
				list = append(list, e)
			}
			return list, nil
		})
	}
	return o
}

// Of appends the ids of the owners of a resource in JSON, each once. A resource of the type of the
// owners is in its own compartment. For bases see Value.KeyAt.
func (o *Owners) Of(dst []string, typ, id string, doc []byte, bases []string) ([]string, error) {
	from := len(dst)
	if typ == o.typ {
		dst = append(dst, id)
	}
	members := o.members[typ]
	if members == nil || !bytes.Contains(doc, []byte(o.typ)) {
		return dst, nil
	}
	expressions, err := members()
	if err != nil || len(expressions) == 0 {
		return dst, err
	}
	d, err := document.Parse(doc, r4.DefaultLimits())
	if err != nil {
		return dst, err
	}
	scope := o.scopes.Get().(*fhirpath.Scope)
	defer o.scopes.Put(scope)
	scope.Reset(d.Root())
	var items []fhirpath.Item
	for _, e := range expressions {
		if items, err = scope.Evaluate(items[:0], e, scope.Root()); err != nil {
			return dst, err
		}
		for _, item := range items {
			v, ok := referenceOf(item)
			if !ok {
				continue
			}
			if key := v.KeyAt(bases); key.Type == o.typ && !slices.Contains(dst[from:], key.ID) {
				dst = append(dst, key.ID)
			}
		}
	}
	return dst, nil
}
