package authtest

import (
	"context"
	"encoding/json"

	"github.com/ory/fosite"
	"github.com/ory/fosite/storage"
)

// clients is a store whose clients are the server's own and those that are registered with
// the platform, as they are stored there.
type clients struct {
	*storage.MemoryStore
	server *Server
}

// GetClient gives a client. The token endpoint compares what it is sent with a BCrypt hash,
// so that a client whose secret is stored in plain text is refused.
func (c clients) GetClient(_ context.Context, id string) (fosite.Client, error) {
	if id == ClientID {
		client := *c.server.client
		if c.server.turned().PlaintextSecret {
			client.Secret = []byte(ClientSecret)
		}
		return &client, nil
	}
	for _, client := range c.server.Platform.Clients() {
		if client.ID == id {
			return &fosite.DefaultClient{
				ID: id, Secret: []byte(client.Secret), RedirectURIs: client.RedirectURIs, Scopes: client.Scopes,
				ResponseTypes: []string{"code"}, GrantTypes: client.GrantTypes,
			}, nil
		}
	}
	return nil, fosite.ErrNotFound
}

// withoutSettings tells that a client was registered without settings of the authorization
// server, serialized as JSON.
func (s *Server) withoutSettings(id string) bool {
	for _, client := range s.Platform.Clients() {
		if client.ID == id {
			return !settings(client.ClientSettings) || !settings(client.TokenSettings)
		}
	}
	return false
}

func settings(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members["@class"] != nil
}

var _ fosite.Storage = clients{}
