// Package serverconfig reads the server configuration file of a platform for the security audit. A
// Config holds switches, scopes and whether confidential keys are set. It has no field for any other
// value, so it cannot carry a secret. Platform toolkit, section 5.11.
package serverconfig

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// MaxSize limits the configuration file, in bytes.
const MaxSize = 1 << 20

// ErrNotConfig is returned for a file without a line that assigns a value to a key.
var ErrNotConfig = errors.New("it has no line like key = value")

// A Config is the part of a server configuration that the audit reads.
type Config struct {
	Enabled            bool // system.audit.enabled
	Logger             bool // audit.logger
	Database           bool // audit.database
	InMemoryQueue      bool // audit.in_memory-queue.enabled
	ChangelogAggregate bool // changelog.aggregate
	Scopes             []Scope
	Unreadable         []Key // switches whose value is neither on nor off; their defaults apply
	Confidential       []Flag
}

// A Key is the name of a key that this package knows. Names from the file are never kept.
type Key string

// A Flag reports whether a confidential key has a value.
type Flag struct {
	Key Key
	Set bool
}

// A Scope is a part of the platform with the operations that are audited in it.
type Scope struct {
	Key        Key
	Explicit   bool // the file has it; otherwise the default applies
	Operations []Operation
}

// An Operation is a kind of access that can be audited.
type Operation string

// The operations.
const (
	Create   Operation = "CREATE"
	Read     Operation = "READ"
	Update   Operation = "UPDATE"
	Delete   Operation = "DELETE"
	Search   Operation = "SEARCH"
	Security Operation = "SECURITY"
)

var operations = []Operation{Create, Read, Update, Delete, Search, Security}

// Default returns the operations that a scope audits unless the file says otherwise.
func Default() []Operation { return []Operation{Create, Update, Delete, Security} }

// Missing returns the operations of Default that the scope does not audit.
func (s Scope) Missing() []Operation {
	return slices.DeleteFunc(Default(), func(o Operation) bool { return slices.Contains(s.Operations, o) })
}

var (
	scopes       = []Key{"audit.metadata", "audit.aggregate", "audit.tracker", "audit.api"}
	confidential = []Key{
		"encryption.password", "connection.password", "analytics.connection.password", "ldap.manager.password", "redis.password",
		"amqp.password", "oauth2.server.jwt.keystore.password", "oauth2.server.jwt.keystore.key-password", "system.monitoring.password",
	}
)

// Load reads the configuration file at a path.
func Load(path string) (*Config, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe may have no writer
		return nil, fmt.Errorf("server configuration %s: it is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("server configuration: %w", err)
	}
	defer file.Close()
	config, err := Parse(file)
	if err != nil {
		return nil, fmt.Errorf("server configuration %s: %w", path, err)
	}
	return config, nil
}

// Parse reads a configuration: Java properties of at most MaxSize bytes. Its errors contain nothing of
// the file.
func Parse(r io.Reader) (*Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("it is longer than %d bytes; pass the server configuration file alone", MaxSize)
	}
	c := &Config{Enabled: true, Logger: true, ChangelogAggregate: true}
	for _, key := range scopes {
		c.Scopes = append(c.Scopes, Scope{Key: key, Operations: Default()})
	}
	for _, key := range confidential {
		c.Confidential = append(c.Confidential, Flag{Key: key})
	}
	readable := 0
	for line := range logicalLines(text) {
		if key, value, ok := assignment(line); ok {
			readable++
			c.assign(Key(key), value)
		}
	}
	if readable == 0 {
		return nil, ErrNotConfig
	}
	return c, nil
}

// assign takes over a known key. The last value of a key counts.
func (c *Config) assign(key Key, value string) {
	if into := c.toggle(key); into != nil {
		c.Unreadable = slices.DeleteFunc(c.Unreadable, func(k Key) bool { return k == key })
		switch strings.ToLower(value) {
		case "on", "true":
			*into = true
		case "off", "false":
			*into = false
		case "":
		default:
			c.Unreadable = append(c.Unreadable, key)
		}
		return
	}
	if i := slices.Index(scopes, key); i >= 0 {
		c.Scopes[i] = scope(key, value)
	}
	if i := slices.Index(confidential, key); i >= 0 {
		c.Confidential[i].Set = value != ""
	}
}

// toggle returns the field of a key that is on or off, or nil.
func (c *Config) toggle(key Key) *bool {
	switch key {
	case "system.audit.enabled":
		return &c.Enabled
	case "audit.logger":
		return &c.Logger
	case "audit.database":
		return &c.Database
	case "audit.in_memory-queue.enabled":
		return &c.InMemoryQueue
	case "changelog.aggregate":
		return &c.ChangelogAggregate
	}
	return nil
}

// scope reads a matrix such as CREATE;UPDATE. Words that are no operations are ignored.
func scope(key Key, value string) Scope {
	s := Scope{Key: key, Explicit: true, Operations: []Operation{}}
	if value == "" {
		return Scope{Key: key, Operations: Default()}
	}
	for word := range strings.SplitSeq(value, ";") {
		word = strings.ToUpper(strings.TrimSpace(word))
		if word == "DISABLED" {
			return Scope{Key: key, Explicit: true, Operations: []Operation{}}
		}
		if o := Operation(word); slices.Contains(operations, o) && !slices.Contains(s.Operations, o) {
			s.Operations = append(s.Operations, o)
		}
	}
	return s
}

// assignment splits a line at its first = or :.
func assignment(line string) (key, value string, ok bool) {
	end := strings.IndexAny(line, "=:")
	if end < 0 {
		return "", "", false
	}
	key = strings.TrimSpace(line[:end])
	return key, strings.TrimSpace(line[end+1:]), key != ""
}

// logicalLines yields the lines of a properties file without comments. A line that ends with an odd
// number of backslashes continues on the next line, so that a part of a value is never taken for a key.
func logicalLines(text []byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, MaxSize+2)
		joined, continues := "", false
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if !continues && (line == "" || line[0] == '#' || line[0] == '!') {
				continue
			}
			body := strings.TrimRight(line, `\`)
			if continues = (len(line)-len(body))%2 == 1; continues {
				joined += line[:len(line)-1]
				continue
			}
			if !yield(joined + line) {
				return
			}
			joined = ""
		}
		if joined != "" {
			yield(joined)
		}
	}
}
