package policy

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// lines are those of a file. The library that reads TOML does not keep where values stood.
type lines []string

// find returns the number of the first line of a rule that has a text, else of the first with the key,
// else of the head of the rule.
func (l lines) find(rule int, key, text string) int {
	head, withKey := 0, 0
	for i, line := range l {
		if n := strings.TrimSpace(line); strings.HasPrefix(n, "[") && strings.Contains(strings.ReplaceAll(n, " ", ""), "[[rule]]") {
			if rule--; rule == -1 {
				head = i + 1
			}
		}
		switch {
		case rule > -1:
			continue
		case rule < -1:
			return max(head, withKey)
		case text != "" && strings.Contains(line, text):
			return i + 1
		case key != "" && withKey == 0 && strings.HasPrefix(strings.TrimLeft(line, " \t\"'"), key):
			withKey = i + 1
		}
	}
	return max(head, withKey, 1)
}

// key returns the number of the first line with a key.
func (l lines) key(k toml.Key) int {
	last := k[len(k)-1]
	for i, line := range l {
		if name := strings.TrimLeft(line, " \t[\"'"); strings.HasPrefix(name, last) || strings.HasPrefix(name, k.String()) {
			return i + 1
		}
	}
	return 1
}
