package platform

import "context"

// LoginConfig is what the login page of the platform shows. Unknown members are kept.
type LoginConfig struct {
	ApplicationTitle        string         `json:"applicationTitle,omitempty"`
	ApplicationDescription  string         `json:"applicationDescription,omitempty"`
	SelfRegistrationEnabled bool           `json:"selfRegistrationEnabled,omitempty"`
	OIDCProviders           []OIDCProvider `json:"oidcProviders,omitempty"`
	Extra                   Extra          `json:"-"`
}

// OIDCProvider is a button of the login page that signs in elsewhere.
type OIDCProvider struct {
	ID        string `json:"id"`
	LoginText string `json:"loginText,omitempty"`
	URL       string `json:"url,omitempty"`  // relative to the platform, or absolute
	Icon      string `json:"icon,omitempty"` // address of an image
	Extra     Extra  `json:"-"`
}

// UnmarshalJSON keeps unknown members in Extra.
func (l *LoginConfig) UnmarshalJSON(data []byte) error { return decodeRecord(data, l) }

// MarshalJSON writes the members of Extra as well.
func (l LoginConfig) MarshalJSON() ([]byte, error) { return encodeRecord(l) }

// UnmarshalJSON keeps unknown members in Extra.
func (p *OIDCProvider) UnmarshalJSON(data []byte) error { return decodeRecord(data, p) }

// MarshalJSON writes the members of Extra as well.
func (p OIDCProvider) MarshalJSON() ([]byte, error) { return encodeRecord(p) }

// LoginConfig reads GET /api/loginConfig, which needs no login. Platform toolkit, section
// 2.8.
func (c *Client) LoginConfig(ctx context.Context) (LoginConfig, error) {
	var config LoginConfig
	err := c.get(ctx, "/api/loginConfig", nil, &config)
	return config, err
}
