package platform

import "golang.org/x/crypto/bcrypt"

// HashQuickly makes a client hash client secrets as quickly as BCrypt does, for tests that
// are about something else: with the race detector a hash takes seconds.
func HashQuickly(c *Client) { c.hashCost = bcrypt.MinCost }
