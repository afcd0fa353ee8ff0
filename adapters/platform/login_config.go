package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/roget-health/roget/auth"
)

// LoginConfig is the configuration of the platform's login page. Unknown members are in Extra.
type LoginConfig struct {
	ApplicationTitle        string         `json:"applicationTitle,omitempty"`
	ApplicationDescription  string         `json:"applicationDescription,omitempty"`
	SelfRegistrationEnabled bool           `json:"selfRegistrationEnabled,omitempty"`
	APIVersion              string         `json:"apiVersion,omitempty"` // the version of the platform
	OIDCProviders           []OIDCProvider `json:"oidcProviders,omitempty"`
	Extra                   Extra          `json:"-"`
}

// An OIDCProvider is a button of the login page that signs in with another server.
type OIDCProvider struct {
	ID        string `json:"id"`
	LoginText string `json:"loginText,omitempty"`
	URL       string `json:"url,omitempty"`  // relative to the platform, or absolute
	Icon      string `json:"icon,omitempty"` // address of an image
	Extra     Extra  `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (l *LoginConfig) UnmarshalJSON(data []byte) error { return decodeRecord(data, l) }

// MarshalJSON includes the members of Extra.
func (l LoginConfig) MarshalJSON() ([]byte, error) { return encodeRecord(l) }

// UnmarshalJSON puts unknown members into Extra.
func (p *OIDCProvider) UnmarshalJSON(data []byte) error { return decodeRecord(data, p) }

// MarshalJSON includes the members of Extra.
func (p OIDCProvider) MarshalJSON() ([]byte, error) { return encodeRecord(p) }

const loginConfigPath = "/api/loginConfig"

// LoginConfig reads /api/loginConfig, which needs no login. Platform toolkit, section 2.8.
func (c *Client) LoginConfig(ctx context.Context) (LoginConfig, error) {
	var config LoginConfig
	err := c.get(ctx, loginConfigPath, nil, &config)
	return config, err
}

// PublicVersion returns the version of the platform, which it reports to its login page. The request has no
// credentials.
func (c *Client) PublicVersion(ctx context.Context) (string, error) {
	u, err := url.Parse(c.base + loginConfigPath)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, candidateTime)
	defer cancel()
	request, err := c.request(ctx, http.MethodGet, u, nil)
	if err != nil {
		return "", err
	}
	response, err := c.roundTrip(request)
	if err != nil {
		return "", err
	}
	var config struct {
		APIVersion string `json:"apiVersion"`
	}
	if response.Status != http.StatusOK || json.Unmarshal(response.Body, &config) != nil || config.APIVersion == "" {
		return "", errors.New("the platform reports no version to its login page")
	}
	return config.APIVersion, nil
}

// PublicVersion returns the canonical base URL of a platform and the version that it reports without a login.
func PublicVersion(ctx context.Context, baseURL string, options Options) (base, version string, err error) {
	c, err := New(baseURL, auth.Anonymous{}, options)
	if err != nil {
		return "", "", err
	}
	defer c.Close()
	if c.base, err = c.canonical(ctx); err != nil {
		return "", "", err
	}
	version, err = c.PublicVersion(ctx)
	return c.base, version, err
}
