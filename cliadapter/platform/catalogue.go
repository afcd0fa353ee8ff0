package platform

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth/profile"
)

// typesOf returns the known types of the server to which a client is connected.
func (inv *invocation) typesOf(client *platform.Client) (*catalogue.Library, error) {
	major, err := client.Major()
	if err != nil {
		return nil, err
	}
	types := inv.cli.typesOffline(inv.Nearest("profile"))
	types.Major, types.RawVersion = int(major), client.ServerVersion()
	types.Fetcher = typeDocuments{client}
	return types, nil
}

// typesOffline returns the known types of the profile's server without a request, or those of any
// platform if there is no profile. If nothing states the version of the server, it is the version
// of the types that were cached last.
func (c commands) typesOffline(profile string) *catalogue.Library {
	types := &catalogue.Library{Major: int(c.OfflineMajor(c.Getenv, profile)), Store: c.typeStore()}
	chosen, err := c.resolve(profile)
	if err != nil {
		return types
	}
	types.BaseURL = chosen.Profile.BaseURL
	if kept := types.Store.Latest(types.BaseURL, "", catalogue.Schemas); kept != nil && chosen.Version == "" {
		if major, err := platform.ParseMajor(kept.Version); err == nil {
			types.Major = int(major)
		}
	}
	return types
}

// typeStore returns the store of type catalogues, in the user's cache folder. Without such a folder
// nothing is cached.
func (c commands) typeStore() catalogue.Store {
	folder, err := c.cacheFolder()
	if err != nil {
		return catalogue.Store{}
	}
	return catalogue.Store{Folder: filepath.Join(folder, "types")}
}

// cacheFolder returns the user's folder for what may be fetched again.
func (c commands) cacheFolder() (folder string, err error) {
	if folder = c.Cache; folder == "" {
		folder, err = os.UserCacheDir()
	}
	return filepath.Join(folder, "platform"), err
}

// typeDocuments asks the platform for what describes its types.
type typeDocuments struct{ client *platform.Client }

// Fetch returns a document; there is none where the platform answers 404.
func (d typeDocuments) Fetch(ctx context.Context, path string, query url.Values) ([]byte, bool, error) {
	response, err := d.client.Do(ctx, platform.Request{Method: http.MethodGet, Path: path, Query: query})
	if refused, ok := errors.AsType[*platform.APIError](err); ok && refused.Status == http.StatusNotFound {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return response.Body, true, nil
}

// typesOnline connects to the profile's server and returns its known types. Without a profile, or
// if the server cannot be reached and the user states its version, it returns the types known
// offline. Platform toolkit, section 0.2, D9.
func (inv *invocation) typesOnline(ctx context.Context) (*catalogue.Library, error) {
	client, err := inv.platform(ctx)
	if err == nil {
		return inv.typesOf(client)
	}
	offline := inv.cli.typesOffline(inv.Nearest("profile"))
	_, none := errors.AsType[*profile.NoProfileError](err)
	switch {
	case none:
		inv.Notice("no profile is selected; using the types of v%d", offline.Major)
	case ctx.Err() == nil && errors.Is(err, platform.ErrUnreachable) && inv.saysVersion():
		inv.Notice("%v; using the types of v%d that are built in or cached", err, offline.Major)
	default:
		return nil, err
	}
	return offline, nil
}

// saysVersion reports whether the profile, or the environment, has a version.
func (inv *invocation) saysVersion() bool {
	chosen, err := inv.profile()
	return err == nil && chosen.Version != ""
}
