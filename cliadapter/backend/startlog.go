package backend

import (
	"context"
	"log/slog"
	"math"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/roget-health/roget/cliadapter"
)

// logStart writes the first line of the log: what is started, and on which data.
func logStart(o cliadapter.ServeOptions) {
	data, err := filepath.Abs(o.Data)
	if err != nil {
		data = o.Data
	}
	attrs := []slog.Attr{
		slog.String("version", o.Version.Version), slog.String("revision", o.Version.Revision),
		slog.String("data", data), slog.String("store", storeName(o.Store)),
		slog.Int("processors", runtime.GOMAXPROCS(0)),
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

// storeName names the resource store without passwords.
func storeName(address string) string {
	if address == "" {
		return "sqlite"
	}
	u, err := url.Parse(address)
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
