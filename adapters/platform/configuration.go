package platform

import (
	"context"
	"encoding/json"
	"fmt"
)

// Configuration reads parts of the server's configuration. Platform toolkit, section 2.8.
type Configuration struct{ client *Client }

// Configuration returns the accessor of the server's configuration.
func (c *Client) Configuration() Configuration { return Configuration{c} }

// CORSWhitelist returns the origins whose pages may send requests to the platform. They may have
// wildcards.
func (f Configuration) CORSWhitelist(ctx context.Context) (origins []string, err error) {
	err = f.client.get(ctx, "/api/configuration/corsWhitelist", nil, &origins)
	return origins, err
}

// SelfRegistrationRole returns the role of users who register themselves. It returns nil if nobody
// may.
func (f Configuration) SelfRegistrationRole(ctx context.Context) (*Reference, error) {
	const path = "/api/configuration/selfRegistrationRole"
	var answer json.RawMessage
	if err := f.client.get(ctx, path, nil, &answer); err != nil {
		return nil, err
	}
	switch string(answer) {
	case "", "null", "{}", `""`:
		return nil, nil
	}
	var role Reference
	if err := json.Unmarshal(answer, &role); err != nil || role.ID == "" {
		return nil, fmt.Errorf("GET %s: the response is not a role", path)
	}
	return &role, nil
}
