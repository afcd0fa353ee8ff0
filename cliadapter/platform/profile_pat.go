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
		Name: "pat", Usage: "Create personal access tokens",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "create", Usage: "Create a personal access token for the administrator",
				Description: "Prints the uid and the value of the new token. The platform never shows the value again.",
				Flags: append(append(adminOptions(), tokenOptions()...),
					&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "Print only the value."}),
			}, command.Details{
				Access:       command.Writes,
				PrintsSecret: func(func(string) string) bool { return true },
				Examples: []string{
					"roget profile pat create --url https://platform.example.org --admin-user ada --expires-in-days 30",
					"roget profile pat create --allowed-method GET --quiet",
				},
				Run: c.run(createPAT),
			}),
		},
	}
}

// tokenOptions are the flags for a new token.
func tokenOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "code", Usage: "`CODE` Unique code of the token, at most 50 characters, which lists of tokens show."},
		&cli.StringFlag{Name: "description", Usage: "`TEXT` Description of the token. Current platforms do not store it; use --code."},
		&cli.StringFlag{Name: "expires-in-days", Usage: "`N` Days until the token expires. By default the platform decides, usually 30."},
		&cli.StringSliceFlag{Name: "allowed-ip", Usage: "`ADDRESS` IP address from which the token may be used."},
		&cli.StringSliceFlag{Name: "allowed-method", Usage: "`METHOD` HTTP method for which the token may be used."},
		&cli.StringSliceFlag{Name: "allowed-referrer", Usage: "`URL` Referrer from which the token may be used."},
	}
}

// newToken returns the token that the flags describe.
func (inv *invocation) newToken() (platform.NewToken, error) {
	token := platform.NewToken{
		Code: inv.Text("code"), Description: inv.Text("description"),
		AllowedIPs: inv.List("allowed-ip"), AllowedReferrers: inv.List("allowed-referrer"),
	}
	if utf8.RuneCountInString(token.Code) > maxTokenCode {
		return token, command.Usagef("flag --code must have at most %d characters", maxTokenCode)
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
			return token, command.Usagef("flag --expires-in-days must be at most %d", maxTokenDays)
		}
		token.Expire = time.Now().AddDate(0, 0, days)
	}
	return token, nil
}

// maxTokenCode limits the characters of a code, as the platform does.
const maxTokenCode = 50

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
	inv.Notice("Copy the value now: it is not shown again.")
	shown, rows := map[string]string{"uid": minted.UID, "token": value}, [][]string{{"uid", minted.UID}, {"token", value}}
	if !minted.Expire.IsZero() {
		shown["expires"] = minted.Expire.Format(time.RFC3339)
		rows = append(rows, []string{"expires", shown["expires"]})
	}
	return inv.Show(shown, &engine.Table{Rows: rows})
}

// mint creates a token. If the platform refuses, the error has a hint at the alternative.
// Platform client, section 2.5.
func mint(ctx context.Context, client *platform.Client, token platform.NewToken) (platform.MintedToken, error) {
	minted, err := client.Tokens().Mint(ctx, token)
	if api, ok := errors.AsType[*platform.APIError](err); ok && (api.Status == http.StatusForbidden || api.Status == http.StatusNotFound) {
		err = &tokensUnavailable{err}
	}
	return minted, err
}

// tokensUnavailable is the error of a platform that refuses to create a personal access token:
// they are disabled, or the user may not have any.
type tokensUnavailable struct{ error }

func (e *tokensUnavailable) Unwrap() error { return e.error }

// Hint is what to do instead.
func (*tokensUnavailable) Hint() string {
	return "if personal access tokens are disabled, or not allowed for this user, use the cookie of a browser session: roget profile add NAME --auth session"
}
