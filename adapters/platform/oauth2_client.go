package platform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/roget-health/roget/auth"
)

// An OAuth2Client is a registered OAuth2 client, in the same shape for every major. A Codec translates it.
// Its JSON masks the secret. Platform toolkit, sections 1.6.7 and 7.2.
type OAuth2Client struct {
	UID                         string      `json:"id,omitempty"`
	Name                        string      `json:"name,omitempty"`
	DisplayName                 string      `json:"displayName,omitempty"`
	ClientID                    string      `json:"clientId,omitempty"`
	ClientSecret                auth.Secret `json:"clientSecret,omitzero"` // BCrypt hash
	ClientAuthenticationMethods []string    `json:"clientAuthenticationMethods,omitempty"`
	AuthorizationGrantTypes     []string    `json:"authorizationGrantTypes,omitempty"`
	RedirectURIs                []string    `json:"redirectUris,omitempty"`
	Scopes                      []string    `json:"scopes,omitempty"`
	ClientSettings              string      `json:"clientSettings,omitempty"` // JSON as a text
	TokenSettings               string      `json:"tokenSettings,omitempty"`  // JSON as a text
	Extra                       Extra       `json:"-"`
}

// MarshalJSON includes the members of Extra, and masks the secret.
func (o OAuth2Client) MarshalJSON() ([]byte, error) { return encodeRecord(o) }

// oauth2Member connects a member on the wire with its field.
type oauth2Member struct {
	name string
	text *string
	list *[]string
}

// oauth2Members returns the members with the names that a major uses.
func oauth2Members(t *Features, o *OAuth2Client, secret *string) []oauth2Member {
	return []oauth2Member{
		{name: "id", text: &o.UID},
		{name: "name", text: &o.Name},
		{name: "displayName", text: &o.DisplayName},
		{name: t.OAuth2IDKey, text: &o.ClientID},
		{name: t.OAuth2SecretKey, text: secret},
		{name: "clientSettings", text: &o.ClientSettings},
		{name: "tokenSettings", text: &o.TokenSettings},
		{name: "clientAuthenticationMethods", list: &o.ClientAuthenticationMethods},
		{name: t.OAuth2GrantsKey, list: &o.AuthorizationGrantTypes},
		{name: "redirectUris", list: &o.RedirectURIs},
		{name: "scopes", list: &o.Scopes},
	}
}

func (w codec42) EncodeOAuth2Client(client OAuth2Client) (json.RawMessage, error) {
	secret := client.ClientSecret.Reveal()
	body := map[string]any{}
	for name, value := range client.Extra {
		body[name] = value
	}
	for _, member := range oauth2Members(w.features, &client, &secret) {
		switch {
		case member.text != nil && *member.text != "":
			body[member.name] = *member.text
		case member.list == nil || len(*member.list) == 0:
		case w.features.OAuth2List == ListArray:
			body[member.name] = *member.list
		default:
			for _, value := range *member.list {
				if strings.Contains(value, ",") {
					return nil, fmt.Errorf("%s of an OAuth2 client: %q contains a comma, which separates values on %v", member.name, value, w.features.Major)
				}
			}
			body[member.name] = strings.Join(*member.list, ",")
		}
	}
	return json.Marshal(body)
}

func (w codec42) DecodeOAuth2Clients(answer json.RawMessage) ([]OAuth2Client, error) {
	var envelope struct {
		Clients []map[string]json.RawMessage `json:"oAuth2Clients"`
	}
	if err := unmarshal(answer, &envelope); err != nil {
		return nil, fmt.Errorf("OAuth2 clients: %w", err)
	}
	if envelope.Clients == nil {
		return nil, fmt.Errorf("OAuth2 clients: %w called \"oAuth2Clients\"", errNoCollection)
	}
	clients := make([]OAuth2Client, len(envelope.Clients))
	for i, members := range envelope.Clients {
		if err := w.decodeOAuth2Client(members, &clients[i]); err != nil {
			return nil, fmt.Errorf("OAuth2 client %d: %w", i, err)
		}
	}
	return clients, nil
}

// decodeOAuth2Client reads a record. Servers of one major send lists in either shape, so it reads both.
// If a member is absent, it reads the names that other majors use.
func (w codec42) decodeOAuth2Client(members map[string]json.RawMessage, o *OAuth2Client) error {
	var secret string
	all := oauth2Members(w.features, o, &secret)
	for _, major := range Majors() {
		all = append(all, oauth2Members(major.Features(), o, &secret)...)
	}
	for _, member := range all {
		raw, found := members[member.name]
		if !found || string(raw) == "null" || member.text != nil && *member.text != "" || member.list != nil && *member.list != nil {
			continue
		}
		if err := member.read(raw); err != nil {
			return fmt.Errorf("member %s: %w", member.name, err)
		}
		delete(members, member.name)
	}
	o.ClientSecret = auth.NewSecret(secret)
	for _, major := range Majors() { // no secret may end up in Extra
		delete(members, major.Features().OAuth2SecretKey)
	}
	if len(members) > 0 {
		o.Extra = members
	}
	return nil
}

// read reads a text, or a list in either shape.
func (m oauth2Member) read(raw json.RawMessage) error {
	switch {
	case m.text != nil:
		return unmarshal(raw, m.text)
	case raw[0] != '"':
		return unmarshal(raw, m.list)
	}
	var joined string
	if err := unmarshal(raw, &joined); err != nil {
		return err
	}
	for value := range strings.SplitSeq(joined, ",") {
		if value = strings.TrimSpace(value); value != "" {
			*m.list = append(*m.list, value)
		}
	}
	return nil
}
