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

// Limits of the memory.
const (
	memoryTime    = platform.DefaultCacheTTL
	maxMemory     = 100 // platforms
	maxMemoryFile = 1 << 20
)

// noCacheVariable is the environment variable that, if it is not empty, has every command ask the platform
// for its address and version.
const noCacheVariable = "PLATFORM_NO_CACHE"

// memory returns the memory of commands, or nil if there is no folder for it or the user wants none.
func (inv *invocation) memory() platform.Memory {
	folder, err := inv.cli.cacheFolder()
	if err != nil || inv.Getenv(noCacheVariable) != "" {
		return nil
	}
	return &memory{path: filepath.Join(folder, "connections.json"), fresh: inv.fresh}
}

// memory is a file with the canonical address and the version of platforms by base URL. Entries are valid for
// five minutes. Only the user can read the file. A failure to read or write it is not an error.
type memory struct {
	path  string
	fresh bool // recalls nothing
}

// remembered is what the file has of a platform.
type remembered struct {
	platform.Found
	Until int64 `json:"until"` // Unix time in seconds
}

// Recall returns the entry of a base URL.
func (m *memory) Recall(baseURL string) (platform.Found, bool) {
	if m.fresh {
		return platform.Found{}, false
	}
	entry, known := m.read()[baseURL]
	return entry.Found, known
}

// Remember stores an entry. If there are too many, it deletes those that end first.
func (m *memory) Remember(baseURL string, found platform.Found) {
	entries := m.read()
	for len(entries) >= maxMemory {
		delete(entries, slices.MinFunc(slices.Collect(maps.Keys(entries)), func(a, b string) int { return int(entries[a].Until - entries[b].Until) }))
	}
	entries[baseURL] = remembered{found, time.Now().Add(memoryTime).Unix()}
	m.write(entries)
}

// Forget deletes the entry of a base URL.
func (m *memory) Forget(baseURL string) {
	entries := m.read()
	if _, known := entries[baseURL]; known {
		delete(entries, baseURL)
		m.write(entries)
	}
}

// read returns the valid entries. Because credentials are sent to the addresses in the file, read ignores a file
// that others can access, and addresses that this program would not have stored.
func (m *memory) read() map[string]remembered {
	entries := map[string]remembered{}
	info, err := os.Stat(m.path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return entries
	}
	text, err := readFile(m.path, maxMemoryFile)
	if err != nil || json.Unmarshal(text, &entries) != nil || entries == nil {
		return map[string]remembered{}
	}
	now := time.Now().Unix()
	maps.DeleteFunc(entries, func(base string, e remembered) bool {
		clean, err := auth.CleanBaseURL(e.Canonical)
		return err != nil || clean != e.Canonical || strings.HasPrefix(base, "https:") && !strings.HasPrefix(clean, "https:") ||
			e.Until <= now || e.Until > now+int64(memoryTime.Seconds())
	})
	return entries
}

// write replaces the file.
func (m *memory) write(entries map[string]remembered) {
	text, err := json.Marshal(entries)
	if err != nil || os.MkdirAll(filepath.Dir(m.path), 0o700) != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(m.path), "connections-*") // with mode 0600
	if err != nil {
		return
	}
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), m.path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
}
