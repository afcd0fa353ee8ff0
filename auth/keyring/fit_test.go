package keyring

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/roget-health/roget/auth"
)

// TestFit: if the keyring limits the size, only the refresh token is stored.
func TestFit(t *testing.T) {
	token := &auth.OAuth2Token{AccessToken: auth.NewSecret(strings.Repeat("a", 3000)), RefreshToken: auth.NewSecret("r"), ExpiresAt: 1e12, BaseURL: "https://p.example", ClientID: "c"}
	room, stored := 2560, ""
	set := func(text string) error {
		if len(text) > room {
			return keyring.ErrSetDataTooBig
		}
		stored = text
		return nil
	}
	if err := fit(token, set); err != nil {
		t.Fatal(err)
	}
	got, err := auth.ParseToken([]byte(stored))
	if err != nil || got.Fresh(time.Now()) || !got.RefreshToken.Equal(token.RefreshToken) || got.BaseURL != token.BaseURL || got.ClientID != "c" {
		t.Errorf("stored %s, %v", stored, err)
	}
	room = 10
	if err := fit(token, set); !errors.Is(err, keyring.ErrSetDataTooBig) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("no room: %v", err)
	}
	token.RefreshToken = auth.Secret{}
	if room = 2560; !errors.Is(fit(token, set), keyring.ErrSetDataTooBig) {
		t.Error("a token without a refresh token was cut")
	}
}
