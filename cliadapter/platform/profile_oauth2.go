package platform

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

const clientSecretVariable = "PLATFORM_OAUTH_CLIENT_SECRET" //nolint:gosec // the name of a variable

// profileOAuth2Command is about OAuth2 clients that are registered on the platform.
// Platform toolkit, sections 1.6.7 and 3.1.
func (c commands) profileOAuth2Command() *cli.Command {
	return &cli.Command{
		Name: "oauth2", Usage: "Register and list OAuth2 clients",
		Subcommands: []*cli.Command{
			{
				Name: "client", Usage: "Register and list OAuth2 clients of the platform",
				Subcommands: []*cli.Command{
					c.Add(&cli.Command{
						Name: "register", Usage: "Register an OAuth2 client with the credentials of an administrator",
						Description: "The client secret comes from " + clientSecretVariable + " or a prompt, and is never printed. The platform " +
							"receives a BCrypt hash of it; profiles that log in with the client need the secret itself.",
						Flags: append(adminOptions(), clientOptions()...),
					}, command.Details{
						Access: command.Writes,
						Examples: []string{
							"roget profile oauth2 client register --url https://platform.example.org --admin-user ada --client-id roget",
						},
						Run: c.run(registerClient),
					}),
					c.Add(&cli.Command{
						Name: "list", Aliases: []string{"ls"}, Usage: "List the OAuth2 clients of the platform",
					}, command.Details{
						Access:   command.Reads,
						Examples: []string{"roget profile oauth2 client list"},
						Run:      c.run(listClients),
					}),
				},
			},
		},
	}
}

// clientOptions are what an OAuth2 client is.
func clientOptions() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "PLATFORM_OAUTH_CLIENT_ID", StringFlag: cli.StringFlag{Name: "client-id", Usage: "`ID` Id of the client."}},
		&command.Flag{Env: "PLATFORM_OAUTH_REDIRECT_URI", StringFlag: cli.StringFlag{Name: "redirect-uri", Value: auth.DefaultRedirectURI, Usage: "`URL` Address that the browser returns to."}},
		&command.Flag{Env: "PLATFORM_OAUTH_SCOPES", StringFlag: cli.StringFlag{Name: "scope", Usage: "`SCOPE` Scope of the tokens of the client. By default the platform is asked for its version: \"openid username\" from 2.42.5 and 2.43.0 on, ALL before."}},
		&cli.StringFlag{Name: "name", Usage: "`NAME` Name of the client on the platform. By default its id."},
	}
}

// clientOption is one of clientOptions.
func clientOption(name string) cli.Flag { return command.FindFlag(clientOptions(), name) }

// tokenStoreOption is the flag for the token store of an OAuth2 profile.
func tokenStoreOption() cli.Flag {
	var stores []string
	for _, store := range profile.TokenStores() {
		stores = append(stores, string(store))
	}
	return &command.Flag{
		StringFlag: cli.StringFlag{
			Name: "token-store", Value: string(profile.SQLite),
			Usage: "Place to store the token, for oauth2: a file that only you can read (sqlite), the keyring of the system (keyring), " +
				"or a file encrypted with a passphrase (file), which comes from " + login.PassphraseVariable + " or a prompt.",
		},
		Choices: stores,
	}
}

// tokenStoreOf returns the token store to write into a profile: the default is left out.
func tokenStoreOf(name string) profile.TokenStore {
	if store := profile.TokenStore(name); store != profile.SQLite {
		return store
	}
	return ""
}

// profileOfClient returns a profile for the client that the flags describe, without address and
// secret.
func (inv *invocation) profileOfClient() profile.Profile {
	return profile.Profile{
		Auth: profile.OAuth2, ClientID: inv.Text("client-id"), Scope: inv.Text("scope"), RedirectURI: inv.Text("redirect-uri"),
		TokenStore: tokenStoreOf(inv.Text("token-store")),
	}
}

// newClient returns the client that the flags describe, without the secret.
func (inv *invocation) newClient() (platform.OAuth2Client, error) {
	client := platform.OAuth2Client{
		Name: inv.Text("name"), ClientID: inv.Text("client-id"),
		RedirectURIs: []string{inv.Text("redirect-uri")}, Scopes: strings.Fields(inv.Text("scope")),
	}
	if client.ClientID == "" {
		return client, command.Usagef("--client-id is missing")
	}
	if client.Name == "" {
		client.Name = client.ClientID
	}
	return client, nil
}

func registerClient(ctx context.Context, inv *invocation) error {
	record, err := inv.newClient()
	if err != nil {
		return err
	}
	if record.ClientSecret, err = inv.Secret(clientSecretVariable, "Client secret"); err != nil {
		return err
	}
	client, err := inv.admin(ctx)
	if err != nil {
		return err
	}
	if len(record.Scopes) == 0 {
		record.Scopes = strings.Fields(platform.ScopeFor(client.ServerVersion(), nil))
	}
	uid, err := register(ctx, client, record)
	if err != nil {
		return err
	}
	rows := [][]string{
		{"uid", uid},
		{"client_id", record.ClientID},
		{"redirect_uri", strings.Join(record.RedirectURIs, " ")},
		{"scope", strings.Join(record.Scopes, " ")},
	}
	shown := map[string]string{}
	for _, row := range rows {
		shown[row[0]] = row[1]
	}
	return inv.Show(shown, &engine.Table{Rows: rows})
}

func listClients(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	clients, err := client.OAuth2Clients().List(ctx)
	if err != nil {
		return err
	}
	type shown struct {
		ClientID     string   `json:"client_id"`
		Name         string   `json:"name,omitempty"`
		GrantTypes   []string `json:"grant_types,omitempty"`
		RedirectURIs []string `json:"redirect_uris,omitempty"`
	}
	list := []shown{}
	t := &engine.Table{Header: []string{"CLIENT ID", "NAME", "GRANTS", "REDIRECT"}}
	for _, one := range clients {
		list = append(list, shown{one.ClientID, one.Name, one.AuthorizationGrantTypes, one.RedirectURIs})
		t.Rows = append(t.Rows, []string{one.ClientID, one.Name, strings.Join(one.AuthorizationGrantTypes, " "), strings.Join(one.RedirectURIs, " ")})
	}
	return inv.Show(list, t)
}
