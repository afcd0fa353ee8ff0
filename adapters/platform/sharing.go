package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// Access is the access that sharing grants, in eight characters: reading and writing metadata, reading and
// writing data, and four hyphens, such as "rw------".
type Access string

// Check returns an error if the text is not an Access.
func (a Access) Check() error {
	if len(a) == 8 && a[4:] == "----" {
		ok := true
		for i, c := range []byte(a[:4]) {
			ok = ok && (c == '-' || c == "rw"[i%2])
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("access %q is not of the form rw------: r or -, w or - for metadata, the same for data, then four hyphens", string(a))
}

// A Grant is the access of a user or group.
type Grant struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Access      Access `json:"access,omitempty"`
	Extra       Extra  `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (g *Grant) UnmarshalJSON(data []byte) error { return decodeRecord(data, g) }

// MarshalJSON includes the members of Extra.
func (g Grant) MarshalJSON() ([]byte, error) { return encodeRecord(g) }

// Label returns "name (uid)" for display, or the uid if there is no name.
func (g Grant) Label() string {
	return Reference{ID: g.ID, Name: g.Name, DisplayName: g.DisplayName}.Label()
}

// Sharing says who may see and change an object. ExternalAccess is nil on platforms that do not have it,
// from major 43 on. Platform toolkit, sections 2.8 and 7.2.
type Sharing struct {
	ID                string     `json:"id,omitempty"`
	Name              string     `json:"name,omitempty"`
	DisplayName       string     `json:"displayName,omitempty"`
	PublicAccess      Access     `json:"publicAccess,omitempty"`
	ExternalAccess    *bool      `json:"externalAccess,omitempty"`
	Owner             *Reference `json:"user,omitempty"`
	UserAccesses      []Grant    `json:"userAccesses,omitzero"`
	UserGroupAccesses []Grant    `json:"userGroupAccesses,omitzero"`
	Extra             Extra      `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (s *Sharing) UnmarshalJSON(data []byte) error { return decodeRecord(data, s) }

// MarshalJSON includes the members of Extra.
func (s Sharing) MarshalJSON() ([]byte, error) { return encodeRecord(s) }

// sharingDocument is the JSON document: the sharing in an envelope.
type sharingDocument struct {
	Object *Sharing `json:"object"`
}

const sharingPath = "/api/sharing"

func (c *Client) sharing(ctx context.Context, kind, uid string) (*Sharing, error) {
	if uid == "" {
		return nil, errors.New("the uid of the " + kind + " is empty")
	}
	var found sharingDocument
	if err := c.get(ctx, sharingPath, sharingQuery(kind, uid), &found); err != nil {
		return nil, err
	}
	if found.Object == nil {
		return nil, fmt.Errorf("GET %s: the response has no object", sharingPath)
	}
	return found.Object, nil
}

func sharingQuery(kind, uid string) url.Values {
	return url.Values{"type": {kind}, "id": {uid}}
}

// grantUser reads the sharing, sets the access of one user, and writes it back.
func (c *Client) grantUser(ctx context.Context, kind, uid, user string, access Access) (*Sharing, error) {
	if err := access.Check(); err != nil {
		return nil, err
	}
	if user == "" {
		return nil, errors.New("the uid of the user is empty")
	}
	sharing, err := c.sharing(ctx, kind, uid)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(sharing.UserAccesses, func(g Grant) bool { return g.ID == user }); at >= 0 {
		sharing.UserAccesses[at].Access = access
	} else {
		sharing.UserAccesses = append(sharing.UserAccesses, Grant{ID: user, Access: access})
	}
	body, err := json.Marshal(sharingDocument{sharing})
	if err != nil {
		return nil, err
	}
	_, err = c.Do(ctx, Request{
		Method: http.MethodPost, Path: sharingPath, Query: sharingQuery(kind, uid), Body: body, ContentType: "application/json",
	})
	if err != nil {
		return nil, err
	}
	return sharing, nil
}
