package login_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
)

// A program sends requests with the credentials of the user's profile.
func ExampleBuildAuth() {
	platform := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.URL.Path, r.Header.Get("Authorization"))
	}))
	defer platform.Close()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()

	// The same as `profile add`. The zero Options are the user's files and environment.
	profiles, err := profile.Open(profile.Options{Folder: folder, Home: folder, Getenv: func(string) string { return "" }})
	if err != nil {
		log.Fatal(err)
	}
	_, err = profiles.Add(ctx, profile.Global, "prod", profile.Profile{
		BaseURL: platform.URL, Auth: profile.PAT, Token: auth.NewSecret("d2pat_example"),
	}, false)
	if err != nil {
		log.Fatal(err)
	}

	chosen, err := profiles.Resolve("")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chosen.Name, chosen.Source, chosen.Profile.Token)
	provider, err := login.BuildAuth(chosen, login.Options{})
	if err != nil {
		log.Fatal(err)
	}
	headers, err := provider.Headers(ctx)
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, chosen.Profile.BaseURL+"/api/me", nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	// Output:
	// prod global-toml **********
	// /api/me ApiToken d2pat_example
}
