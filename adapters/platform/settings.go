package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// A Setting is a system setting: a key and a JSON value.
type Setting struct {
	Key   string
	Value json.RawMessage
}

// Text returns the SettingText of the value.
func (s Setting) Text() string { return SettingText(s.Value) }

// SettingText returns a JSON value in the form in which settings are written: a text without
// quotes, any other value as compact JSON.
func SettingText(value json.RawMessage) string {
	var text string
	if bytes.HasPrefix(value, []byte{'"'}) && json.Unmarshal(value, &text) == nil {
		return text
	}
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return string(value)
	}
	return out.String()
}

// Settings are system settings in the platform's order. Values are not interpreted: the platform returns
// keyAnalysisDisplayProperty in lower case, whatever was written. Platform toolkit, section 2.8.
type Settings []Setting

// Get returns the value of a key. The value null counts as absent.
func (s Settings) Get(key string) (json.RawMessage, bool) {
	for _, setting := range s {
		if setting.Key == key {
			return setting.Value, string(setting.Value) != "null"
		}
	}
	return nil, false
}

// UnmarshalJSON reads an object and keeps its order. A duplicate key is an error.
func (s *Settings) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return fmt.Errorf("settings must be an object of keys and values, not %s", kindOf(data))
	}
	out, seen := Settings{}, map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string) // the decoder ensures that member names are texts
		if seen[key] {
			return fmt.Errorf("the setting %q appears twice", key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		out = append(out, Setting{key, value})
	}
	*s = out
	return nil
}

// MarshalJSON writes an object in the same order.
func (s Settings) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, setting := range s {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(setting.Key)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), setting.Value...)
	}
	return append(out, '}'), nil
}

const (
	settingsPath = "/api/systemSettings"
	cacheSetting = "setting:" // and the key
)

// Settings returns all system settings, or those with some keys. It is not cached.
func (s System) Settings(ctx context.Context, keys ...string) (Settings, error) {
	var query url.Values
	if len(keys) > 0 {
		query = url.Values{"key": keys}
	}
	out := Settings{}
	if err := s.client.get(ctx, settingsPath, query, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// Setting returns one system setting, and false if it is unset. From 42 on the platform answers an empty text
// for a setting that is unset, and 404 for a key that it does not know: a LookupError of kind
// ErrUnknownSetting (V9). Before, both are 404, and false. The client caches values.
func (s System) Setting(ctx context.Context, key string) (json.RawMessage, bool, error) {
	path := settingsPath + "/" + segment(key)
	raw, err := s.client.cached(ctx, cacheSetting+key, func(ctx context.Context) (raw json.RawMessage, err error) {
		err = s.client.get(ctx, path, nil, &raw)
		return raw, err
	})
	if statusOf(err) == http.StatusNotFound {
		if rules, known := RulesOf(s.client.version); known && rules.KnownSettings {
			return nil, false, &LookupError{Kind: ErrUnknownSetting, Name: key}
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if bytes.HasPrefix(raw, []byte{'"'}) { // the value alone
		return raw, SettingText(raw) != "", nil
	}
	var found Settings
	if err := unmarshal(raw, &found); err != nil {
		return nil, false, fmt.Errorf("GET %s: %w", path, err)
	}
	value, ok := found.Get(key)
	return value, ok && SettingText(value) != "", nil
}

// SetSetting sets a system setting to a text: true, 12, a word, JSON. If the setting is a
// credential, such as keyEmailPassword, errors do not contain the text.
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

// writeSetting changes a setting and drops its cached value, even if the request failed, because it may
// have reached the platform.
func (s System) writeSetting(ctx context.Context, key string, r Request) (err error) {
	r.Path = settingsPath + "/" + segment(key)
	defer s.client.uncache(cacheSetting + key)
	_, err = s.client.Do(ctx, r)
	return err
}
