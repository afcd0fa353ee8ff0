package authtest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ory/fosite"
	"github.com/ory/fosite/storage"
)

// clients is a store with the server's own client and the clients that are registered with the
// platform.
type clients struct {
	*storage.MemoryStore
	server *Server
}

// GetClient returns a client. The token endpoint compares the secret with a BCrypt hash, so it refuses
// a client whose secret is stored in plain text.
func (c clients) GetClient(_ context.Context, id string) (fosite.Client, error) {
	if id == ClientID {
		client := *c.server.client
		if c.server.current().PlaintextSecret {
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

// hasher compares secrets with BCrypt hashes. It caches matches, because BCrypt is slow on purpose.
type hasher struct {
	fosite.BCrypt
	matches sync.Map // keys are [2]string{hash, secret}
}

func (h *hasher) Compare(ctx context.Context, hash, secret []byte) error {
	key := [2]string{string(hash), string(secret)}
	if _, known := h.matches.Load(key); known {
		return nil
	}
	err := h.BCrypt.Compare(ctx, hash, secret)
	if err == nil {
		h.matches.Store(key, nil)
	}
	return err
}

// withoutSettings reports whether a client was registered without the settings of the authorization
// server.
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
