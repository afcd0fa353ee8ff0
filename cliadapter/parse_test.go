package cliadapter

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	cmd := &command{
		name: "try",
		args: []argument{{name: "WORD", many: true}},
		options: options{
			{names: []string{"many", "m"}, value: true, many: true},
			{names: []string{"one", "o"}, also: "ONE", value: true},
			{names: []string{"absent"}, value: true},
			{names: []string{"on"}},
			{names: []string{"off"}},
			{names: []string{"unset"}},
			{names: []string{"output"}, value: true},
		},
		run: func(ctx context.Context, inv *invocation) error {
			got = seen{
				Many: inv.list("many"), Args: inv.args(),
				One: inv.text("one"), Absent: inv.text("absent"),
				On: inv.is("on"), Off: inv.is("off"), Unset: inv.is("unset"),
				OneSet: inv.given("one"), NoneSet: inv.given("absent") || inv.given("nowhere"),
			}
			return ctx.Err()
		},
	}
	c := &CLI{config: Config{Getenv: func(string) string { return "" }}, commands: []*command{cmd}}
	want := seen{
		Many: []string{"a,in,b", "c", "-5"}, Args: []string{"x", "-1", "--on"},
		One: "a=b", On: true, OneSet: true,
	}
	line := []string{"try", "x", "-m", "a,in,b", "--many= c ", "--on", "-1", "--ONE", "a=b", "-m=-5", "--off=false", "--", "--on"}
	code, err := c.dispatch(context.Background(), line, Streams{Out: io.Discard, Err: io.Discard})
	if code != 0 || err != nil {
		t.Fatal(code, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
