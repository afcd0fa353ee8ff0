package platformtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
)

// clients are the connections of a process. They are used again while their profile is the
// same.
type clients struct {
	mu     sync.Mutex
	bound  platform.Major // of the process; 0 until it is known
	pinned bool           // bound by a profile or PLATFORM_VERSION, rather than by a server
	open   map[string]connected
}

type connected struct {
	profile profile.Resolved
	client  *platform.Client
}

// maxClients bounds the connections that are kept.
const maxClients = 32

// registry opens the files of profiles.
func (t *Tools) profiles() (*profile.Registry, error) {
	return profile.Open(profile.Options{Getenv: t.config.Getenv, Folder: t.config.Folder, Home: t.config.Home})
}

// resolve returns the profile that a call names, or the default.
func (t *Tools) resolve(name string) (profile.Resolved, error) {
	registry, err := t.profiles()
	if err != nil {
		return profile.Resolved{}, err
	}
	return registry.Resolve(cmp.Or(name, t.config.Profile))
}

// bind binds the process to the version that the default profile, or PLATFORM_VERSION,
// states. Without one, the first connection decides. Platform toolkit, section 6.1.
func (t *Tools) bind() error {
	chosen, err := t.resolve("")
	version := chosen.Version
	if err != nil { // calls may name a profile, and report the error otherwise
		if t.config.Getenv == nil {
			return nil
		}
		version = t.config.Getenv("PLATFORM_VERSION")
	}
	if version == "" {
		return nil
	}
	major, err := platform.ParseMajor(version)
	if err != nil {
		return err
	}
	t.clients.bound, t.clients.pinned = major, true
	return nil
}

// A boundError is about a profile of another version than the process is bound to.
type boundError struct{ profile, wants, bound string }

func (e *boundError) Error() string {
	return fmt.Sprintf("profile %q is of %s, and this server is bound to %s: restart it with PLATFORM_VERSION=%s", e.profile, e.wants, e.bound, e.wants)
}

// client connects to the platform of a profile, or returns the connection that is there.
func (t *Tools) client(ctx context.Context, name string) (*platform.Client, error) {
	chosen, err := t.resolve(name)
	if err != nil {
		return nil, err
	}
	c := &t.clients
	c.mu.Lock()
	bound, pinned := c.bound, c.pinned
	kept, ok := c.open[chosen.Name]
	c.mu.Unlock()
	if chosen.Profile.Version != "" && bound != 0 && chosen.Profile.Version != bound.String() {
		return nil, &boundError{chosen.Name, chosen.Profile.Version, bound.String()}
	}
	if ok && same(kept.profile, chosen) {
		return kept.client, nil
	}
	client, err := t.connect(ctx, chosen, bound, pinned)
	if err != nil {
		return nil, err
	}
	major, err := client.Major()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bound == 0 {
		c.bound = major
	}
	if major != c.bound {
		return nil, &boundError{chosen.Name, major.String(), c.bound.String()}
	}
	if c.open == nil || len(c.open) >= maxClients {
		c.open = map[string]connected{}
	}
	c.open[chosen.Name] = connected{chosen, client}
	return client, nil
}

// connect connects without ever asking the user to log in.
func (t *Tools) connect(ctx context.Context, chosen profile.Resolved, bound platform.Major, pinned bool) (*platform.Client, error) {
	provider, err := login.BuildAuth(chosen, login.Options{
		Capture: oauth2.RefuseLogin("roget profile login " + chosen.Name), Transport: t.config.Transport, Notice: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("profile %q: %w", chosen.Name, err)
	}
	options := platform.Options{
		AllowFallback: true, UserAgent: "roget-mcp/" + cmp.Or(t.config.Version, "devel"), Transport: t.config.Transport,
	}
	if pinned {
		options.Pin, options.AllowMismatch = bound, true
	}
	return platform.Connect(ctx, chosen.Profile.BaseURL, provider, options)
}

// forget drops the connection of a profile, so that the next call reads its credentials anew.
func (t *Tools) forget(name string) {
	chosen, err := t.resolve(name)
	if err != nil {
		return
	}
	t.clients.mu.Lock()
	delete(t.clients.open, chosen.Name)
	t.clients.mu.Unlock()
}

// same reports whether two profiles lead to the same server and account.
func same(a, b profile.Resolved) bool {
	return a.Folder == b.Folder && slices.EqualFunc(a.Profile.Fields(), b.Profile.Fields(), func(x, y profile.Field) bool {
		return x.Name == y.Name && x.Value == y.Value && x.Secret.Equal(y.Secret)
	})
}

// unauthorized reports whether the platform refused the credentials.
func unauthorized(err error) bool {
	_, refused := errors.AsType[*platform.AuthenticationError](err)
	return refused
}
