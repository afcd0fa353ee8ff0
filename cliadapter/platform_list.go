package cliadapter

import "github.com/roget-health/roget/adapters/platform"

// collectionOptions are the flags that narrow and order a collection of the platform.
// Platform toolkit, section 2.7.
func collectionOptions() options {
	return options{
		{names: []string{"filter"}, value: true, many: true, hint: "PROPERTY:OPERATOR:VALUE", usage: "Only those that match, such as name:ilike:lab."},
		{names: []string{"root-junction"}, value: true, choices: []string{"AND", "OR"}, usage: "How several filters go together; AND where it is not given."},
		{names: []string{"order"}, value: true, many: true, hint: "PROPERTY:asc", usage: "How to sort: property:asc or property:desc."},
		{names: []string{"page"}, value: true, hint: "N", usage: "Only this page, counted from 1."},
		{names: []string{"page-size"}, value: true, hint: "N", usage: "How many a page has."},
	}
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
