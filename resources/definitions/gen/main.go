// Gen writes the files of package definitions from the ndjson.gz files of the R4 core package: gen
// FOLDER [OUT]. The output is deterministic, except that another version of xz may pack the
// same content to other bytes.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER [OUT]")
		os.Exit(2)
	}
	out := filepath.Join("resources", "definitions")
	if len(os.Args) == 3 {
		out = os.Args[2]
	}
	if err := generate(os.Args[1], out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate reads the definitions in a folder and writes the files of the package to out.
func generate(folder, out string) error {
	resources, err := read(folder)
	if err != nil {
		return err
	}
	facts, err := tables(folder, resources)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "tables.tsv.lzma"), facts, 0o644); err != nil {
		return err
	}
	headers, documents, err := packAll(choose(resources))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "headers.tsv.lzma"), headers, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "documents.ndjson.lzma"), documents, 0o644)
}
