package cliadapter

import (
	"context"
	"strings"
)

// profileVariables are the environment variables for the members of a profile. Platform
// toolkit, section 0.3.
var profileVariables = map[string]string{
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
	"version":       "PLATFORM_VERSION",
}

func (c *CLI) profileEnvCommand() *command {
	return &command{
		name: "env", access: accessRead, summary: "Print a profile as environment variables, with its secrets",
		doc: "Prints lines export PLATFORM_...='...' for a shell, with the secrets as they are. Commands use PLATFORM_URL with " +
			"PLATFORM_PAT, or with PLATFORM_USERNAME and PLATFORM_PASSWORD, by themselves; the others are for roget profile add --from-env.",
		args:     []argument{profileArgument(false)},
		examples: []string{`eval "$(roget profile env prod)"`},
		run: func(_ context.Context, inv *invocation) error {
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
			if inv.json() {
				return inv.show(variables, nil)
			}
			return write(inv.streams.Out, []byte(lines.String()))
		},
	}
}

// shellQuote writes a word for a POSIX shell.
func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
