package platform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) profileVerifyCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "verify", Usage: "Test a profile on its platform",
		Description: "Reads the system information and the current user from the platform, and prints a line that begins with OK or " +
			"FAIL. The exit code is 0 or 1. The command never opens a browser: an OAuth2 profile without a valid token fails.",
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{c.profileArgument(false)},
		Examples: []string{"roget profile verify prod", "roget profile verify --json"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			chosen, err := inv.chosen()
			if err != nil {
				return err
			}
			tried := inv.verify(ctx, chosen)
			if err := ctx.Err(); err != nil {
				return err
			}
			return inv.showVerified(tried)
		}),
	})
}

// verified is whether a profile works. Platform toolkit, section 3.2.
type verified struct {
	Name      string       `json:"name"`
	OK        bool         `json:"ok"`
	BaseURL   string       `json:"base_url"`
	Auth      profile.Kind `json:"auth"`
	Version   string       `json:"version,omitempty"`
	Username  string       `json:"username,omitempty"`
	LatencyMS int64        `json:"latency_ms"`
	Error     string       `json:"error,omitempty"`
}

// unverified is a profile before the platform has been asked.
func unverified(chosen profile.Resolved) verified {
	return verified{Name: chosen.Name, BaseURL: auth.ShownURL(chosen.Profile.BaseURL), Auth: chosen.Profile.Auth}
}

// line returns the printed line.
func (v verified) line() string {
	if !v.OK {
		return fmt.Sprintf("FAIL %s %s auth=%s error: %s", v.Name, v.BaseURL, v.Auth, v.Error)
	}
	return fmt.Sprintf("OK %s %s auth=%s version=%s user=%s %d ms", v.Name, v.BaseURL, v.Auth, v.Version, v.Username, v.LatencyMS)
}

// showVerified prints whether a profile works. That it does not is the exit code, too.
func (inv *invocation) showVerified(v verified) error {
	if err := inv.Show(v, &engine.Table{Footer: v.line()}); err != nil || v.OK {
		return err
	}
	return command.ErrNo
}

// verify asks the platform whether a profile works, and never the user.
func (inv *invocation) verify(ctx context.Context, chosen profile.Resolved) verified {
	failed := unverified(chosen)
	inv.warnReadable(chosen)
	store, err := inv.tokens(chosen)
	if err != nil {
		failed.Error = err.Error()
		return failed
	}
	options, err := inv.loginOptions(store)
	if err != nil {
		failed.Error = err.Error()
		return failed
	}
	options.Capture = refuseLogin(chosen)
	provider, err := login.BuildAuth(chosen, options)
	if err == nil && chosen.Profile.Auth == profile.OAuth2 {
		_, err = oauth2.Discover(ctx, options.Transport, chosen.Profile.BaseURL, oauth2.PreflightTime)
	}
	if err != nil {
		failed.Error = err.Error()
		return failed
	}
	done, _ := inv.identify(ctx, chosen, provider)
	return done
}

// identify reads the version of the platform and the current user. The result contains the error,
// too.
func (inv *invocation) identify(ctx context.Context, chosen profile.Resolved, provider auth.Provider) (verified, error) {
	v := unverified(chosen)
	start := time.Now()
	inv.fresh = true
	client, err := inv.connect(ctx, chosen, provider)
	if err == nil {
		v.Version = client.ServerVersion()
		v.Username, err = username(ctx, client)
		v.OK = err == nil
	}
	v.LatencyMS = time.Since(start).Milliseconds()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		v.Error = err.Error()
	}
	return v, err
}

// username is who the platform takes the user for.
func username(ctx context.Context, client *platform.Client) (string, error) {
	me, err := client.System().Me(ctx)
	if err != nil {
		return "", err
	}
	if me.Username == "" {
		return "", errors.New("/api/me does not say who the user is; is this the address of the platform?")
	}
	return me.Username, nil
}
