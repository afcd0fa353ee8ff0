package platform

import (
	"bytes"
	"encoding/json"

	"github.com/roget-health/roget/auth"
)

// Types of RouteAuth.
const (
	RouteBasic             = "http-basic"                // Username, Password
	RouteAPIToken          = "api-token"                 // Token; the upstream gets Authorization: ApiToken
	RouteAPIHeaders        = "api-headers"               // Headers
	RouteAPIQueryParams    = "api-query-params"          // QueryParams
	RouteClientCredentials = "oauth2-client-credentials" // TokenURI, ClientID, ClientSecret, Scopes; from v42
)

// RouteAuth is how a route authenticates to its upstream: a union, whose Type says which
// members count. The platform never gives its secrets back, and encoders write them
// masked; only requests that write a route have them as they are. A type that is not known
// here keeps its members in Extra. Platform toolkit, section 2.9.
type RouteAuth struct {
	Type         string
	Username     string
	Password     auth.Secret
	Token        auth.Secret
	Headers      map[string]auth.Secret // by name
	QueryParams  map[string]auth.Secret // by name
	TokenURI     string
	ClientID     string
	ClientSecret auth.Secret
	Scopes       string
	Extra        map[string]json.RawMessage
}

// texts, secrets and maps are where the members lie, by their names on the wire.
func (a *RouteAuth) texts() map[string]*string {
	return map[string]*string{
		"type": &a.Type, "username": &a.Username, "tokenUri": &a.TokenURI, "clientId": &a.ClientID, "scopes": &a.Scopes,
	}
}

func (a *RouteAuth) secrets() map[string]*auth.Secret {
	return map[string]*auth.Secret{"password": &a.Password, "token": &a.Token, "clientSecret": &a.ClientSecret}
}

func (a *RouteAuth) maps() map[string]*map[string]auth.Secret {
	return map[string]*map[string]auth.Secret{"headers": &a.Headers, "queryParams": &a.QueryParams}
}

// MarshalJSON writes the record with its secrets masked.
func (a RouteAuth) MarshalJSON() ([]byte, error) { return a.encode(auth.Secret.String) }

// wire writes the record for the platform, its secrets as they are.
func (a RouteAuth) wire() ([]byte, error) { return a.encode(auth.Secret.Reveal) }

// encode writes what is there, sorted by name.
func (a RouteAuth) encode(show func(auth.Secret) string) ([]byte, error) {
	members := map[string]any{}
	for name, value := range a.Extra {
		members[name] = value
	}
	for name, text := range a.texts() {
		if *text != "" {
			members[name] = *text
		}
	}
	for name, secret := range a.secrets() {
		if !secret.IsZero() {
			members[name] = show(*secret)
		}
	}
	for name, named := range a.maps() {
		if len(*named) > 0 {
			shown := map[string]string{}
			for key, secret := range *named {
				shown[key] = show(secret)
			}
			members[name] = shown
		}
	}
	return json.Marshal(members)
}

// UnmarshalJSON reads what the platform or a file says. A member of another shape than it
// should have is kept in Extra; a secret that is masked is none.
func (a *RouteAuth) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	*a = RouteAuth{}
	for name, text := range a.texts() {
		if value, ok := decodeText(members[name]); ok {
			*text = value
			delete(members, name)
		}
	}
	for name, secret := range a.secrets() {
		if value, ok := decodeText(members[name]); ok {
			*secret = unmasked(value)
			delete(members, name)
		}
	}
	for name, named := range a.maps() {
		var values map[string]string
		if raw := members[name]; len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &values) == nil {
			*named = map[string]auth.Secret{}
			for key, value := range values {
				(*named)[key] = unmasked(value)
			}
			delete(members, name)
		}
	}
	if len(members) > 0 {
		a.Extra = members
	}
	return nil
}

// decodeText reads a JSON string that is not empty.
func decodeText(raw json.RawMessage) (text string, ok bool) {
	if !bytes.HasPrefix(raw, []byte{'"'}) {
		return "", false
	}
	err := json.Unmarshal(raw, &text)
	return text, err == nil && text != ""
}

// unmasked makes a secret of a text, an empty one of a mask.
func unmasked(text string) auth.Secret {
	if secret := auth.NewSecret(text); text != secret.String() {
		return secret
	}
	return auth.Secret{}
}

// sent gives the secrets of the record, which an answer must not repeat.
func (a *RouteAuth) sent() []auth.Secret {
	list := []auth.Secret{a.Password, a.Token, a.ClientSecret}
	for _, named := range a.maps() {
		for _, secret := range *named {
			list = append(list, secret)
		}
	}
	return list
}
