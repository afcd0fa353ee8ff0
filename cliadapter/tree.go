package cliadapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/outline"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// maxDepth bounds the depth of a tree, so that a picture of it has a width.
const maxDepth = 1000

func (c builder) treeCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "tree", Category: groupQuery, Usage: "Draw what is below a code",
		Description: "Draws the concepts below a code as a tree; without CODE, those below the roots. Where a concept is closed, the " +
			"line states how many are below it. A concept with several parents is opened once, and its other parents are named.\n\n" +
			shortNames + "\n\n" +
			"With --output json, the result has nested concept arrays. children and descendants are the numbers in the code system, and " +
			"more is the number of children that --limit leaves out.",
		Flags: slices.Concat(c.systemOptions(), []cli.Flag{
			&cli.StringFlag{Name: "depth", Value: "2", Usage: "`N` Levels below the code."},
			&cli.StringFlag{Name: "limit", Value: "200", Usage: "`N` Largest number of concepts to show. Upper levels come first."},
		}, sourceOptions(), outputOptions()),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{c.codeArgument(false, "The concept at the top.")},
		Examples: []string{
			"roget tree mammal --system animals",
			"roget tree --system animals --depth 1",
			"roget tree A00-A09 --system icd-10-cm --depth 3 --limit 1000",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			depth, err := inv.Integer("depth", 0)
			if err != nil {
				return err
			}
			limit, err := inv.Integer("limit", 1)
			if err != nil {
				return err
			}
			return inv.hierarchy(ctx, func(x *codesystem.Index, code string) error {
				top := x.Roots().ToArray()
				if code != "" {
					o, err := concept(x, code)
					if err != nil {
						return err
					}
					top = []codesystem.Ord{o}
				}
				t, err := outline.Below(ctx, x, top, min(depth, maxDepth), limit)
				if err != nil {
					return err
				}
				if inv.Text("output") == "json" {
					return inv.WriteValue(t)
				}
				return inv.WriteLines(canonicalOf(x), t.Lines(), command.Counted(t.Shown, "concept"))
			})
		}),
	})
}

func (c builder) ancestorsCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "ancestors", Category: groupQuery, Usage: "Draw what is above a code",
		Description: "Draws one path from a root to a code, and lists the parents beside the path (↖) and the other ancestors.\n\n" +
			shortNames + "\n\n" +
			"With --output json, path has the concepts of the path, each with its otherParents, and otherAncestors the ancestors that are not on it.",
		Flags: slices.Concat(c.systemOptions(), []cli.Flag{
			&cli.StringFlag{Name: "limit", Value: "200", Usage: "`N` Largest number of other ancestors to list."},
		}, sourceOptions(), outputOptions()),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{c.codeArgument(true, "The concept at the bottom.")},
		Examples: []string{
			"roget ancestors sheepdog --system animals",
			"roget ancestors A00.0 --system icd-10-cm --output json",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			limit, err := inv.Integer("limit", 0)
			if err != nil {
				return err
			}
			return inv.hierarchy(ctx, func(x *codesystem.Index, code string) error {
				o, err := concept(x, code)
				if err != nil {
					return err
				}
				a := outline.Above(x, o, limit)
				if inv.Text("output") == "json" {
					return inv.WriteValue(a)
				}
				return inv.writeAncestry(x, a)
			})
		}),
	})
}

// writeAncestry prints the path, and the other ancestors below it.
func (inv *invocation) writeAncestry(x *codesystem.Index, a *outline.Ancestry) error {
	total := fmt.Sprintf("%s, %s on this path", command.Counted(a.Ancestors, "ancestor"), engine.Thousands(len(a.Path)-1))
	if err := inv.WriteLines(canonicalOf(x), a.Lines(), total); err != nil || len(a.Others) == 0 {
		return err
	}
	t := &engine.Table{Header: []string{"OTHER", "DISPLAY"}}
	for _, r := range a.Others {
		t.Rows = append(t.Rows, []string{r.Code, r.Display})
	}
	if a.More > 0 {
		t.Footer = engine.Thousands(a.More) + " more"
	}
	return inv.WriteTable(t)
}

// hierarchy passes the code system and code of a command to show.
func (inv *invocation) hierarchy(ctx context.Context, show func(x *codesystem.Index, code string) error) error {
	code := ""
	if args := inv.Args(); len(args) > 0 {
		code = args[0]
	}
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		x, err := inv.index(eng, code)
		if err != nil {
			return err
		}
		return show(x, code)
	})
}
