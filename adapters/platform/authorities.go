package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Authorities lists the authorities that roles may grant. Platform toolkit, section 2.8.
type Authorities struct{ client *Client }

// Authorities returns the accessor of authorities.
func (c *Client) Authorities() Authorities { return Authorities{c} }

// List returns all authorities in the platform's order. The id of each is the authority, such as
// F_USER_ADD. A platform of major 41 answers 500, which is an APIError.
func (a Authorities) List(ctx context.Context) ([]Reference, error) {
	const path = "/api/authorities"
	var raw json.RawMessage
	if err := a.client.get(ctx, path, nil, &raw); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'{'}) {
		var envelope struct {
			Authorities json.RawMessage `json:"systemAuthorities"`
		}
		if err := json.Unmarshal(raw, &envelope); err != nil {
			return nil, err
		}
		raw = envelope.Authorities
	}
	var list []Reference
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, fmt.Errorf("%s %s: the response is not a list of authorities", http.MethodGet, path)
	}
	return list, nil
}
