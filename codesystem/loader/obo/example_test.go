package obo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/obo"
	"github.com/roget-health/roget/resources/r4"
)

func ExampleLoad() {
	folder, err := os.MkdirTemp("", "obo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "animals.obo")
	err = os.WriteFile(path, []byte(`format-version: 1.4
ontology: animal
data-version: releases/2025-01-01

[Term]
id: ANIMAL:1
name: animal

[Term]
id: ANIMAL:2
name: cat
synonym: "house cat" EXACT []
is_a: ANIMAL:1 ! animal
`), 0o600)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := obo.Load(context.Background(), path, loader.Options{}, printer{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// http://purl.obolibrary.org/obo/animal.owl|2025-01-01
	// ANIMAL:1 animal
	// ANIMAL:2 cat
}

type printer struct{}

func (printer) CodeSystem(x *codesystem.Index, _ loader.Origin) error {
	fmt.Println(x.URL() + "|" + x.Version())
	for o, code := range x.Codes() {
		fmt.Println(code, x.Display(o))
	}
	return nil
}

func (printer) Document(string, *r4.Header, []byte, loader.Origin) error { return nil }
