package platform

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

// adminOptions are the flags of commands that an administrator runs, who need not have a
// profile.
func adminOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "url", Usage: "`URL` Address of the platform. By default PLATFORM_URL, or the address in the profile."},
		&cli.StringFlag{Name: "admin-user", Usage: "`NAME` User name of the administrator. The password comes from PLATFORM_ADMIN_PASSWORD or a prompt. Without this flag, PLATFORM_ADMIN_PAT is used."},
	}
}

// admin connects with the credentials of an administrator: the user of --admin-user with a
// password, or a personal access token from the environment or the prompt.
func (inv *invocation) admin(ctx context.Context) (*platform.Client, error) {
	address, err := inv.adminURL()
	if err != nil {
		return nil, err
	}
	provider, err := inv.adminProvider()
	if err != nil {
		return nil, err
	}
	inv.fresh = true
	return inv.connect(ctx, profile.Resolved{Profile: profile.Profile{BaseURL: address}}, provider)
}

// adminURL is the address that is meant: of --url, of the profile of -p, of PLATFORM_URL,
// of the profile that is the default.
func (inv *invocation) adminURL() (string, error) {
	if address := inv.Text("url"); address != "" {
		return auth.CleanBaseURL(address)
	}
	address := inv.Getenv("PLATFORM_URL")
	if address != "" && inv.Nearest("profile") == "" {
		return auth.CleanBaseURL(address)
	}
	resolved, err := inv.profile()
	if err == nil {
		return resolved.Profile.BaseURL, nil
	}
	if !inv.InTerminal {
		return "", errors.Join(command.Usagef("--url is missing"), err)
	}
	if address, err = inv.Line("Address of the platform:"); err != nil {
		return "", err
	}
	return auth.CleanBaseURL(address)
}

func (inv *invocation) adminProvider() (auth.Provider, error) {
	if user := inv.Text("admin-user"); user != "" {
		password, err := inv.Secret("PLATFORM_ADMIN_PASSWORD", "Password of "+user)
		if err != nil {
			return nil, err
		}
		return auth.NewBasic(user, password), nil
	}
	token, err := inv.Secret("PLATFORM_ADMIN_PAT", "Personal access token of an administrator (or give --admin-user)")
	if err != nil {
		return nil, err
	}
	if auth.HasControl(token.Reveal()) {
		return nil, &auth.FieldError{Field: "PLATFORM_ADMIN_PAT", Err: auth.ErrControlCharacter}
	}
	return auth.NewPAT(token), nil
}
