package loinc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loinc"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "Loinc_2.99_*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	table := "LOINC_NUM,SYSTEM,STATUS,LONG_COMMON_NAME\n90001-9,Lamp,ACTIVE,Glow of lamp\n"
	path := filepath.Join(dir, "Loinc.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	var sink collected // a loader.Sink
	if err := loinc.Load(context.Background(), dir, loader.Options{}, &sink); err != nil {
		fmt.Println(err)
		return
	}
	o, _ := sink.index.Find("90001-9")
	fmt.Println(sink.index.URL(), sink.index.Version(), sink.index.Display(o), sink.index.HasProperty(o, "SYSTEM", "Lamp"))
	// Output: http://loinc.org 2.99 Glow of lamp true
}
