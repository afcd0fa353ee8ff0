package cliadapter

import (
	"context"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// profileOptions are the flags of validate for profiles.
func profileOptions() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "`URL` Profile to check each resource against, besides those that it claims in meta.profile."},
		&cli.StringSliceFlag{Name: "load", Aliases: []string{"l"}, TakesFile: true, Usage: "`PATH` Package, folder or file with StructureDefinitions, value sets and code systems."},
		dataFlag("", "Data folder of roget load with other value sets and code systems."),
		&cli.BoolFlag{Name: "must-support", Usage: "Report absent elements that a profile marks as mustSupport."},
	}
}

// judging calls run with a function that checks resources against R4 and profiles, whose definitions
// and codes are those of --load and --data.
func (inv *invocation) judging(ctx context.Context, limits loader.Limits, run func(bulk.Judge) error) error {
	library := &profile.Library{}
	request := profile.Request{Profiles: inv.List("profile"), MustSupport: inv.Is("must-support")}
	judge := func(codes vocabulary) bulk.Judge {
		profiles := profile.New(definitions.R4(), library, codes)
		base := validate.New(definitions.R4(), validate.WithCodes(func(valueSet string) (r4.Codes, error) { return codes.CodesIn(ctx, valueSet) }),
			validate.WithSystems(func(system, code string) bool { return codes.Lacks(ctx, system, code) }))
		return func(ctx context.Context, d *document.Document) ([]validate.Issue, error) {
			more, err := profiles.Check(ctx, d, request)
			return append(base.Strict(d), more...), err
		}
	}
	paths := inv.List("load")
	if len(paths) == 0 && !inv.Given("data") {
		return run(judge(codesOfR4(sync.OnceValues(func() (*engine.Engine, error) {
			eng := engine.New()
			return eng, eng.Publish(base.Entries()...)
		}))))
	}
	if err := filesOnly(paths); err != nil {
		return err
	}
	src := Sources{Base: true, Data: inv.Text("data")}
	for _, path := range paths {
		definitions, others := 0, 0
		add := func(f bulk.Found) error { // what is no resource has no definitions
			if f.Err == nil && addDefinitions(library, f.Document) {
				definitions++
			}
			if f.Err == nil && isTerminology(f.Document.Root()) {
				others++
			}
			return nil
		}
		if _, err := bulk.Each(ctx, []string{path}, bulk.Options{Limits: limits}, add); err != nil {
			return err
		}
		if definitions == 0 || others > 0 {
			src.Load = append(src.Load, path)
		}
	}
	obs := inv.observer()
	defer obs.finish()
	return inv.cli.config.Backend.Query(ctx, src, obs, func(eng *engine.Engine) error {
		obs.finish()
		return run(judge(eng))
	})
}

// A vocabulary knows value sets and code systems.
type vocabulary interface {
	profile.Terminology
	Lacks(ctx context.Context, system, code string) bool
}

// codesOfR4 has the value sets and code systems of R4, from an engine that is made when the first is asked for.
type codesOfR4 func() (*engine.Engine, error)

// CodesIn implements profile.Terminology.
func (c codesOfR4) CodesIn(ctx context.Context, valueSet string) (r4.Codes, error) {
	eng, err := c()
	if err != nil {
		return nil, err
	}
	return eng.CodesIn(ctx, valueSet)
}

// Lacks implements vocabulary.
func (c codesOfR4) Lacks(ctx context.Context, system, code string) bool {
	eng, err := c()
	return err == nil && eng.Lacks(ctx, system, code)
}

// isTerminology reports whether a resource, or one in a Bundle, is terminology.
func isTerminology(resource document.Value) bool {
	switch resource.Get("resourceType").Text() {
	case "CodeSystem", "ValueSet", "ConceptMap":
		return true
	case "Bundle":
		for entry := range resource.Get("entry").Items() {
			if isTerminology(entry.Get("resource")) {
				return true
			}
		}
	}
	return false
}

// addDefinitions adds a StructureDefinition, or those of a Bundle, and reports whether there is one.
func addDefinitions(library *profile.Library, d *document.Document) (found bool) {
	if d.ResourceType() != "Bundle" {
		return library.Add(d)
	}
	for entry := range d.Root().Get("entry").Items() {
		if resource, err := document.Parse(entry.Get("resource").Raw(), r4.Limits{}); err == nil {
			found = library.Add(resource) || found
		}
	}
	return found
}
