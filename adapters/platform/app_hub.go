package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// HubApp is an entry of the app hub's catalogue. Members are understood in snake case as
// well, and written in camel case. Platform toolkit, section 2.8.
type HubApp struct {
	ID          string          `json:"id,omitempty"`
	Name        string          `json:"name,omitempty"`
	AppType     string          `json:"appType,omitempty"`
	Description string          `json:"description,omitempty"`
	Developer   json.RawMessage `json:"developer,omitempty"` // an object or a text
	Versions    []HubVersion    `json:"versions,omitzero"`
	Extra       Extra           `json:"-"`
}

// UnmarshalJSON keeps unknown members in Extra.
func (a *HubApp) UnmarshalJSON(data []byte) error {
	data, err := camelMembers(data, "app_type")
	if err != nil {
		return err
	}
	return decodeRecord(data, a)
}

// MarshalJSON writes the members of Extra as well.
func (a HubApp) MarshalJSON() ([]byte, error) { return encodeRecord(a) }

// HubVersion is a version of an app of the hub. The least and the greatest version of the
// platform that it works with may be empty.
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

// UnmarshalJSON keeps unknown members in Extra.
func (v *HubVersion) UnmarshalJSON(data []byte) error {
	data, err := camelMembers(data, "min_dhis_version", "max_dhis_version", "download_url")
	if err != nil {
		return err
	}
	return decodeRecord(data, v)
}

// MarshalJSON writes the members of Extra as well.
func (v HubVersion) MarshalJSON() ([]byte, error) { return encodeRecord(v) }

// camelMembers returns some members of an object their names in camel case, where nothing has
// these names.
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

// NewestFirst returns the versions, the newest first: the parts between dots are compared as
// numbers, one that is no number counts as 0, and so does one that is missing. Equal
// versions stay in the order of the catalogue.
func (a HubApp) NewestFirst() []HubVersion {
	sorted := slices.Clone(a.Versions)
	slices.SortStableFunc(sorted, func(x, y HubVersion) int { return compareDotted(y.Version, x.Version) })
	return sorted
}

// compareDotted compares versions by their parts, of any length.
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

// AppHub is the catalogue of apps that the platform shows, from the hub that its setting
// keyAppHubUrl names.
type AppHub struct{ client *Client }

const appHubPath = "/api/appHub"

// AppHub returns the accessor.
func (c *Client) AppHub() AppHub { return AppHub{c} }

// Catalogue returns all apps of the hub with their versions, in the hub's order.
func (h AppHub) Catalogue(ctx context.Context) ([]HubApp, error) {
	list := []HubApp{}
	if err := h.client.get(ctx, appHubPath, nil, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// App returns an app of the hub by its id. An unknown id is ErrInstallTarget.
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

// InstallTarget is what an id of the catalogue stands for.
type InstallTarget struct {
	App     HubApp
	Version HubVersion
	ByApp   bool // the id was that of the app, and this is its latest version
}

// Resolve finds what an id stands for: a version first, else an app, whose latest version
// it is. Anything else is ErrInstallTarget.
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

// Install has the platform fetch and install a version by its id.
func (h AppHub) Install(ctx context.Context, versionID string) error {
	return h.client.send(ctx, http.MethodPost, appHubPath+"/"+segment(versionID), nil, nil)
}
