package platformtest

import (
	"net/http"
	"strings"
)

// clientPaths are the paths that register and list OAuth2 clients.
var clientPaths = map[string]handler{
	"POST /api/oAuth2Clients": (*Platform).register,
}

// A Client is a registered OAuth2 client, in the same shape for every major.
type Client struct {
	UID, ID, Secret                  string
	RedirectURIs, GrantTypes, Scopes []string
	ClientSettings, TokenSettings    string
	AuthenticationMethods            []string
}

// clientLists are the members of a client's record with several values. They are arrays on major 41, and
// texts with commas later.
var clientLists = []string{"redirectUris", "authorizationGrantTypes", "grantTypes", "scopes", "clientAuthenticationMethods"}

func (p *Platform) register(r *request) answer {
	client, ok := decode(r.body)
	key := "clientId"
	if p.options.Major == 41 {
		key = "cid"
	}
	switch {
	case !p.may(r.user, "F_OAUTH2_CLIENT_MANAGE"):
		return forbidden("F_OAUTH2_CLIENT_MANAGE")
	case !ok:
		return malformed()
	case text(client, key) == "":
		return reported("oAuth2Clients", "", Object{"message": "Missing required property `" + key + "`", "errorCode": "E4000", "errorProperty": key, "mainKlass": klass("oAuth2Clients")})
	}
	if refused := p.registrable(client); refused.status != 0 {
		return refused
	}
	for _, other := range p.collections["oAuth2Clients"].all() {
		if other[key] == client[key] {
			return reported("oAuth2Clients", "", Object{"message": "Property `" + key + "` with value `" + text(client, key) + "` already exists", "errorCode": "E5003", "errorProperty": key, "mainKlass": klass("oAuth2Clients")})
		}
	}
	for _, name := range clientLists {
		_, isText := client[name].(string)
		_, isArray := client[name].([]any)
		switch {
		case isText && p.options.Major == 41:
			return refuse(http.StatusBadRequest, "Cannot construct instance of `java.util.ArrayList`: no String-argument constructor to deserialize "+name)
		case isArray && p.options.Major > 41:
			delete(client, name) // the platform answers 201 and stores nothing
		}
	}
	if p.options.Major == 41 && client["grantTypes"] == nil {
		client["grantTypes"] = client["authorizationGrantTypes"]
	}
	if p.options.Major == 41 && client["secret"] == nil {
		client["secret"] = client["clientSecret"]
	}
	client["name"] = either(text(client, "name"), text(client, key))
	client["displayName"] = client["name"]
	uid := p.uid(p.collections["oAuth2Clients"])
	client["id"] = uid
	p.put("oAuth2Clients", client)
	return written(http.StatusCreated, "oAuth2Clients", uid)
}

// Clients returns the registered clients, for an authorization server.
func (p *Platform) Clients() []Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	var clients []Client
	for _, o := range p.collections["oAuth2Clients"].all() {
		clients = append(clients, Client{
			UID: text(o, "id"), ID: either(text(o, "clientId"), text(o, "cid")), Secret: either(text(o, "clientSecret"), text(o, "secret")),
			RedirectURIs: several(o["redirectUris"]), Scopes: several(o["scopes"]), GrantTypes: append(several(o["authorizationGrantTypes"]), several(o["grantTypes"])...),
			ClientSettings: text(o, "clientSettings"), TokenSettings: text(o, "tokenSettings"), AuthenticationMethods: several(o["clientAuthenticationMethods"]),
		})
	}
	return clients
}

// several returns the values of a member, an array or a text with commas.
func several(v any) []string {
	var values []string
	switch v := v.(type) {
	case string:
		for each := range strings.SplitSeq(v, ",") {
			if each = strings.TrimSpace(each); each != "" {
				values = append(values, each)
			}
		}
	case []any:
		for _, each := range v {
			if s, ok := each.(string); ok {
				values = append(values, s)
			}
		}
	}
	return values
}
