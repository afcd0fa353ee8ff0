package command

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// PrintSettings writes the values in force of all settings to Out, as a configuration file that
// reads back as the same settings. A comment at each value names its source. Passwords are left
// out.
func (inv *Invocation) PrintSettings(s *Settings, title string) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", title)
	section := ""
	for _, d := range s.listed(inv.Parsed.Command.Flags) {
		if d.Category != section {
			section = d.Category
			fmt.Fprintf(&out, "\n# %s %s\n", section, strings.Repeat("-", max(3, 80-len(section))))
		}
		note := Printable(inv.Source(d.Name).String())
		values := slices.Clone(inv.values(d))
		if d.Masked && strings.Join(values, "") != "" {
			values, note = []string{""}, note+"; a secret, left out"
		}
		for i, value := range values {
			if without, secret := withoutPassword(value); secret {
				values[i], note = without, note+"; without its password"
			}
		}
		line, err := toml.Marshal(map[string]any{d.Name: settingOf(d, values)})
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "\n%s%s  # %s\n", comment(d), bytes.TrimRight(line, "\n"), note)
	}
	return Write(inv.Out, out.Bytes())
}

// settingOf returns the value of a setting as the file states it.
func settingOf(d description, values []string) any {
	switch {
	case d.many:
		return append([]string{}, values...)
	case d.placeholder == "":
		return values[0] == "true"
	}
	if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && strconv.FormatInt(n, 10) == values[0] {
		return n
	}
	return values[0]
}

// comment writes what a flag is about, in lines of a comment.
func comment(d description) string {
	text := d.Usage
	if len(d.Choices) > 0 {
		text += " One of " + strings.Join(d.Choices, ", ") + "."
	}
	var out strings.Builder
	line := "#"
	for _, word := range strings.Fields(Printable(text)) {
		if len(line)+1+len(word) > 92 {
			out.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	out.WriteString(line + "\n")
	return out.String()
}

// secretArguments are the arguments of a database address that are secrets.
var secretArguments = [...]string{"password", "sslpassword"}

// withoutPassword removes the passwords from a value that is an address. It reports whether there
// were any.
func withoutPassword(value string) (without string, secret bool) {
	if !strings.Contains(value, "://") {
		return value, false
	}
	u, err := url.Parse(value)
	if err != nil { // it may hold a password all the same
		return "", true
	}
	if _, set := u.User.Password(); set {
		u.User, secret = url.User(u.User.Username()), true
	}
	query := u.Query()
	for _, name := range secretArguments {
		if query.Has(name) {
			query.Del(name)
			secret = true
		}
	}
	if !secret {
		return value, false
	}
	u.RawQuery = query.Encode()
	return u.String(), true
}
