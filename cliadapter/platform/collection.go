package platform

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
)

// collectionOptions are the flags that narrow and order a collection of the platform.
// Platform toolkit, section 2.7.
func collectionOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "filter", Usage: "`PROPERTY:OPERATOR:VALUE` List only objects that match, such as name:ilike:lab."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "root-junction", Usage: "Whether an object must match all filters (AND, the default) or any of them (OR)."}, Choices: []string{"AND", "OR"}},
		&cli.StringSliceFlag{Name: "order", Usage: "`PROPERTY:asc` Sort by a property, ascending (asc) or descending (desc)."},
		&cli.StringFlag{Name: "page", Usage: "`N` List only this page; the first is 1. By default all objects are listed."},
		&cli.StringFlag{Name: "page-size", Usage: "`N` Objects per page. The server's default is 50."},
	}
}

// fieldsOption is the flag for what to ask for.
func fieldsOption(preset string) cli.Flag {
	return &cli.StringFlag{Name: "fields", Value: preset, Usage: "`LIST` Fields to show, such as id,name,userRoles[id]."}
}

// collection reads the flags of collectionOptions.
func (inv *invocation) collection(fields string) (platform.ListOptions, error) {
	o := platform.ListOptions{Fields: fields, Filters: inv.List("filter"), RootJunction: inv.Text("root-junction"), Order: inv.List("order")}
	for name, into := range map[string]*int{"page": &o.Page, "page-size": &o.PageSize} {
		if !inv.Given(name) {
			continue
		}
		n, err := inv.Integer(name, 1)
		if err != nil {
			return o, err
		}
		*into = n
	}
	if err := o.Check(); err != nil {
		return o, &command.UsageError{Err: err}
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
