package closure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/roget-health/roget/access"
)

// journalOf returns the journal of the table that a context has under a name. Where requests need
// grants, each principal has tables of its own: the name of one cannot be guessed by another, and
// says nothing about which tables there are.
func journalOf(ctx context.Context, name string) string {
	if access.GrantOf(ctx) == nil {
		return journalPrefix + name
	}
	owner := ""
	if p := access.PrincipalOf(ctx); p != nil {
		owner = p.Issuer + "\x00" + p.Subject + "\x00" + p.Client
	}
	sum := sha256.Sum256([]byte(owner))
	return journalPrefix + hex.EncodeToString(sum[:16]) + "/" + name
}
