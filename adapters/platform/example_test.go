package platform_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

func ExampleConnect() {
	server := httptest.NewServer(platformtest.Unstarted(platformtest.Options{Major: 43}).Handler())
	defer server.Close()
	ctx := context.Background()

	token := auth.NewPAT(auth.NewSecret(platformtest.PAT))
	client, err := platform.Connect(ctx, server.URL, token, platform.Options{Retry: &platform.RetryPolicy{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	major, _ := client.Major()
	count, _ := client.Metadata().Count(ctx, "dataElements", platform.ListOptions{Filters: []string{"name:ilike:malaria"}})
	fmt.Println(major, count)

	_, err = client.Metadata().Count(ctx, "dataElement", platform.ListOptions{})
	fmt.Println(errors.Is(err, platform.ErrUnknownResource), err)
	// Output:
	// v43 2
	// true unknown type of resource: "dataElement"; did you mean dataElements, dataSets?
}
