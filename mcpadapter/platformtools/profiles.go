package platformtools

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
)

// Named names a profile.
type Named struct {
	On
	Name string `json:"name"`
}

// hiddenSecret stands for a secret that is there.
const hiddenSecret = "***"

// Verified is whether a profile works.
type Verified struct {
	Name      string `json:"name"`
	OK        bool   `json:"ok"`
	BaseURL   string `json:"base_url"`
	Auth      string `json:"auth"`
	Version   string `json:"version,omitempty"`
	Username  string `json:"username,omitempty"`
	LatencyMS int64  `json:"latency_ms"`
	Error     string `json:"error,omitempty"`
}

// maxVerified bounds the profiles that are verified in one call.
const maxVerified = 25

func addProfiles(r *registry) {
	t := r.tools
	addPlain(r, reads, "profile_list", "List profiles", "Profiles: servers and accounts, without secrets.",
		func(_ context.Context, _ On) (List, error) {
			entries, err := t.entries()
			if err != nil {
				return List{}, err
			}
			var rows []Object
			for _, e := range entries {
				rows = append(rows, Object{
					"name": e.Name, "base_url": auth.ShownURL(e.Profile.BaseURL), "auth": string(e.Profile.Auth), "version": e.Profile.Version,
					"scope": string(e.Scope), "default": e.IsDefault, "shadowed": e.Shadowed,
				})
			}
			return listOf(rows)
		})
	addPlain(r, reads, "profile_show", "Show a profile", "What a profile says, with its secrets masked.",
		func(_ context.Context, in Named) (Object, error) {
			chosen, err := t.resolve(in.Name)
			if err != nil {
				return nil, err
			}
			shown := Object{"name": chosen.Name}
			for _, field := range chosen.Profile.Fields() {
				switch {
				case !field.Secret.IsZero():
					shown[field.Name] = hiddenSecret
				case field.Name == "base_url":
					shown[field.Name] = auth.ShownURL(field.Value)
				default:
					shown[field.Name] = field.Value
				}
			}
			return shown, nil
		})
	addPlain(r, reads, "profile_verify", "Verify a profile", "Whether a profile can log in, as whom, and how fast.",
		func(ctx context.Context, in Named) (Verified, error) {
			chosen, err := t.resolve(in.Name)
			if err != nil {
				return Verified{}, err
			}
			return t.verify(ctx, chosen.Name, chosen.Profile), nil
		})
	addPlain(r, reads, "profile_verify_all", "Verify all profiles", "profile_verify for each profile.",
		func(ctx context.Context, _ On) (List, error) {
			entries, err := t.entries()
			if err != nil {
				return List{}, err
			}
			if len(entries) > maxVerified {
				return List{}, errors.New("there are more than 25 profiles: verify them one by one with profile_verify")
			}
			var all []Verified
			for _, e := range entries {
				all = append(all, t.verify(ctx, e.Name, e.Profile))
			}
			return listOf(all)
		})
}

// entries are the profiles that a name leads to, and those that others hide.
func (t *Tools) entries() ([]profile.Entry, error) {
	registry, err := t.profiles()
	if err != nil {
		return nil, err
	}
	entries, err := registry.List()
	return slices.DeleteFunc(entries, func(e profile.Entry) bool { return e.Shadowed }), err
}

// verify asks the platform whether a profile works.
func (t *Tools) verify(ctx context.Context, name string, p profile.Profile) Verified {
	v := Verified{Name: name, BaseURL: auth.ShownURL(p.BaseURL), Auth: string(p.Auth)}
	start := time.Now()
	chosen, err := t.resolve(name)
	var client *platform.Client
	if err == nil {
		client, err = t.connect(ctx, chosen, 0, false)
	}
	if err == nil {
		v.Version = client.ServerVersion()
		var me *platform.Me
		if me, err = client.System().Me(ctx); err == nil {
			v.Username, v.OK = me.Username, me.Username != ""
		}
		client.Close()
	}
	v.LatencyMS = time.Since(start).Milliseconds()
	if err != nil {
		v.Error = told(err).Error()
	}
	return v
}
