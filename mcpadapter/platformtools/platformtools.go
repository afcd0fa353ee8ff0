// Package platformtools has the tools with which an assistant works on a health information
// platform: a DHIS2-compatible server, majors 41 to 43. They do what the commands of the
// platform do, as the user of a profile. Platform toolkit, sections 6.1 and 6.2.
//
// No tool adds, changes, removes or shows a credential. With ReadOnly there are only tools
// that read. The scanner of package audit has no tools: it takes minutes and writes files. Its
// newest report is a resource.
package platformtools

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Config is what the tools need from outside. The zero Config is the running process.
type Config struct {
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
	// Folder is where to look for the profiles of a project, Home the user's home directory;
	// those of the process where empty.
	Folder, Home string
	// Transport sends requests to the platform; nil for the default one.
	Transport http.RoundTripper
	// Profile is the profile of calls that name none.
	Profile string
	// ReadOnly leaves out the tools that change something.
	ReadOnly bool
	// Version of this program, for the platform's logs.
	Version string
	// Logger writes what happens; nil discards it.
	Logger *slog.Logger
}

const (
	// MaxAnswer is the size of the largest answer of a tool, in bytes of JSON.
	MaxAnswer = 48_000
	budget    = 46_000
	callTime  = 120 * time.Second
)

// Tools are the tools of the platform. They are safe for concurrent use.
type Tools struct {
	config  Config
	clients clients
}

// New returns the tools.
func New(config Config) *Tools {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Tools{config: config}
}

// Name is the name of the toolset.
func (t *Tools) Name() string { return "platform" }

// Instructions tell an assistant how the tools go together.
func (t *Tools) Instructions() string {
	text := "Platform (DHIS2): every tool takes profile, the name of a server and account; profile_list lists them, and without it the default counts. " +
		"Prefer fields (id,name,userRoles[id]), filters (property:operator:value), order (property:asc) and small pages to whole objects; a page has 50 objects unless page_size says otherwise. " +
		"user chooses the data store of the account instead of the shared one. patch has operations of RFC 6902. path and directory are files of the machine that this server runs on."
	if t.config.ReadOnly {
		return text + " Tools that change something are switched off."
	}
	return text + " Tools without the read-only mark change the server: use them only when the user asked for the change."
}

// Add registers the tools.
func (t *Tools) Add(s *mcp.Server) error {
	if err := t.bind(); err != nil {
		return err
	}
	r := &registry{server: s, tools: t}
	addSecurity(r)
	addProfiles(r)
	addSystem(r)
	addDatastore(r)
	addApps(r)
	addHub(r)
	addRoutes(r)
	addUsers(r)
	addGroups(r)
	addRoles(r)
	addCustomize(r)
	addMetadata(r)
	t.addAudit(s)
	return nil
}
