package cliadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter/authn"
)

func (c builder) tokenCommand() *cli.Command {
	file := &cli.StringFlag{Name: "tokens", Value: "roget-tokens.toml", TakesFile: true, Usage: "`FILE` File of static tokens, the same as --auth-tokens of roget serve."}
	name := command.Argument{Name: "NAME", Required: true, Usage: "Name of the token, which logs and policies show."}
	return &cli.Command{
		Name: "token", Category: groupRun, Usage: "Make and remove static tokens for a server",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "add", Usage: "Make a token and print it",
				Description: "Makes a random token of 256 bits, adds its hash to the file, and prints the token, which nobody can print again. " +
					"A running server accepts it within a second. Clients send it as Authorization: Bearer TOKEN.",
				Flags: []cli.Flag{
					file,
					&cli.StringFlag{Name: "scopes", Usage: "`SCOPES` SMART scopes with blanks between them, such as \"system/*.rs system/Observation.cruds\". Without them only a policy says what the token permits."},
					&cli.StringFlag{Name: "patient", Usage: "`ID` Patient that scopes of the level patient are about."},
					&cli.StringSliceFlag{Name: "role", Usage: "`ROLE` Role for the policy."},
					&cli.StringFlag{Name: "expires", Usage: "`DURATION` Time until the token expires, such as 720h. By default it never does."},
				},
			}, command.Details{
				Access: command.Writes, Args: []command.Argument{name},
				Examples: []string{`roget token add loader --scopes "system/*.cruds"`, `roget token add kiosk --scopes "patient/*.rs" --patient 7 --expires 24h`},
				Run:      c.run(func(_ context.Context, inv *invocation) error { return inv.addToken() }),
			}),
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List the tokens", Flags: append([]cli.Flag{file}, outputOptions()...),
			}, command.Details{
				Access: command.Reads, Examples: []string{"roget token list"},
				Run: c.run(func(_ context.Context, inv *invocation) error { return inv.listTokens() }),
			}),
			c.Add(&cli.Command{
				Name: "remove", Aliases: []string{"rm"}, Usage: "Remove a token", Flags: []cli.Flag{file},
				Description: "Removes a token from the file. A running server refuses it from the next second on.",
			}, command.Details{
				Access: command.Writes, Args: []command.Argument{name}, Examples: []string{"roget token remove loader"},
				Run: c.run(func(_ context.Context, inv *invocation) error { return inv.removeToken() }),
			}),
		},
	}
}

func (inv *invocation) addToken() error {
	path, name := inv.Text("tokens"), inv.Args()[0]
	f, err := authn.ReadTokens(path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(f.Tokens, func(t authn.Token) bool { return t.Name == name }) {
		return command.Usagef("%s has a token %q already; choose another name, or remove it with roget token remove", path, name)
	}
	entry := authn.Token{
		Name: name, Scopes: strings.Fields(inv.Text("scopes")), Patient: inv.Text("patient"), Roles: inv.List("role"),
		Created: time.Now().UTC().Truncate(time.Second),
	}
	for _, text := range entry.Scopes {
		if _, err := access.ParseScope(text); err != nil {
			return command.Usagef("--scopes: %w", err)
		}
	}
	if inv.Text("expires") != "" {
		lasts, err := inv.Duration("expires")
		if err != nil {
			return err
		}
		entry.Expires = entry.Created.Add(lasts)
	}
	token, hash := authn.NewToken()
	entry.Hash = hash
	f.Tokens = append(f.Tokens, entry)
	if err := f.Write(path); err != nil {
		return err
	}
	return command.Write(inv.Out, []byte(token+"\n"))
}

func (inv *invocation) listTokens() error {
	f, err := authn.ReadTokens(inv.Text("tokens"))
	if err != nil {
		return err
	}
	if inv.Text("output") == "json" {
		return inv.WriteValue(append([]authn.Token{}, f.Tokens...))
	}
	table := &engine.Table{Header: []string{"NAME", "SCOPES", "PATIENT", "ROLES", "EXPIRES"}}
	for _, t := range f.Tokens {
		expires := "never"
		if !t.Expires.IsZero() {
			expires = t.Expires.Format(time.RFC3339)
		}
		table.Rows = append(table.Rows, []string{t.Name, strings.Join(t.Scopes, " "), t.Patient, strings.Join(t.Roles, " "), expires})
	}
	return inv.WriteTable(table)
}

func (inv *invocation) removeToken() error {
	path, name := inv.Text("tokens"), inv.Args()[0]
	f, err := authn.ReadTokens(path)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(f.Tokens), func(t authn.Token) bool { return t.Name == name })
	if len(kept) == len(f.Tokens) {
		return fmt.Errorf("%s has no token %q; roget token list prints their names", path, name)
	}
	f.Tokens = kept
	return f.Write(path)
}
