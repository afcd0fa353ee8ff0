package cliadapter

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
)

// collectionOptions are the flags that narrow and order a collection of the platform.
// Platform toolkit, section 2.7.
func collectionOptions() options {
	return options{
		{names: []string{"filter"}, value: true, many: true, hint: "property:op:value", usage: "What the objects must be like, such as name:ilike:lab."},
		{names: []string{"root-junction"}, value: true, choices: []string{"AND", "OR"}, usage: "Whether all filters must hold, or one; without it all."},
		{names: []string{"order"}, value: true, many: true, hint: "property:asc", usage: "Order of the rows: property:asc or property:desc."},
		{names: []string{"page"}, value: true, hint: "N", usage: "One page only, from 1. Without a page all objects are listed."},
		{names: []string{"page-size"}, value: true, hint: "N", usage: "Objects of a page; the server's default is 50."},
	}
}

// fieldsOption is the flag for what to ask for.
func fieldsOption(preset string) *option {
	return &option{names: []string{"fields"}, value: true, hint: "LIST", preset: preset, usage: "Fields to show, such as id,name,userRoles[id]."}
}

// collection reads the flags of collectionOptions.
func (inv *invocation) collection(fields string) (platform.ListOptions, error) {
	o := platform.ListOptions{Fields: fields, Filters: inv.list("filter"), RootJunction: inv.text("root-junction"), Order: inv.list("order")}
	for name, into := range map[string]*int{"page": &o.Page, "page-size": &o.PageSize} {
		if !inv.given(name) {
			continue
		}
		n, err := inv.integer(name, 1)
		if err != nil {
			return o, err
		}
		*into = n
	}
	if err := o.Check(); err != nil {
		return o, &UsageError{Err: err}
	}
	return o, nil
}

// connectCollection reads the flags of collectionOptions, and connects if they make sense.
func (inv *invocation) connectCollection(ctx context.Context, fields string) (*platform.Client, platform.ListOptions, error) {
	o, err := inv.collection(fields)
	if err != nil {
		return nil, o, err
	}
	client, err := inv.platform(ctx)
	return client, o, err
}
