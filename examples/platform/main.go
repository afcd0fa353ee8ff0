// Platform puts the codes of a value set where apps of a health information platform find
// them: the engine expands the value set, the client of the platform stores it in the data
// store.
//
//	cd examples/platform && PLATFORM_URL=https://platform.example.org PLATFORM_PAT=d2pat_... go run .
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/engine"
)

const valueSet = "https://roget.health/fhir/ValueSet/urgent-colours"

// publish stores the codes of the value set under codes/urgent-colours.
func publish(ctx context.Context, out io.Writer, url string, who auth.Provider) error {
	eng := engine.New()
	if err := eng.Load(ctx, "../samples"); err != nil {
		return err
	}
	page, err := eng.Expand(ctx, &engine.ExpandRequest{URL: valueSet})
	if err != nil {
		return err
	}
	client, err := platform.Connect(ctx, url, who, platform.Options{Retry: &platform.RetryPolicy{}})
	if err != nil {
		return err
	}
	me, err := client.System().Me(ctx)
	if err != nil {
		return err
	}
	rows := page.Table().Rows
	if err := client.Datastore().Set(ctx, "codes", "urgent-colours", rows); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s stored %d codes on %s\n", me.Username, len(rows), client.ServerVersion())
	return nil
}

func main() {
	// Profiles are those of the commands: roget profile add, PLATFORM_PROFILE, or an
	// address and a token in the environment.
	registry, err := profile.Open(profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	chosen, err := registry.Resolve("")
	if err != nil {
		log.Fatal(err)
	}
	who, err := login.BuildAuth(chosen, login.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := publish(context.Background(), os.Stdout, chosen.Profile.BaseURL, who); err != nil {
		log.Fatal(err)
	}
}
