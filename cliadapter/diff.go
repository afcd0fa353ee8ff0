package cliadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/changes"
)

func (c builder) diffCommand() *cli.Command {
	output := outputOptions()
	output[0].(*command.Flag).Usage = "`FORMAT` Output format: table for people; csv, a row for each difference; json."
	output[0].(*command.Flag).Choices = []string{"table", "csv", "json"}
	return c.Add(&cli.Command{
		Name: "diff", Category: groupQuery, Usage: "List the differences between two versions, or two value sets",
		Description: "Lists which codes were removed (-) and added (+), and what is different about the codes of both (~). For code systems, that " +
			"is the display, the status, whether the concept is abstract, the definition, the parents, the properties, and where case does not matter, the spelling of the code. " +
			"For value sets, it is the display, the status, and whether it is abstract; a code counts once for all versions of its system. " +
			"Codes are listed in the order of their code systems.\n\n" +
			"The exit code is 0 if nothing is different, 1 if something is, 2 for wrong usage and 3 for a failure, such as a version that is not loaded.\n\n" +
			shortNames + " A name of both a code system and a value set is that of the code system, unless --type says otherwise.",
		Flags: slices.Concat([]cli.Flag{
			&command.Flag{StringFlag: cli.StringFlag{Name: "type", Usage: "`TYPE` What to compare. By default what the names stand for."}, Choices: kinds[:2]},
			&cli.StringFlag{Name: "limit", Value: "1000000", Usage: "`N` Largest number of codes of a value set."},
		}, sourceOptions(), output),
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{
			{Name: "OLD", Required: true, Usage: "Code system or value set, as url, url|version or a short name.", Complete: c.completeEither},
			{Name: "NEW", Required: true, Usage: "The same to compare it with.", Complete: c.completeEither},
		},
		Examples: []string{
			"roget diff 'icd-10-cm|2025' 'icd-10-cm|2026'",
			"roget diff pets four-legged",
			"roget diff 'animals?fhir_vs=isa/pet' pets --output csv > differences.csv",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			limit, err := inv.Integer("limit", 1)
			if err != nil {
				return err
			}
			return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
				list, err := inv.compare(ctx, eng, limit)
				if err != nil {
					return err
				}
				if err := inv.writeChanges(list); err != nil {
					return err
				}
				if !list.Same() {
					return command.ErrNo
				}
				return nil
			})
		}),
	})
}

// completeEither completes the canonical of a code system or value set.
func (c builder) completeEither(ctx context.Context, typed *command.Typed) []command.Candidate {
	return append(c.completeNames(kinds[0])(ctx, typed), c.completeNames(kinds[1])(ctx, typed)...)
}

// compare compares what the arguments name.
func (inv *invocation) compare(ctx context.Context, eng *engine.Engine, limit int) (*changes.List, error) {
	d := newDictionary(eng)
	kind := inv.kindOf(d, inv.Args())
	var canonicals [2]string
	for i, what := range [...]string{"OLD", "NEW"} {
		var err error
		if canonicals[i], err = inv.resolve(d, what, kind, inv.Args()[i]); err != nil {
			return nil, err
		}
	}
	if kind == kinds[0] {
		return compareSystems(ctx, eng, canonicals)
	}
	return compareSets(ctx, eng, canonicals, limit)
}

// kindOf returns the type of what is compared: that of --type, or that of the first name. A name of
// both is that of the code system, unless that is a guess from a part of it.
func (inv *invocation) kindOf(d *dictionary, args []string) string {
	if inv.IsSet("type") {
		return inv.Text("type")
	}
	if slices.ContainsFunc(args, func(text string) bool { return strings.Contains(text, "?fhir_") }) {
		return kinds[1]
	}
	system, guessed, err := d.find(kinds[0], args[0])
	if err == nil {
		url, version, _ := strings.Cut(system, "|")
		_, _, err = d.eng.Hierarchy(url, version)
	}
	_, less, setErr := d.find(kinds[1], args[0])
	switch {
	case setErr != nil: // of two errors, the one about code systems says more
		return kinds[0]
	case errors.Is(err, engine.ErrUnknownSystem), guessed != "" && less == "":
		return kinds[1]
	}
	return kinds[0]
}

// compareSystems compares two versions of a code system.
func compareSystems(ctx context.Context, eng *engine.Engine, canonicals [2]string) (*changes.List, error) {
	old, err := indexOf(eng, canonicals[0])
	if err != nil {
		return nil, err
	}
	current, err := indexOf(eng, canonicals[1])
	if err != nil {
		return nil, err
	}
	return changes.Systems(ctx, old, current)
}

// compareSets compares two value sets.
func compareSets(ctx context.Context, eng *engine.Engine, canonicals [2]string, limit int) (*changes.List, error) {
	var members [2][]changes.Member
	for i := range canonicals {
		var err error
		if members[i], err = membersOf(ctx, eng, &canonicals[i], limit); err != nil {
			return nil, explain(err, eng)
		}
	}
	return changes.Sets(canonicals[0], members[0], canonicals[1], members[1]), nil
}

// pageOfMembers is the number of codes that are read at once.
const pageOfMembers = 10_000

// errUnlisted is the error about value sets whose codes cannot all be listed.
var errUnlisted = errors.New("not all of its codes can be listed; roget compare says how two such value sets relate")

// membersOf returns the codes of a value set, and adds the version that was found to its canonical.
func membersOf(ctx context.Context, eng *engine.Engine, name *string, limit int) (list []changes.Member, err error) {
	once, canonical := true, *name
	for {
		offset, count := len(list), pageOfMembers
		r, err := eng.Expand(ctx, &engine.ExpandRequest{URL: canonical, Offset: &offset, Count: &count, VersionsMatch: &once})
		switch {
		case err != nil:
			return nil, err
		case r.Unclosed != "" || r.Endless || r.Composes || r.Incomplete:
			return nil, fmt.Errorf("%s: %w", canonical, errUnlisted)
		case r.Total > limit:
			return nil, fmt.Errorf("%s has %s codes, more than --limit %d: %w", canonical, engine.Thousands(r.Total), limit, engine.ErrTooCostly)
		}
		for i := range r.Entries {
			e := &r.Entries[i]
			list = append(list, changes.Member{Concept: changes.Concept{System: e.System, Code: e.Code, Display: e.Display}, Inactive: e.Inactive, Abstract: e.Abstract})
		}
		if len(r.Entries) == 0 || len(list) >= r.Total {
			if v := r.ValueSet.Version; v != "" && !strings.ContainsAny(canonical, "|?") {
				*name = canonical + "|" + v
			}
			return list, nil
		}
	}
}

func (inv *invocation) writeChanges(list *changes.List) error {
	switch inv.Text("output") {
	case "json":
		return inv.WriteValue(list)
	case "csv":
		var out bytes.Buffer
		if err := list.WriteCSV(&out); err != nil {
			return err
		}
		return inv.writeCSV(out.String())
	}
	return inv.WriteLines(list.Kind, list.Lines(), list.Total())
}

// writeCSV writes rows; to a terminal, which would obey what is in a display, line by line.
func (inv *invocation) writeCSV(text string) error {
	if inv.OutTerminal {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			if line, end := strings.CutSuffix(line, "\n"); end {
				lines[i] = command.Printable(line) + "\n"
			}
		}
		text = strings.Join(lines, "")
	}
	return command.Write(inv.Out, []byte(text))
}
