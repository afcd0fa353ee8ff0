package cliadapter

import (
	"context"
	"encoding/json"

	"github.com/roget-health/roget/adapters/platform"
)

// datastoreCommand is about JSON values by namespace and key. Platform toolkit, sections
// 2.10 and 3.1.
func (c *CLI) datastoreCommand() *command {
	namespace := argument{name: "NAMESPACE", required: true}
	key := argument{name: "KEY", required: true}
	user := &option{names: []string{"user"}, usage: "The store of the user who asks, not the one that all users share."}
	leaf := func(cmd command) *command {
		cmd.options = append(options{user}, cmd.options...)
		return &cmd
	}
	// list is list with one argument or none, and each of its other names.
	list := func(cmd command) *command {
		cmd.access = accessRead
		cmd.doc = "Prints one name a line, or an array with --json."
		cmd.run = listDatastore
		return leaf(cmd)
	}
	return &command{
		name: "datastore", group: groupPlatform, summary: "Read and write JSON values by namespace and key",
		commands: []*command{
			leaf(command{
				name: "get", access: accessRead, summary: "Print the value of a key as JSON",
				args:     []argument{namespace, key},
				examples: []string{"roget datastore get settings theme", "roget datastore get settings theme --user"},
				run: func(ctx context.Context, inv *invocation) error {
					store, err := inv.datastore(ctx)
					if err != nil {
						return err
					}
					value, err := store.Get(ctx, inv.args()[0], inv.args()[1])
					if err != nil {
						return err
					}
					return inv.writeIndented(value)
				},
			}),
			leaf(command{
				name: "set", access: accessWrite, summary: "Give a key a value, whether or not it is there",
				doc:  "The value is JSON; what is not JSON is stored as a text.",
				args: []argument{namespace, key, {name: "VALUE", required: true}},
				examples: []string{
					"roget datastore set settings theme dark",
					`roget datastore set settings limits '{"rows": 100}'`,
				},
				run: func(ctx context.Context, inv *invocation) error {
					args := inv.args()
					var value any = args[2]
					if json.Valid([]byte(args[2])) {
						value = json.RawMessage(args[2])
					}
					return inv.changeDatastore(ctx, "", "set", func(store platform.Datastore) error {
						return store.Set(ctx, args[0], args[1], value)
					})
				},
			}),
			leaf(command{
				name: "delete", access: accessWrite, summary: "Delete a key",
				args: []argument{namespace, key}, options: options{yesOption()},
				run: func(ctx context.Context, inv *invocation) error {
					args := inv.args()
					return inv.changeDatastore(ctx, "Delete key "+args[1]+" of namespace "+args[0]+"?", "deleted", func(store platform.Datastore) error {
						return store.Delete(ctx, args[0], args[1])
					})
				},
			}),
			list(command{
				name: "list", aliases: []string{"ls"}, summary: "List the namespaces, or the keys of one",
				args: []argument{{name: "NAMESPACE", usage: "List its keys."}},
			}),
			list(command{name: "namespaces", summary: "List the namespaces"}),
			list(command{name: "keys", summary: "List the keys of a namespace", args: []argument{namespace}}),
			leaf(command{
				name: "delete-namespace", access: accessWrite, summary: "Delete a namespace with all its keys",
				args: []argument{namespace}, options: options{yesOption()},
				run: func(ctx context.Context, inv *invocation) error {
					name := inv.args()[0]
					return inv.changeDatastore(ctx, "Delete namespace "+name+" with all its keys?", "deleted", func(store platform.Datastore) error {
						return store.DeleteNamespace(ctx, name)
					})
				},
			}),
		},
	}
}

// datastore returns the store that is meant.
func (inv *invocation) datastore(ctx context.Context) (platform.Datastore, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return platform.Datastore{}, err
	}
	if inv.is("user") {
		return client.UserDatastore(), nil
	}
	return client.Datastore(), nil
}

func listDatastore(ctx context.Context, inv *invocation) error {
	store, err := inv.datastore(ctx)
	if err != nil {
		return err
	}
	var names []string
	if args := inv.args(); len(args) > 0 {
		names, err = store.Keys(ctx, args[0])
	} else {
		names, err = store.Namespaces(ctx)
	}
	if err != nil {
		return err
	}
	return inv.showNames(names)
}

// changeDatastore does something to a key or namespace, perhaps after a question, and
// says so.
func (inv *invocation) changeDatastore(ctx context.Context, question, done string, change func(platform.Datastore) error) error {
	if question != "" {
		if err := inv.confirm(question); err != nil {
			return err
		}
	}
	store, err := inv.datastore(ctx)
	if err != nil {
		return err
	}
	if err := change(store); err != nil {
		return err
	}
	args := inv.args()
	what, members := args[0], map[string]string{"namespace": args[0]}
	if len(args) > 1 {
		what += "/" + args[1]
		members["key"] = args[1]
	}
	return inv.did(done, what, members)
}
