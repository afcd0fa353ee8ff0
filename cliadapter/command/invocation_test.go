package command

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// TestParsedFlags checks what a command sees of its flags: each form of writing them,
// values with commas, and flags that were not given.
func TestParsedFlags(t *testing.T) {
	type seen struct {
		Many, Args      []string
		One, Absent     string
		On, Off, Unset  bool
		OneSet, NoneSet bool
	}
	var got seen
	p := &Program{
		Getenv: func(string) string { return "" },
		Root: func(t *Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: []*cli.Command{t.Add(&cli.Command{Name: "try", Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "many", Aliases: []string{"m"}},
				&cli.StringFlag{Name: "one", Aliases: []string{"o", "ONE"}},
				&cli.StringFlag{Name: "absent"},
				&cli.BoolFlag{Name: "on"},
				&cli.BoolFlag{Name: "off"},
				&cli.BoolFlag{Name: "unset"},
				&cli.StringFlag{Name: "output"},
			}}, Details{Args: []Argument{{Name: "WORD", Many: true}}, Run: func(ctx context.Context, inv *Invocation) error {
				got = seen{
					Many: inv.List("many"), Args: inv.Args(),
					One: inv.Text("one"), Absent: inv.Text("absent"),
					On: inv.Is("on"), Off: inv.Is("off"), Unset: inv.Is("unset"),
					OneSet: inv.Given("one"), NoneSet: inv.Given("absent") || inv.Given("nowhere"),
				}
				return ctx.Err()
			}})}}
		},
	}
	want := seen{
		Many: []string{"a,in,b", "c", "-5"}, Args: []string{"x", "-1", "--on"},
		One: "a=b", On: true, OneSet: true,
	}
	line := []string{"try", "x", "-m", "a,in,b", "--many= c ", "--on", "-1", "--ONE", "a=b", "-m=-5", "--off=false", "--", "--on"}
	if code := p.Run(t.Context(), line, Streams{Out: io.Discard, Err: io.Discard}); code != 0 {
		t.Fatal(code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
