package platform

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// profilePATCommand is about personal access tokens. Platform toolkit, section 3.1.
func (c commands) profilePATCommand() *cli.Command {
	return &cli.Command{
		Name: "pat", Usage: "Mint personal access tokens",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "create", Usage: "Mint a personal access token of the administrator",
				Description: "Prints the token's uid and its value, which the platform shows this once. With --quiet only the value. Needs " +
					"platform 2.38 or later.",
				Flags: append(append(adminOptions(), tokenOptions()...),
					&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "Print only the value."}),
			}, command.Details{
				Access: command.Writes,
				Examples: []string{
					"roget profile pat create --url https://platform.example.org --admin-user ada --expires-in-days 30",
					"roget profile pat create --allowed-method GET --quiet",
				},
				Run: c.run(createPAT),
			}),
		},
	}
}

// tokenOptions are what a token may be.
func tokenOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "code", Usage: "`CODE` Code of the token, by which lists name it: at most 50 characters, which no other token has."},
		&cli.StringFlag{Name: "description", Usage: "`TEXT` What the token is for. Current platforms drop it; give --code."},
		&cli.StringFlag{Name: "expires-in-days", Usage: "`N` Days until it expires; else the platform chooses, as a rule 30 days."},
		&cli.StringSliceFlag{Name: "allowed-ip", Usage: "`ADDRESS` Address it may be used from."},
		&cli.StringSliceFlag{Name: "allowed-method", Usage: "`METHOD` HTTP method it may be used for."},
		&cli.StringSliceFlag{Name: "allowed-referrer", Usage: "`URL` Referrer it may be used from."},
	}
}

// newToken is what the flags say.
func (inv *invocation) newToken() (platform.NewToken, error) {
	token := platform.NewToken{
		Code: inv.Text("code"), Description: inv.Text("description"),
		AllowedIPs: inv.List("allowed-ip"), AllowedReferrers: inv.List("allowed-referrer"),
	}
	if most := 50; utf8.RuneCountInString(token.Code) > most {
		return token, command.Usagef("flag --code is at most %d characters", most)
	}
	for _, method := range inv.List("allowed-method") {
		token.AllowedMethods = append(token.AllowedMethods, strings.ToUpper(method))
	}
	if inv.Given("expires-in-days") {
		days, err := inv.Integer("expires-in-days", 1)
		if err != nil {
			return token, err
		}
		if days > maxTokenDays {
			return token, command.Usagef("flag --expires-in-days is at most %d", maxTokenDays)
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
	if inv.Is("quiet") {
		return command.Write(inv.Out, []byte(value+"\n"))
	}
	inv.Notice("The value is shown this once; keep it now.")
	shown, rows := map[string]string{"uid": minted.UID, "token": value}, [][]string{{"uid", minted.UID}, {"token", value}}
	if !minted.Expire.IsZero() {
		shown["expires"] = minted.Expire.Format(time.RFC3339)
		rows = append(rows, []string{"expires", shown["expires"]})
	}
	return inv.Show(shown, &engine.Table{Rows: rows})
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
