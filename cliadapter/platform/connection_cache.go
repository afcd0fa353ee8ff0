package platform

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// Limits of the cache.
const (
	connectionTime    = platform.DefaultCacheTTL
	maxConnections    = 100 // platforms
	maxConnectionFile = 1 << 20
)

// noCacheVariable is the environment variable that, if it is not empty, has every command ask the platform
// for its address and version.
const noCacheVariable = "PLATFORM_NO_CACHE"

// connectionCache returns the cache of commands, or nil if there is no folder for it or the user wants none.
func (inv *invocation) connectionCache() platform.ConnectionCache {
	folder, err := inv.cli.cacheFolder()
	if err != nil || inv.Getenv(noCacheVariable) != "" {
		return nil
	}
	return &connectionCache{path: filepath.Join(folder, "connections.json"), fresh: inv.fresh}
}

// connectionCache is a file with the canonical address and the version of platforms by base URL. Entries are valid for
// five minutes. Only the user can read the file. A failure to read or write it is not an error.
type connectionCache struct {
	path  string
	fresh bool // finds nothing
}

// cachedConnection is what the file has of a platform.
type cachedConnection struct {
	platform.Found
	Until int64 `json:"until"` // Unix time in seconds
}

// Get returns the entry of a base URL.
func (c *connectionCache) Get(baseURL string) (platform.Found, bool) {
	if c.fresh {
		return platform.Found{}, false
	}
	entry, known := c.read()[baseURL]
	return entry.Found, known
}

// Put stores an entry. If there are too many, it deletes those that end first.
func (c *connectionCache) Put(baseURL string, found platform.Found) {
	entries := c.read()
	for len(entries) >= maxConnections {
		delete(entries, slices.MinFunc(slices.Collect(maps.Keys(entries)), func(a, b string) int { return int(entries[a].Until - entries[b].Until) }))
	}
	entries[baseURL] = cachedConnection{found, time.Now().Add(connectionTime).Unix()}
	c.write(entries)
}

// Delete deletes the entry of a base URL.
func (c *connectionCache) Delete(baseURL string) {
	entries := c.read()
	if _, known := entries[baseURL]; known {
		delete(entries, baseURL)
		c.write(entries)
	}
}

// read returns the valid entries. Because credentials are sent to the addresses in the file, read ignores a file
// that others can access, and addresses that this program would not have stored.
func (c *connectionCache) read() map[string]cachedConnection {
	entries := map[string]cachedConnection{}
	info, err := os.Stat(c.path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return entries
	}
	text, err := readFile(c.path, maxConnectionFile)
	if err != nil || json.Unmarshal(text, &entries) != nil || entries == nil {
		return map[string]cachedConnection{}
	}
	now := time.Now().Unix()
	maps.DeleteFunc(entries, func(base string, e cachedConnection) bool {
		clean, err := auth.CleanBaseURL(e.Canonical)
		return err != nil || clean != e.Canonical || strings.HasPrefix(base, "https:") && !strings.HasPrefix(clean, "https:") ||
			e.Until <= now || e.Until > now+int64(connectionTime.Seconds())
	})
	return entries
}

// write replaces the file.
func (c *connectionCache) write(entries map[string]cachedConnection) {
	text, err := json.Marshal(entries)
	if err != nil || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(c.path), "connections-*") // with mode 0600
	if err != nil {
		return
	}
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), c.path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
}
