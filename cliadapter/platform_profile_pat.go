package cliadapter

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// profilePATCommand is about personal access tokens. Platform toolkit, section 3.1.
func (c *CLI) profilePATCommand() *command {
	return &command{
		name: "pat", summary: "Mint personal access tokens",
		commands: []*command{{
			name: "create", access: accessWrite, summary: "Mint a personal access token of the administrator",
			doc: "Prints the token's uid and its value, which the platform shows this once. With --quiet only the value. Needs " +
				"platform 2.38 or later.",
			options: append(append(adminOptions(), tokenOptions()...),
				&option{names: []string{"quiet", "q"}, usage: "Print only the value."}),
			examples: []string{
				"roget profile pat create --url https://platform.example.org --admin-user ada --expires-in-days 30",
				"roget profile pat create --allowed-method GET --quiet",
			},
			run: createPAT,
		}},
	}
}

// tokenOptions are what a token may be.
func tokenOptions() options {
	return options{
		{names: []string{"description"}, value: true, hint: "TEXT", usage: "What the token is for."},
		{names: []string{"expires-in-days"}, value: true, hint: "N", usage: "Days until it expires; else what the platform has as its default."},
		{names: []string{"allowed-ip"}, value: true, many: true, hint: "ADDRESS", usage: "Address it may be used from."},
		{names: []string{"allowed-method"}, value: true, many: true, hint: "METHOD", usage: "HTTP method it may be used for."},
		{names: []string{"allowed-referrer"}, value: true, many: true, hint: "URL", usage: "Referrer it may be used from."},
	}
}

// newToken is what the flags say.
func (inv *invocation) newToken() (platform.NewToken, error) {
	token := platform.NewToken{
		Description: inv.text("description"),
		AllowedIPs:  inv.list("allowed-ip"), AllowedReferrers: inv.list("allowed-referrer"),
	}
	for _, method := range inv.list("allowed-method") {
		token.AllowedMethods = append(token.AllowedMethods, strings.ToUpper(method))
	}
	if inv.given("expires-in-days") {
		days, err := inv.integer("expires-in-days", 1)
		if err != nil {
			return token, err
		}
		if days > maxTokenDays {
			return token, usagef("flag --expires-in-days is at most %d", maxTokenDays)
		}
		token.Expire = time.Now().AddDate(0, 0, days)
	}
	return token, nil
}

const maxTokenDays = 36500

func createPAT(ctx context.Context, inv *invocation) error {
	token, err := inv.newToken()
	if err != nil {
		return err
	}
	client, err := inv.admin(ctx)
	if err != nil {
		return err
	}
	minted, err := mint(ctx, client, token)
	if err != nil {
		return err
	}
	value := minted.Value.Reveal() // the one time it is shown
	if inv.is("quiet") {
		return write(inv.streams.Out, []byte(value+"\n"))
	}
	inv.notice("The value is shown this once; keep it now.")
	return inv.show(map[string]string{"uid": minted.UID, "token": value},
		&engine.Table{Rows: [][]string{{"uid", minted.UID}, {"token", value}}})
}

// mint mints a token. Where the platform has none for the user, the error says what is left.
// Platform client, section 2.5.
func mint(ctx context.Context, client *platform.Client, token platform.NewToken) (platform.MintedToken, error) {
	minted, err := client.Tokens().Mint(ctx, token)
	if api, ok := errors.AsType[*platform.APIError](err); ok && (api.Status == http.StatusForbidden || api.Status == http.StatusNotFound) {
		err = &tokensUnavailable{err}
	}
	return minted, err
}

// tokensUnavailable reports whether a platform gives a user no personal access tokens: they are
// switched off, or the user may have none.
type tokensUnavailable struct{ error }

func (e *tokensUnavailable) Unwrap() error { return e.error }

// Hint is what to do instead.
func (*tokensUnavailable) Hint() string {
	return "where personal access tokens are switched off, or not for this user, use the cookie of a session in a browser: roget profile add NAME --auth session"
}
