//go:build !unix

package sqlite_test

import "testing"

// asNobody is not reached: these systems have no superuser of number 0.
func asNobody(t *testing.T) { t.Helper(); t.Fatal("no users to change to") }
