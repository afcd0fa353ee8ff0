//go:build !unix

package sqlite_test

import "testing"

// asNobody is never called: these systems have no superuser with the number 0.
func asNobody(t *testing.T) { t.Helper(); t.Fatal("no users to change to") }
