package bridge

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
)

// The environment variables of the bridge. Platform toolkit, section 0.3.
const (
	ReadOnlyVariable       = "PLATFORM_MCP_READONLY"
	ProtectedHostsVariable = "PLATFORM_MCP_PROTECTED_HOSTS"
	TimeoutVariable        = "PLATFORM_MCP_CLI_TIMEOUT"
	BinaryVariable         = "PLATFORM_CLI_BIN"
)

// DefaultTimeout is how long a command may take.
const DefaultTimeout = 120 * time.Second

// publicHosts are the public demonstration servers of the platform, where nothing is
// written by default.
var publicHosts = [...]string{"play.dhis2.org", "play.im.dhis2.org", "debug.dhis2.org"}

// Config is what a bridge is made of.
type Config struct {
	// Tree returns the commands of the program that the bridge runs.
	Tree func() *command.Tree
	// Offered reports which commands may be run at all.
	Offered Filter
	// Profiles opens the profiles, of which the bridge reads the host of the server.
	Profiles func() (*profile.Registry, error)
	// LookupEnv reads the environment, in which an empty value differs from none.
	LookupEnv func(string) (string, bool)
	// Executable is the program of this process, where the program to run is looked for
	// first; "" if it is not known.
	Executable string
	// Name is the file name of the program in PATH.
	Name string
}

// A Bridge runs commands of the program. It is safe for concurrent use.
type Bridge struct {
	config    Config
	readOnly  bool
	protected []string
	timeout   time.Duration
}

// New returns a bridge with the settings of the environment. A setting that cannot be read is
// an error: a bridge that should only read must not write because of a typing mistake.
func New(config Config) (*Bridge, error) {
	b := &Bridge{config: config, protected: publicHosts[:], timeout: DefaultTimeout}
	switch text := strings.ToLower(config.getenv(ReadOnlyVariable)); text {
	case "1", "true", "yes", "on":
		b.readOnly = true
	case "", "0", "false", "no", "off":
	default:
		return nil, fmt.Errorf("%s is %q; write 1 for a bridge that only reads, or 0", ReadOnlyVariable, text)
	}
	if text, set := config.LookupEnv(ProtectedHostsVariable); set {
		b.protected = strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
	}
	if text := config.getenv(TimeoutVariable); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds > 0 && seconds <= 86400) {
			return nil, fmt.Errorf("%s is %q; write a number of seconds up to 86400", TimeoutVariable, text)
		}
		b.timeout = time.Duration(seconds * float64(time.Second))
	}
	return b, nil
}

func (c Config) getenv(name string) string {
	text, _ := c.LookupEnv(name)
	return text
}

// protectedHost returns the first of some hosts that is protected or below a protected host.
func (b *Bridge) protectedHost(hosts []string) (string, bool) {
	for _, host := range hosts {
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		if slices.ContainsFunc(b.protected, func(p string) bool { return host == p || strings.HasSuffix(host, "."+p) }) {
			return host, true
		}
	}
	return "", false
}

// profileHost returns the host of a profile's server, or nothing if it cannot be found: the
// program then says what is wrong.
func (b *Bridge) profileHost(name string) []string {
	registry, err := b.config.Profiles()
	if err != nil {
		return nil
	}
	chosen, err := registry.Resolve(name)
	if err != nil {
		return nil
	}
	u, err := url.Parse(chosen.Profile.BaseURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return []string{u.Hostname()}
}

// errNoBinary is returned when the program to run is not there.
var errNoBinary = errors.New("the program is not found")

// binary returns the program to run: that of PLATFORM_CLI_BIN, else this one, else that of
// PATH.
func (b *Bridge) binary() (string, error) {
	if path := b.config.getenv(BinaryVariable); path != "" {
		return path, nil
	}
	if b.config.Executable != "" {
		return b.config.Executable, nil
	}
	path, err := exec.LookPath(b.config.Name)
	if err != nil {
		return "", fmt.Errorf("%w: there is no %s in PATH; set %s to its path", errNoBinary, b.config.Name, BinaryVariable)
	}
	return path, nil
}
