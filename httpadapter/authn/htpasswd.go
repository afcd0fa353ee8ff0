package authn

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

const (
	// maxCost is the largest cost of a bcrypt hash. 2^15 rounds take about two seconds.
	maxCost = 15
	// maxPassword is the longest password in bytes. bcrypt ignores what follows.
	maxPassword = 72
)

// passwords are the hashes of a file in the form of htpasswd.
type passwords struct {
	byUser map[string][]byte
	// decoy is a hash that no password has, with the highest cost of the file. It is compared for
	// unknown users, so that they take as long as known ones.
	decoy []byte
}

// parsePasswords reads a file with the lines that htpasswd -B writes: a user, a colon and a hash.
func parsePasswords(path string, content []byte) (*passwords, error) {
	p := &passwords{byUser: map[string][]byte{}}
	cost := bcrypt.MinCost
	lines := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		user, hash, found := strings.Cut(line, ":")
		if !found || user == "" {
			return nil, fmt.Errorf("%s: line %d is not of the form user:hash", path, n)
		}
		own, err := bcrypt.Cost([]byte(hash))
		if err != nil || len(hash) != 60 {
			return nil, fmt.Errorf("%s: line %d: the hash of %q is not a bcrypt hash; make one with htpasswd -B", path, n, user)
		}
		if own > maxCost {
			return nil, fmt.Errorf("%s: line %d: the hash of %q has cost %d, more than %d; make one with htpasswd -B -C 10", path, n, user, own, maxCost)
		}
		if p.byUser[user] != nil {
			return nil, fmt.Errorf("%s: line %d: the user %q is there twice", path, n, user)
		}
		p.byUser[user], cost = []byte(hash), max(cost, own)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var err error
	p.decoy, err = bcrypt.GenerateFromPassword([]byte("nobody has this password"), cost)
	return p, err
}
