package main_test

import (
	"strings"
	"testing"
)

// TestWhatIsLinked: programs link what they use. One that embeds the engine has neither
// authentication nor a client, store or driver; one that sends a personal access token
// has no network and no driver; one that brings its own store of tokens has no SQLite; one
// that talks to a platform links its client, and neither the engine nor a driver.
func TestWhatIsLinked(t *testing.T) {
	// A package, and what it may not link, by prefix.
	for name, without := range map[string][]string{
		"./engine":            {module + "/auth", module + "/adapters", "modernc.org/", "github.com/jackc/pgx", "database/sql", "net/http"},
		"./examples/embed":    {module + "/auth", module + "/adapters", "modernc.org/", "github.com/jackc/pgx", "database/sql"},
		"./adapters/platform": {module + "/adapters/memory", module + "/engine", module + "/resources", "modernc.org/", "database/sql", "github.com/BurntSushi/toml"},
		"./auth":              {module + "/adapters", "modernc.org/", "database/sql", "net/http", "golang.org/x/"},
		"./auth/profile":      {module + "/adapters", "modernc.org/", "database/sql", "net/http"},
		"./auth/oauth2":       {module + "/adapters", "modernc.org/", "database/sql", "github.com/BurntSushi/toml"},
	} {
		linked := strings.Fields(goList(t, "-deps", name))
		if len(linked) < 20 {
			t.Errorf("%s links %d packages only", name, len(linked))
		}
		for _, path := range linked {
			for _, prefix := range without {
				if strings.HasPrefix(path, prefix) {
					t.Errorf("%s links %s", name, path)
				}
			}
		}
	}
}
