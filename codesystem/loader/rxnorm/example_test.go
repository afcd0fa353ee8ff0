package rxnorm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rxnorm"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "rxnorm")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	names := "900001|ENG||||||A1||||RXNORM|IN|900001|luminol||N||\n"
	if err := os.WriteFile(filepath.Join(dir, "RXNCONSO.RRF"), []byte(names), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	var sink collected // a loader.Sink
	if err := rxnorm.Load(context.Background(), dir, loader.Options{}, &sink); err != nil {
		fmt.Println(err)
		return
	}
	o, _ := sink.index.Find("900001")
	fmt.Println(sink.index.Display(o), sink.index.HasProperty(o, "TTY", "IN"))
	// Output: luminol true
}
