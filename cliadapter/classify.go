package cliadapter

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
)

func (c builder) classifyCommand() *cli.Command {
	output := outputOptions()
	output[0].(*command.Flag).Usage = "`FORMAT` Output format: table for people; tsv, a row for each fact; json; rf2, the inferred is-a relationships as rows of RF2."
	output[0].(*command.Flag).Choices = []string{"table", "tsv", "json", "rf2"}
	return c.Add(&cli.Command{
		Name: "classify", Category: groupData, Usage: "Infer what follows from the definitions of an ontology",
		Description: "Reads the definitions of an ontology and infers its hierarchy. Prints the direct parents that follow and were not stated " +
			"(below), classes that mean the same (equivalent), and classes that can have no instance (unsatisfiable).\n\n" +
			"Sources are releases of SNOMED CT in RF2 with their OWL expression reference set, OBO files and OBO graphs, and OWL in " +
			"functional syntax (.ofn). All paths make one ontology.\n\n" +
			"What is inferred is what OWL 2 EL allows: conjunctions, existential restrictions, hierarchies and chains of roles, transitive and " +
			"reflexive roles, domains, ranges, disjointness, and literals. Axioms beyond that are left out, with a warning.\n\n" +
			"With --output rf2, all direct parents are printed, without identifiers, dates and modules, for what assigns these. " +
			"A class that can have no instance has no row there.\n\n" +
			"The exit code is 0, 1 if a class can have no instance, 2 for wrong usage and 3 for a failure.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "Print all direct parents, not only those that were not stated."},
		}, output...),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "PATH", Required: true, Many: true, Usage: "File, folder or archive to read."}},
		Examples: []string{
			"roget classify hp.obo",
			"roget classify SnomedCT_International.zip SnomedCT_Extension/",
			"roget classify hp.obo --output tsv > inferred.tsv",
			"roget classify SnomedCT_International.zip --output rf2 > relationships.txt",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.classify(ctx) }),
	})
}

func (inv *invocation) classify(ctx context.Context) error {
	if err := filesOnly(inv.Args()); err != nil {
		return err
	}
	obs := inv.observer()
	defer obs.finish()
	o := classify.New()
	err := formats.Axioms(ctx, inv.Args(), loader.Options{Progress: obs.Progress, Warn: obs.Warned}, o)
	if err != nil {
		return err
	}
	x, err := o.Classify(ctx, classify.Options{Workers: runtime.GOMAXPROCS(0), Progress: func(done, total int) {
		if obs.bars {
			obs.say(fmt.Sprintf("classifying: %s of %s classes", engine.Thousands(done), engine.Thousands(total)))
		}
	}})
	if err != nil {
		return err
	}
	obs.finish()
	var names []string
	for name, n := range o.Ignored {
		names = append(names, fmt.Sprintf("%s (%s)", name, engine.Thousands(n)))
	}
	if slices.Sort(names); names != nil {
		obs.Warned("left out, because they are beyond OWL 2 EL, are axioms with " + strings.Join(names, ", "))
	}
	if err := inv.writeInferred(o, x); err != nil {
		return err
	}
	if len(x.Unsatisfiable) > 0 {
		return command.ErrNo
	}
	return nil
}

// An inferred is the answer of roget classify.
type inferred struct {
	Classes       int              `json:"classes"`
	Parents       int              `json:"parents"` // direct ones
	Below         [][]inferredCode `json:"below"`   // class, direct parent
	Equivalent    [][]inferredCode `json:"equivalent,omitempty"`
	Unsatisfiable []inferredCode   `json:"unsatisfiable,omitempty"`
	Ignored       map[string]int   `json:"ignored,omitempty"`
}

type inferredCode struct {
	Code    string `json:"code"`
	Display string `json:"display,omitempty"`
}

func (inv *invocation) writeInferred(o *classify.Ontology, x *classify.Taxonomy) error {
	codes := func(classes ...classify.Expr) (list []inferredCode) {
		for _, c := range classes {
			list = append(list, inferredCode{x.Name(c), o.Labels[c]})
		}
		return list
	}
	form := inv.Text("output")
	a := &inferred{Classes: len(x.Classes), Below: [][]inferredCode{}, Unsatisfiable: codes(x.Unsatisfiable...), Ignored: o.Ignored}
	if m := x.Members(classify.Top); m != nil {
		a.Equivalent = append(a.Equivalent, codes(append([]classify.Expr{classify.Top}, m...)...))
	}
	var all [][2]classify.Expr
	for _, node := range x.Nodes() {
		for _, p := range x.Parents(node) {
			if p != classify.Top {
				all = append(all, [2]classify.Expr{node, p})
			}
		}
		if m := x.Members(node); len(m) > 1 {
			a.Equivalent = append(a.Equivalent, codes(m...))
		}
	}
	a.Parents = len(all)
	what := "in all"
	switch {
	case form == "rf2":
		return inv.writeRelationships(x, all)
	case !inv.Is("all"):
		all, what = x.Unstated(), "that follow and were not stated"
	}
	for _, p := range all {
		a.Below = append(a.Below, codes(p[:]...))
	}
	if form == "json" {
		return inv.WriteValue(a)
	}
	var rows [][]string
	row := func(relation string, c, other inferredCode) {
		rows = append(rows, []string{relation, c.Code, command.Printable(c.Display), other.Code, command.Printable(other.Display)})
	}
	for _, p := range a.Below {
		row("below", p[0], p[1])
	}
	for _, list := range a.Equivalent {
		for _, other := range list[1:] {
			row("equivalent", list[0], other)
		}
	}
	for _, c := range a.Unsatisfiable {
		row("unsatisfiable", c, inferredCode{})
	}
	if form == "tsv" {
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Comma = '\t'
		_ = w.Write([]string{"relation", "code", "display", "other", "otherDisplay"})
		_ = w.WriteAll(rows)
		return command.Write(inv.Out, out.Bytes())
	}
	return inv.WriteTable(&engine.Table{
		Header: []string{"RELATION", "CODE", "DISPLAY", "OTHER", "DISPLAY"}, Rows: rows,
		Footer: fmt.Sprintf("%s classes; direct parents %s: %s of %s; sets of equivalent classes: %s; unsatisfiable: %s", engine.Thousands(a.Classes),
			what, engine.Thousands(len(a.Below)), engine.Thousands(a.Parents), engine.Thousands(len(a.Equivalent)), engine.Thousands(len(a.Unsatisfiable))),
	})
}

// writeRelationships prints direct parents as rows of RF2: is a, inferred.
func (inv *invocation) writeRelationships(x *classify.Taxonomy, all [][2]classify.Expr) error {
	var out bytes.Buffer
	out.WriteString("id\teffectiveTime\tactive\tmoduleId\tsourceId\tdestinationId\trelationshipGroup\ttypeId\tcharacteristicTypeId\tmodifierId\r\n")
	for _, p := range all {
		for _, c := range x.Members(p[0]) {
			for _, parent := range x.Members(p[1]) {
				fmt.Fprintf(&out, "\t\t1\t\t%s\t%s\t0\t116680003\t900000000000011006\t900000000000451002\r\n", x.Name(c), x.Name(parent))
			}
		}
	}
	return command.Write(inv.Out, out.Bytes())
}
