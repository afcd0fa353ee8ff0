package platform

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// profileVariables are the environment variables for the members of a profile. Platform
// toolkit, section 0.3.
var profileVariables = map[string]string{ //nolint:gosec // names of variables
	"base_url":      "PLATFORM_URL",
	"token":         "PLATFORM_PAT",
	"username":      "PLATFORM_USERNAME",
	"password":      "PLATFORM_PASSWORD",
	"cookie":        "PLATFORM_SESSION_COOKIE",
	"xsrf_token":    "PLATFORM_SESSION_XSRF",
	"client_id":     "PLATFORM_OAUTH_CLIENT_ID",
	"client_secret": "PLATFORM_OAUTH_CLIENT_SECRET",
	"scope":         "PLATFORM_OAUTH_SCOPES",
	"redirect_uri":  "PLATFORM_OAUTH_REDIRECT_URI",
	"token_store":   "PLATFORM_OAUTH_TOKEN_STORE",
	"version":       "PLATFORM_VERSION",
}

func (c commands) profileEnvCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "env", Usage: "Print a profile as environment variables, including secrets",
		Description: "Prints one line export PLATFORM_...='...' for each variable, with the secrets in clear text. Commands read " +
			"PLATFORM_URL with PLATFORM_PAT, or with PLATFORM_USERNAME and PLATFORM_PASSWORD. The other variables are for roget profile add --from-env.",
	}, command.Details{
		Access:       command.Reads,
		PrintsSecret: func(func(string) string) bool { return true },
		Args:         []command.Argument{c.profileArgument(false)},
		Examples:     []string{`eval "$(roget profile env prod)"`},
		Run: c.run(func(_ context.Context, inv *invocation) error {
			chosen, err := inv.chosen()
			if err != nil {
				return err
			}
			variables := map[string]string{}
			var lines strings.Builder
			for _, field := range chosen.Profile.Fields() {
				if name := profileVariables[field.Name]; name != "" {
					variables[name] = field.Value + field.Secret.Reveal()
					lines.WriteString("export " + name + "=" + shellQuote(variables[name]) + "\n")
				}
			}
			if inv.JSON() {
				return inv.Show(variables, nil)
			}
			return command.Write(inv.Out, []byte(lines.String()))
		}),
	})
}

// shellQuote writes a word for a POSIX shell.
func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
