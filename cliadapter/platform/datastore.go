package platform

import (
	"context"
	"encoding/json"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
)

// datastoreCommand is about JSON values by namespace and key. Platform toolkit, sections
// 2.10 and 3.1.
func (c commands) datastoreCommand() *cli.Command {
	namespace := command.Argument{Name: "NAMESPACE", Required: true, Usage: "Name of the namespace."}
	key := command.Argument{Name: "KEY", Required: true, Usage: "Key in the namespace."}
	user := &cli.BoolFlag{Name: "user", Usage: "Use the store of the current user instead of the shared one."}
	leaf := func(cmd *cli.Command, d command.Details) *cli.Command {
		cmd.Flags = append([]cli.Flag{user}, cmd.Flags...)
		return c.Add(cmd, d)
	}
	// list is list with one argument or none, and each of its other names.
	list := func(cmd *cli.Command, args ...command.Argument) *cli.Command {
		cmd.Description = "Prints one name per line, or an array with --json."
		example := "roget datastore " + cmd.Name
		if len(args) > 0 {
			example += " settings"
		}
		return leaf(cmd, command.Details{Access: command.Reads, Args: args, Examples: []string{example}, Run: c.run(listDatastore)})
	}
	return &cli.Command{
		Name: "datastore", Usage: "Read and write JSON values by namespace and key",
		Subcommands: []*cli.Command{
			leaf(&cli.Command{
				Name: "get", Usage: "Print the value of a key as JSON",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{namespace, key},
				Examples: []string{"roget datastore get settings theme", "roget datastore get settings theme --user"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					store, err := inv.datastore(ctx)
					if err != nil {
						return err
					}
					value, err := store.Get(ctx, inv.Args()[0], inv.Args()[1])
					if err != nil {
						return err
					}
					return inv.writeIndented(value)
				}),
			}),
			leaf(&cli.Command{
				Name: "set", Usage: "Set the value of a key, and create the key if needed",
				Description: "VALUE is JSON. If it is not valid JSON, it is stored as a string.",
			}, command.Details{
				Access: command.Writes,
				Args:   []command.Argument{namespace, key, {Name: "VALUE", Required: true, Usage: "New value, as JSON or text."}},
				Examples: []string{
					"roget datastore set settings theme dark",
					`roget datastore set settings limits '{"rows": 100}'`,
				},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					args := inv.Args()
					var value any = args[2]
					if json.Valid([]byte(args[2])) {
						value = json.RawMessage(args[2])
					}
					return inv.changeDatastore(ctx, "", "set", func(store platform.Datastore) error {
						return store.Set(ctx, args[0], args[1], value)
					})
				}),
			}),
			leaf(&cli.Command{
				Name: "delete", Usage: "Delete a key",
				Description: "Deletes a key and its value. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{namespace, key},
				Examples: []string{"roget datastore delete settings theme --yes"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					args := inv.Args()
					return inv.changeDatastore(ctx, "Delete key "+args[1]+" of namespace "+args[0]+"?", "deleted", func(store platform.Datastore) error {
						return store.Delete(ctx, args[0], args[1])
					})
				}),
			}),
			list(&cli.Command{Name: "list", Aliases: []string{"ls"}, Usage: "List the namespaces, or the keys of a namespace"},
				command.Argument{Name: "NAMESPACE", Usage: "Namespace whose keys to list."}),
			list(&cli.Command{Name: "namespaces", Usage: "List the namespaces"}),
			list(&cli.Command{Name: "keys", Usage: "List the keys of a namespace"}, namespace),
			leaf(&cli.Command{
				Name: "delete-namespace", Usage: "Delete a namespace with all its keys",
				Description: "Deletes a namespace, all its keys and their values. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{namespace},
				Examples: []string{"roget datastore delete-namespace settings --yes"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					name := inv.Args()[0]
					return inv.changeDatastore(ctx, "Delete namespace "+name+" with all its keys?", "deleted", func(store platform.Datastore) error {
						return store.DeleteNamespace(ctx, name)
					})
				}),
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
	if inv.Is("user") {
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
	if args := inv.Args(); len(args) > 0 {
		names, err = store.Keys(ctx, args[0])
	} else {
		names, err = store.Namespaces(ctx)
	}
	if err != nil {
		return err
	}
	return inv.showNames(names)
}

// changeDatastore changes a key or namespace, after confirmation where needed, and reports it.
func (inv *invocation) changeDatastore(ctx context.Context, question, done string, change func(platform.Datastore) error) error {
	if question != "" {
		if err := inv.Confirm(question); err != nil {
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
	args := inv.Args()
	what, members := args[0], map[string]string{"namespace": args[0]}
	if len(args) > 1 {
		what += "/" + args[1]
		members["key"] = args[1]
	}
	return inv.did(done, what, members)
}
