package backend

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/roget-health/roget/cliadapter"
)

// logStart writes the first line of the log: what is started, on which data, for whom, and where it
// records what they do. It has no secrets.
func logStart(o cliadapter.ServeOptions) {
	attrs := []slog.Attr{
		slog.String("version", o.Version.Version), slog.String("revision", o.Version.Revision),
		slog.String("data", absolute(o.Data)), slog.String("store", storeName(&o)),
		slog.String("addr", o.Addr), slog.String("baseURL", cmp.Or(o.Edge.BaseURL, "that of each request")),
		slog.String("authentication", authenticationName(&o.Access)),
		slog.String("audit", auditName(&o.Audit)),
		slog.Int("processors", runtime.GOMAXPROCS(0)),
	}
	if o.Access.Policy != "" {
		attrs = append(attrs, slog.String("policy", absolute(o.Access.Policy)))
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		attrs = append(attrs, slog.Int64("memory", limit))
	}
	if o.ConfigFile != "" {
		attrs = append(attrs, slog.String("config", o.ConfigFile))
	}
	o.Logger.LogAttrs(context.Background(), slog.LevelInfo, "starting", attrs...)
}

// fact adds facts to the line of the log about the server that listens.
func (s *Service) fact(attrs ...slog.Attr) { s.facts = append(s.facts, attrs...) }

// logListening writes that the server listens, and what an operator must know about it.
func (s *Service) logListening(o cliadapter.ServeOptions, url string) {
	attrs := append([]slog.Attr{slog.String("url", url), slog.String("rules", "clinical")}, s.facts...)
	o.Logger.LogAttrs(context.Background(), slog.LevelInfo, "listening", attrs...)
}

// authenticationName lists the methods by which requests may say who makes them, as policies name them.
func authenticationName(o *cliadapter.AccessOptions) string {
	var methods []string
	for _, m := range [...]struct {
		name string
		on   bool
	}{
		{"jwt", len(o.Issuers) > 0},
		{"introspection", o.Introspection.URL != ""},
		{"token", o.Tokens != ""},
		{"basic", o.Basic != ""},
		{"certificate", o.Certificates},
	} {
		if m.on {
			methods = append(methods, m.name)
		}
	}
	return cmp.Or(strings.Join(methods, ","), "none")
}

// auditName says where it is recorded who did what: the folder of the log, or the resource store.
func auditName(o *cliadapter.AuditOptions) string {
	var places []string
	if o.Folder != "" {
		places = append(places, absolute(o.Folder))
	}
	if o.Events {
		places = append(places, "AuditEvents in the store")
	}
	return cmp.Or(strings.Join(places, ", "), "none")
}

// absolute returns a path from the root, or as it is if the working directory is gone.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// storeName names the resource store, without passwords.
func storeName(o *cliadapter.ServeOptions) string {
	if o.Store == "" {
		return "sqlite:" + absolute(filepath.Join(o.Data, storeFile))
	}
	if path, is := strings.CutPrefix(o.Store, "sqlite:"); is {
		return "sqlite:" + absolute(path)
	}
	u, err := url.Parse(o.Store)
	if err != nil {
		return "?"
	}
	query := u.Query()
	for _, secret := range [...]string{"password", "sslpassword"} {
		query.Del(secret)
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}
