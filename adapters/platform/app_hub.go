package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// A HubApp is an app in the catalogue of the app hub. Members are read in snake case and camel case,
// and written in camel case. Platform toolkit, section 2.8.
type HubApp struct {
	ID          string          `json:"id,omitempty"`
	Name        string          `json:"name,omitempty"`
	AppType     string          `json:"appType,omitempty"`
	Description string          `json:"description,omitempty"`
	Developer   json.RawMessage `json:"developer,omitempty"` // an object or a text
	Versions    []HubVersion    `json:"versions,omitzero"`
	Extra       Extra           `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (a *HubApp) UnmarshalJSON(data []byte) error {
	data, err := camelMembers(data, "app_type")
	if err != nil {
		return err
	}
	return decodeRecord(data, a)
}

// MarshalJSON includes the members of Extra.
func (a HubApp) MarshalJSON() ([]byte, error) { return encodeRecord(a) }

// A HubVersion is a version of an app in the hub. The lowest and the highest version of the platform that
// it works with may be empty.
type HubVersion struct {
	ID                 string    `json:"id,omitempty"`
	Version            string    `json:"version,omitempty"`
	Channel            string    `json:"channel,omitempty"` // stable, development, canary
	MinPlatformVersion string    `json:"minDhisVersion,omitempty"`
	MaxPlatformVersion string    `json:"maxDhisVersion,omitempty"`
	DownloadURL        string    `json:"downloadUrl,omitempty"`
	Created            Timestamp `json:"created,omitzero"`
	Extra              Extra     `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (v *HubVersion) UnmarshalJSON(data []byte) error {
	data, err := camelMembers(data, "min_dhis_version", "max_dhis_version", "download_url")
	if err != nil {
		return err
	}
	return decodeRecord(data, v)
}

// MarshalJSON includes the members of Extra.
func (v HubVersion) MarshalJSON() ([]byte, error) { return encodeRecord(v) }

// camelMembers renames some members of an object to camel case, unless the new name is taken.
func camelMembers(data []byte, names ...string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := unmarshal(data, &members); err != nil {
		return nil, err
	}
	for _, snake := range names {
		value, there := members[snake]
		words := strings.Split(snake, "_")
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		camel := strings.Join(words, "")
		if _, taken := members[camel]; there && !taken {
			members[camel] = value
			delete(members, snake)
		}
	}
	return json.Marshal(members)
}

// NewestFirst returns the versions sorted from new to old. The parts between dots are compared as
// numbers. A part that is missing or no number counts as 0. Equal versions keep the order of the
// catalogue.
func (a HubApp) NewestFirst() []HubVersion {
	sorted := slices.Clone(a.Versions)
	slices.SortStableFunc(sorted, func(x, y HubVersion) int { return compareDotted(y.Version, x.Version) })
	return sorted
}

// compareDotted compares versions part by part. Parts may be longer than any integer type.
func compareDotted(x, y string) int {
	a, b := strings.Split(x, "."), strings.Split(y, ".")
	part := func(parts []string, i int) string {
		if i >= len(parts) || strings.Trim(parts[i], "0123456789") != "" {
			return ""
		}
		return strings.TrimLeft(parts[i], "0")
	}
	for i := range max(len(a), len(b)) {
		p, q := part(a, i), part(b, i)
		if order := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); order != 0 {
			return order
		}
	}
	return 0
}

// AppHub reads the catalogue of the hub that the platform's setting keyAppHubUrl names, and installs
// apps from it.
type AppHub struct{ client *Client }

const appHubPath = "/api/appHub"

// AppHub returns the accessor of the app hub.
func (c *Client) AppHub() AppHub { return AppHub{c} }

// Catalogue returns all apps with their versions in the hub's order.
func (h AppHub) Catalogue(ctx context.Context) ([]HubApp, error) {
	list := []HubApp{}
	if err := h.client.get(ctx, appHubPath, nil, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// App returns an app by its id. An unknown id is a LookupError of kind ErrInstallTarget.
func (h AppHub) App(ctx context.Context, id string) (*HubApp, error) {
	catalogue, err := h.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(catalogue, func(a HubApp) bool { return a.ID == id })
	if at < 0 || id == "" {
		return nil, &LookupError{Kind: ErrInstallTarget, Name: id}
	}
	return &catalogue[at], nil
}

// An InstallTarget is the version that an id in the catalogue means.
type InstallTarget struct {
	App     HubApp
	Version HubVersion
	ByApp   bool // the id is an app's, and this is its latest version
}

// Resolve returns the version with an id, or else the latest version of the app with that id. If
// there is neither, the error is a LookupError of kind ErrInstallTarget.
func (h AppHub) Resolve(ctx context.Context, id string) (*InstallTarget, error) {
	catalogue, err := h.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	for _, app := range catalogue {
		for _, version := range app.Versions {
			if version.ID == id && id != "" {
				return &InstallTarget{App: app, Version: version}, nil
			}
		}
	}
	for _, app := range catalogue {
		if versions := app.NewestFirst(); app.ID == id && len(versions) > 0 && versions[0].ID != "" {
			return &InstallTarget{App: app, Version: versions[0], ByApp: true}, nil
		}
	}
	return nil, &LookupError{Kind: ErrInstallTarget, Name: id}
}

// Install makes the platform fetch and install a version by its id.
func (h AppHub) Install(ctx context.Context, versionID string) error {
	return h.client.send(ctx, http.MethodPost, appHubPath+"/"+segment(versionID), nil, nil)
}
