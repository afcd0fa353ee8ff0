// Package platformtools has the tools of the platform.
package platformtools

import (
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Config is what the tools need from outside.
type Config struct {
	Getenv    func(string) string
	Folder    string
	Home      string
	Transport http.RoundTripper
	Profile   string
	ReadOnly  bool
	Version   string
	Logger    *slog.Logger
}

// Tools are the tools of the platform.
type Tools struct{ config Config }

// New returns the tools.
func New(config Config) *Tools { return &Tools{config} }

// Name is the name of the toolset.
func (t *Tools) Name() string { return "platform" }

// Instructions tell an assistant how the tools go together.
func (t *Tools) Instructions() string { return "" }

// Add registers the tools.
func (t *Tools) Add(_ *mcp.Server) error { return nil }
