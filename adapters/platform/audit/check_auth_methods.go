package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// A loginProvider is a server that users may sign in with.
type loginProvider struct {
	ID   string `json:"id"`
	Text string `json:"loginText"`
	URL  string `json:"url"`
}

// authMethodsInput is the input of the check of the ways to log in.
type authMethodsInput struct {
	providers []loginProvider
	clients   []platform.OAuth2Client
	noClients error // why the clients were not read; nil if they were
}

func (s *Scanner) authMethods(ctx context.Context) (Result, error) {
	const clientsPath = "/api/oAuth2Clients"
	var config struct {
		Providers []loginProvider `json:"oidcProviders"`
	}
	if err := s.read(ctx, "/api/loginConfig", nil, &config); err != nil {
		return Result{}, err
	}
	in := authMethodsInput{providers: config.Providers}
	var answer json.RawMessage
	in.noClients = s.read(ctx, clientsPath, fields(s.features.OAuth2ListFields), &answer)
	if in.noClients == nil {
		clients, err := s.features.Major.Codec().DecodeOAuth2Clients(answer)
		if in.clients = clients; err != nil {
			in.noClients = &readError{clientsPath, errForm}
		}
	}
	return reduceAuthMethods(in), nil
}

// broadGrants are the grant types that let a client log in without a user at a browser.
var broadGrants = []string{"client_credentials", "implicit", "password", "urn:ietf:params:oauth:grant-type:device_code"}

func reduceAuthMethods(in authMethodsInput) Result {
	const provider, grant, redirect, clean = "auth-methods-oidc-provider", "auth-methods-oauth2-broad-grant", "auth-methods-oauth2-loose-redirect", "auth-methods-oauth2-clean-client"
	r := newRecorder(CheckAuthMethods)
	r.evaluated(provider)
	for _, p := range in.providers {
		r.flag(Finding{
			Control: provider, Severity: Info, Title: "Users can sign in with another server", Subject: cmp.Or(p.ID, p.Text, "without a name"),
			Detail: "Whoever runs that server can log in as any user that it names.", Evidence: map[string]string{"text": p.Text, "url": redacted(p.URL)},
		})
	}
	if in.noClients != nil {
		r.result.Status = StatusDegraded
		r.note("OAuth2 clients were not judged: %v.", in.noClients)
		r.skip("clients unreadable: "+why("OAuth2 clients", in.noClients), grant, redirect, clean)
		return r.done()
	}
	r.evaluated(grant, redirect, clean)
	for _, c := range in.clients {
		name := cmp.Or(c.ClientID, c.Name, "without an id")
		grants := slices.DeleteFunc(slices.Clone(c.AuthorizationGrantTypes), func(g string) bool { return !slices.Contains(broadGrants, strings.ToLower(g)) })
		if len(grants) > 0 {
			r.flag(Finding{
				Control: grant, Severity: Medium, Title: "An OAuth2 client has a broad grant", Subject: name, GroupKey: "oauth2-broad-grant",
				Detail: "The client gets tokens without a user who signs in at a browser.", Evidence: map[string]string{"grants": strings.Join(grants, ", ")},
			})
		}
		var loose []string
		for _, uri := range c.RedirectURIs {
			if isLoose(uri) {
				loose = append(loose, redacted(uri))
			}
		}
		if loose != nil {
			r.flag(Finding{
				Control: redirect, Severity: Medium, Title: "An OAuth2 client has a loose redirect", Subject: name, GroupKey: "oauth2-loose-redirect",
				Detail: "Codes may be sent to an address that others control or can read.", Evidence: map[string]string{"redirects": strings.Join(loose, ", ")},
			})
		}
		if len(grants) == 0 && loose == nil {
			r.flag(Finding{
				Control: clean, Severity: Info, Title: "An OAuth2 client", Subject: name, GroupKey: "oauth2-client",
				Detail: fmt.Sprintf("Redirect addresses: %d, none of them loose. It has no broad grant.", len(c.RedirectURIs)), Evidence: map[string]string{"grants": strings.Join(c.AuthorizationGrantTypes, ", ")},
			})
		}
	}
	return r.done()
}

// isLoose reports whether a redirect address has a wildcard, or is http to another machine.
func isLoose(uri string) bool {
	if strings.Contains(uri, "*") {
		return true
	}
	u, err := url.Parse(strings.TrimSpace(uri))
	return err == nil && strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") || err == nil && address.Unmap().IsLoopback()
}

// redacted returns an address without user information, query and fragment, which may hold secrets.
func redacted(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "an address that cannot be read"
	}
	clean := (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}).String()
	if u.User != nil || u.RawQuery != "" {
		clean += " (shortened)"
	}
	return clean
}
