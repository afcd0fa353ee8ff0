package platform

import "context"

// LoginConfig is the configuration of the platform's login page. Unknown members are in Extra.
type LoginConfig struct {
	ApplicationTitle        string         `json:"applicationTitle,omitempty"`
	ApplicationDescription  string         `json:"applicationDescription,omitempty"`
	SelfRegistrationEnabled bool           `json:"selfRegistrationEnabled,omitempty"`
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

// LoginConfig reads /api/loginConfig, which needs no login. Platform toolkit, section 2.8.
func (c *Client) LoginConfig(ctx context.Context) (LoginConfig, error) {
	var config LoginConfig
	err := c.get(ctx, "/api/loginConfig", nil, &config)
	return config, err
}
