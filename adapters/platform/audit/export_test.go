package audit

import "github.com/roget-health/roget/adapters/platform"

// ClientOf returns the client of a scanner, which sends through its guard.
func ClientOf(s *Scanner) *platform.Client { return s.client }
