// Package storetest contains the tests that every token store passes.
package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/auth"
)

// A Store is a token store under test.
type Store interface {
	auth.TokenStore
	auth.Locker
	Delete(ctx context.Context, key string) error
}

// plant is a secret that neither an encrypted file nor an error may show.
const plant = "Sw0rdfish"

// Contract tests a store in a folder. open returns a new store for the folder at each call.
func Contract(t *testing.T, open func(folder string) Store) {
	folder := filepath.Join(t.TempDir(), "new folder")
	store := open(folder)
	if got, err := store.Get(t.Context(), "profile:a"); got != nil || err != nil {
		t.Errorf("no token: %v, %v", got, err)
	}
	if err := store.Delete(t.Context(), "profile:a"); err != nil {
		t.Errorf("delete of no token: %v", err)
	}
	full := &auth.OAuth2Token{AccessToken: auth.NewSecret(plant), RefreshToken: auth.NewSecret(plant + "'\"\n\x00é"), ExpiresAt: 1_800_000_000.25, BaseURL: "https://p.example/ctx", ClientID: "c"}
	bare := &auth.OAuth2Token{AccessToken: auth.NewSecret("b")}
	keys := map[string]*auth.OAuth2Token{"profile:a": full, "https://p.example:c'; --": bare, "": full, strings.Repeat("k", 5000): bare}
	for key := range keys {
		for _, token := range []*auth.OAuth2Token{bare, full, keys[key]} {
			if err := store.Set(t.Context(), key, token); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := open(folder)
	for key, want := range keys {
		got, err := other.Get(t.Context(), key)
		if err != nil || !equal(got, want) {
			t.Errorf("%.40q: %v, %v", key, got, err)
		}
	}
	if err := store.Delete(t.Context(), "profile:a"); err != nil {
		t.Error(err)
	}
	if got, err := other.Get(t.Context(), "profile:a"); got != nil || err != nil {
		t.Errorf("deleted by another: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.Get(ctx, "profile:b")
	_, lockErr := store.Lock(ctx, "profile:b")
	for _, err := range []error{err, lockErr, store.Set(ctx, "profile:b", full), store.Delete(ctx, "profile:b")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
	modes(t, folder)
	locks(t, store, other)
	var group sync.WaitGroup
	for _, each := range []Store{store, other, store, other} {
		group.Go(func() {
			for range 10 {
				if err := each.Set(t.Context(), "profile:a", full); err != nil {
					t.Error(err)
				}
				if got, err := each.Get(t.Context(), "profile:a"); err != nil || !equal(got, full) {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}

func equal(a, b *auth.OAuth2Token) bool {
	return a != nil && b != nil && a.AccessToken.Equal(b.AccessToken) && a.RefreshToken.Equal(b.RefreshToken) &&
		a.ExpiresAt == b.ExpiresAt && a.BaseURL == b.BaseURL && a.ClientID == b.ClientID
}

// modes checks that only the user may access the folder and the files.
func modes(t *testing.T, folder string) {
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// locks checks that the lock of a key excludes other processes, and that another key has another
// lock.
func locks(t *testing.T, store, other Store) {
	unlock, err := store.Lock(t.Context(), "profile:a")
	if err != nil {
		t.Fatal(err)
	}
	if free, err := other.Lock(t.Context(), "profile:b"); err != nil {
		t.Error(err)
	} else {
		free()
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := other.Lock(ctx, "profile:a")
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the lock was held twice: %v", err)
	}
	unlock()
	again, err := other.Lock(t.Context(), "profile:a")
	if err != nil {
		t.Fatal(err)
	}
	again()
}
