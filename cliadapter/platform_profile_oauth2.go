package cliadapter

import (
	"context"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/engine"
)

const clientSecretVariable = "PLATFORM_OAUTH_CLIENT_SECRET"

// profileOAuth2Command is about OAuth2 clients that are registered on the platform.
// Platform toolkit, sections 1.6.7 and 3.1.
func (c *CLI) profileOAuth2Command() *command {
	return &command{
		name: "oauth2", summary: "Register OAuth2 clients",
		commands: []*command{{
			name: "client", summary: "Register OAuth2 clients on the platform",
			commands: []*command{
				{
					name: "register", access: accessWrite, summary: "Register an OAuth2 client with an administrator's credentials",
					doc: "The client secret is read from " + clientSecretVariable + ", else asked for. The platform gets a BCrypt hash " +
						"of it; whoever logs in needs it as it is. It is never printed.",
					options: append(adminOptions(), clientOptions()...),
					examples: []string{
						"roget profile oauth2 client register --url https://platform.example.org --admin-user ada --client-id roget",
					},
					run: registerClient,
				},
				{
					name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List the OAuth2 clients of the platform",
					run: listClients,
				},
			},
		}},
	}
}

// clientOptions are what an OAuth2 client is.
func clientOptions() options {
	return options{
		{names: []string{"client-id"}, value: true, hint: "ID", env: "PLATFORM_OAUTH_CLIENT_ID", usage: "Identifier of the client."},
		{names: []string{"redirect-uri"}, value: true, hint: "URL", env: "PLATFORM_OAUTH_REDIRECT_URI", preset: auth.DefaultRedirectURI, usage: "Where the platform sends the browser back to."},
		{names: []string{"scope"}, value: true, hint: "SCOPE", env: "PLATFORM_OAUTH_SCOPES", preset: auth.DefaultScope, usage: "Scope of its tokens."},
		{names: []string{"name"}, value: true, hint: "NAME", usage: "Name of the client on the platform; its identifier where there is none."},
	}
}

// clientOption is one of clientOptions.
func clientOption(name string) *option { return clientOptions().find(name) }

// profileOfClient is a profile of the client that the flags say, without address and secret.
func (inv *invocation) profileOfClient() profile.Profile {
	return profile.Profile{Auth: profile.OAuth2, ClientID: inv.text("client-id"), Scope: inv.text("scope"), RedirectURI: inv.text("redirect-uri")}
}

// newClient is what the flags say, without the secret.
func (inv *invocation) newClient() (platform.OAuth2Client, error) {
	client := platform.OAuth2Client{
		Name: inv.text("name"), ClientID: inv.text("client-id"),
		RedirectURIs: []string{inv.text("redirect-uri")}, Scopes: strings.Fields(inv.text("scope")),
	}
	if client.ClientID == "" {
		return client, usagef("--client-id is missing")
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
	if record.ClientSecret, err = inv.secret(clientSecretVariable, "Client secret"); err != nil {
		return err
	}
	client, err := inv.admin(ctx)
	if err != nil {
		return err
	}
	uid, err := client.OAuth2Clients().Register(ctx, record)
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
	return inv.show(shown, &engine.Table{Rows: rows})
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
	return inv.show(list, t)
}
