package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// The codes are read back from the data store.
func Example() {
	server := httptest.NewServer(platformtest.Unstarted(platformtest.Options{}).Handler())
	defer server.Close()
	ctx, who := context.Background(), auth.NewPAT(auth.NewSecret(platformtest.PAT))
	if err := publish(ctx, os.Stdout, server.URL, who); err != nil {
		fmt.Println(err)
		return
	}
	client, err := platform.Connect(ctx, server.URL, who, platform.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	codes, err := client.Datastore().Get(ctx, "codes", "urgent-colours")
	fmt.Println(string(codes), err)
	// Output:
	// admin stored 2 codes on 2.42.4
	// [["red","Red (immediate)"],["orange","Orange: very soon"]] <nil>
}
