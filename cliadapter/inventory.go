package cliadapter

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// kinds are the resource types of terminology, in the order they are listed.
var kinds = [...]string{"CodeSystem", "ValueSet", "ConceptMap"}

func (c builder) listCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "list", Category: groupData, Usage: "List the loaded code systems, value sets and concept maps",
		Description: "Lists the code systems, value sets and concept maps that queries use. The built-in ones of FHIR R4 are listed " +
			"only with --base.",
		Flags: inventoryOptions(),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "PATH", Many: true, Usage: "File, folder or archive to read; the same as --load."}},
		Examples: []string{
			"roget list",
			"roget list --data ./roget-data --output json",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			return inv.ask(ctx, inv.inventory(), func(eng *engine.Engine) error {
				return inv.writeListing(listing(eng))
			})
		}),
	})
}

// inventoryOptions are the flags of list and stats.
func inventoryOptions() []cli.Flag {
	base := &cli.BoolFlag{Name: "base", Usage: "Include the built-in code systems and value sets of FHIR R4."}
	return append(append(sourceOptions(), base), outputOptions()...)
}

// inventory returns the sources of list and stats.
func (inv *invocation) inventory() Sources {
	return Sources{Load: inv.Args(), Base: inv.Is("base")}
}

// A listed is one line of roget list.
type listed struct {
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	Version  string `json:"version,omitempty"`
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Content  string `json:"content,omitempty"`
	Concepts int    `json:"concepts"`
	Origin   string `json:"origin,omitempty"`
}

func listing(eng *engine.Engine) []listed {
	lines := []listed{}
	for _, kind := range kinds {
		for _, e := range eng.Entries(kind) {
			lines = append(lines, listed{
				Kind: kind, URL: e.Header.URL, Version: e.Header.Version, ID: e.Header.ID,
				Name: e.Header.Name, Content: e.Content, Concepts: e.Concepts, Origin: e.Origin,
			})
		}
	}
	return lines
}

func (inv *invocation) writeListing(lines []listed) error {
	if inv.Text("output") == "json" {
		return inv.WriteValue(lines)
	}
	t := &engine.Table{Header: []string{"KIND", "URL", "VERSION", "ID", "CONCEPTS", "ORIGIN"}}
	if len(lines) == 0 {
		t = &engine.Table{Footer: "no code system, value set or concept map"}
	}
	for _, l := range lines {
		concepts := ""
		if l.Kind == kinds[0] {
			concepts = engine.Thousands(l.Concepts)
		}
		t.Rows = append(t.Rows, []string{l.Kind, l.URL, l.Version, l.ID, concepts, l.Origin})
	}
	return inv.WriteTable(t)
}

func (c builder) statsCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "stats", Category: groupData, Usage: "Print statistics of code systems: concepts, edges, depth and closure",
		Description: "Prints one row for each code system, with the number of concepts, active concepts, is-a edges and roots, the " +
			"length of the longest path from a root, the mean and the largest number of ancestors, and the number of pairs of a " +
			"concept and its ancestor (the closure). All numbers except the first count active concepts only.\n\n" +
			"With --output json, the result is an array of objects with the keys url, version, concepts, active, edges, roots, " +
			"maxDepth, meanAncestors, maxAncestors and closurePairs. Code systems with reference sets also have refsets, members " +
			"(rows of the reference sets) and droppedMembers (rows that refer to no concept).",
		Flags: inventoryOptions(),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "PATH", Many: true, Usage: "File, folder or archive to read; the same as --load."}},
		Examples: []string{
			"roget stats CodeSystem.json.gz",
			"roget stats --data ./roget-data --output json",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			return inv.ask(ctx, inv.inventory(), func(eng *engine.Engine) error {
				systems, err := eng.Systems(ctx)
				if err != nil {
					return err
				}
				rows := make([]codesystem.Stats, len(systems))
				for i, x := range systems {
					rows[i] = x.Stats()
				}
				return inv.writeStats(rows)
			})
		}),
	})
}

func (inv *invocation) writeStats(rows []codesystem.Stats) error {
	if inv.Text("output") == "json" {
		return inv.WriteValue(rows)
	}
	t := &engine.Table{Header: []string{
		"URL", "VERSION", "CONCEPTS", "ACTIVE", "EDGES", "ROOTS", "MAX DEPTH",
		"MEAN ANCESTORS", "MAX ANCESTORS", "CLOSURE PAIRS",
	}}
	if len(rows) == 0 {
		t = &engine.Table{Footer: "no code system"}
	}
	for _, s := range rows {
		t.Rows = append(t.Rows, []string{
			s.URL, s.Version, engine.Thousands(s.Concepts), engine.Thousands(s.Active), engine.Thousands(s.Edges), engine.Thousands(s.Roots),
			engine.Thousands(s.MaxDepth), strconv.FormatFloat(s.MeanAncestors, 'f', 2, 64),
			engine.Thousands(s.MaxAncestors), engine.Thousands(s.ClosurePairs),
		})
	}
	return inv.WriteTable(t)
}
