package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

const (
	settingsPath = "/api/systemSettings"
	cacheSetting = "setting:" // and the key
)

// Settings gives the system settings: all of them, or those of some keys. It has no cache.
func (s System) Settings(ctx context.Context, keys ...string) (Settings, error) {
	var query url.Values
	if len(keys) > 0 {
		query = url.Values{"key": keys}
	}
	out := Settings{}
	if err := s.c.get(ctx, settingsPath, query, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// Setting gives one system setting. It is false where the setting is unset, which the
// platform says with 404. What is found is remembered for the time of the client's cache.
func (s System) Setting(ctx context.Context, key string) (json.RawMessage, bool, error) {
	path := settingsPath + "/" + segment(key)
	raw, err := s.c.cached(ctx, cacheSetting+key, func(ctx context.Context) (raw json.RawMessage, err error) {
		err = s.c.get(ctx, path, nil, &raw)
		return raw, err
	})
	if statusOf(err) == http.StatusNotFound {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var found Settings
	if err := unmarshal(raw, &found); err != nil {
		return nil, false, fmt.Errorf("GET %s: %w", path, err)
	}
	value, ok := found.Get(key)
	return value, ok, nil
}

// SetSetting sets a system setting to a text: true, 12, a word, JSON. Where the key tells of
// a credential, as keyEmailPassword, errors do not show the text.
func (s System) SetSetting(ctx context.Context, key, text string) error {
	r := Request{Method: http.MethodPost, Body: []byte(text), ContentType: "text/plain; charset=utf-8"}
	for _, word := range [...]string{"password", "secret", "token", "apikey"} {
		if strings.Contains(strings.ToLower(key), word) {
			r.Secrets = []auth.Secret{auth.NewSecret(text)}
		}
	}
	return s.writeSetting(ctx, key, r)
}

// DeleteSetting unsets a system setting.
func (s System) DeleteSetting(ctx context.Context, key string) error {
	return s.writeSetting(ctx, key, Request{Method: http.MethodDelete})
}

// writeSetting changes a setting and drops what the cache has of it, even where the
// request failed: it may have reached the platform all the same.
func (s System) writeSetting(ctx context.Context, key string, r Request) (err error) {
	r.Path = settingsPath + "/" + segment(key)
	defer s.c.uncache(cacheSetting + key)
	_, err = s.c.Do(ctx, r)
	return err
}
