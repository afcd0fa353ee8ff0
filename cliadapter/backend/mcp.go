package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/bridgetool"
	"github.com/roget-health/roget/mcpadapter/terminology"
)

// MCP runs the tool server for assistants. On standard input and output, the data folder is
// opened once, when the server starts.
func (b Backend) MCP(ctx context.Context, o cliadapter.MCPOptions, obs cliadapter.Observer, ready func(url string)) error {
	serve := func(source terminology.Source) error { return serveTools(ctx, o, source, ready) }
	switch {
	case !slices.Contains(o.Toolsets, cliadapter.ToolsetTerminology):
		return serve(nil)
	case o.Server != "":
		source, err := terminology.NewRemote(o.Server, nil)
		if err != nil {
			return &cliadapter.UsageError{Err: fmt.Errorf("--server: %w", err)}
		}
		return serve(source)
	}
	return b.Query(ctx, o.Sources, obs, func(eng *engine.Engine) error {
		return serve(terminology.NewLocal(eng.Under(o.Rules), operation.All()))
	})
}

// serveTools runs the server with its toolsets.
func serveTools(ctx context.Context, o cliadapter.MCPOptions, source terminology.Source, ready func(url string)) error {
	var sets []mcpadapter.Toolset
	for _, name := range o.Toolsets {
		switch name {
		case cliadapter.ToolsetTerminology:
			sets = append(sets, terminology.New(source))
		case cliadapter.ToolsetPlatform:
			sets = append(sets, platformTools(&o))
		case cliadapter.ToolsetBridge:
			sets = append(sets, bridgetool.New(o.Bridge, o.ReadOnly))
		}
	}
	name := "" // the program's
	if slices.Equal(o.Toolsets, []string{cliadapter.ToolsetPlatform}) {
		name = cliadapter.ToolsetPlatform // platform toolkit, section 6.1
	}
	server, err := mcpadapter.New(mcpadapter.Config{Name: name, Version: o.Version.Version, Toolsets: sets, Logger: o.Logger})
	if err != nil {
		return err
	}
	if o.HTTP == "" {
		ready("")
		return server.Stdio(ctx, readCloser(o.In), writeCloser{o.Out})
	}
	if _, _, err := net.SplitHostPort(o.HTTP); err != nil {
		return &cliadapter.UsageError{Err: fmt.Errorf("--http: %w", err)}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.HTTP)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --http, port 0 picks a free one", err)
	}
	defer closing(listener)
	options := mcpadapter.HTTPOptions{Token: o.Token, Hosts: o.Hosts, Origins: o.Origins, Drain: cmp.Or(o.Drain, 1)}
	switch _, err := server.Handler(listener.Addr(), options); {
	case errors.Is(err, mcpadapter.ErrTokenNeeded):
		return &cliadapter.UsageError{Err: fmt.Errorf("--http %s: %w: give --token-file FILE or ROGET_MCP_TOKEN, or listen on 127.0.0.1", o.HTTP, err)}
	case err != nil:
		return &cliadapter.UsageError{Err: err}
	}
	ready(baseURL(listener.Addr()) + mcpadapter.Path)
	return server.Serve(ctx, listener, options)
}

// readCloser returns in with a method Close, which unblocks reading where in has one.
func readCloser(in io.Reader) io.ReadCloser {
	if closer, ok := in.(io.ReadCloser); ok {
		return closer
	}
	return io.NopCloser(in)
}

// A writeCloser is a stream that outlives the server.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }
