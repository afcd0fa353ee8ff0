package authtest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ory/fosite"
	"github.com/ory/fosite/storage"
)

// clients is a store whose clients are the server's own and those that are registered with
// the platform, as they are stored there.
type clients struct {
	*storage.MemoryStore
	server *Server
}

// GetClient returns a client. The token endpoint compares what it is sent with a BCrypt hash,
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

// hasher compares secrets with BCrypt hashes and remembers those that fit, for it takes
// long on purpose.
type hasher struct {
	fosite.BCrypt
	fit sync.Map // of [2]string, hash and secret
}

func (h *hasher) Compare(ctx context.Context, hash, secret []byte) error {
	key := [2]string{string(hash), string(secret)}
	if _, fits := h.fit.Load(key); fits {
		return nil
	}
	err := h.BCrypt.Compare(ctx, hash, secret)
	if err == nil {
		h.fit.Store(key, nil)
	}
	return err
}

// withoutSettings reports whether a client was registered without settings of the authorization
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
