package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/synth"
)

// A maker makes resources.
type maker struct {
	// each hands on their text in chunks.
	each func(ctx context.Context, form synth.Form, fn func(synth.Chunk) error) error
	// all is the number of items: patients or resources, as noun says.
	all  uint64
	noun string
	made uint64
}

// generate makes resources and prints or stores them, as --output says.
func (inv *invocation) generate(ctx context.Context, begin func(context.Context, *invocation) (*maker, error)) error {
	m, err := begin(ctx, inv)
	if err != nil {
		return err
	}
	obs := inv.loud()
	if inv.Text("output") == "store" {
		return inv.generateInto(ctx, m, obs)
	}
	obs.bars = obs.bars && !inv.OutTerminal // it would be among the resources
	form := synth.NDJSON
	if inv.Text("output") == "bundle" {
		form = synth.Transactions
	}
	err = m.each(ctx, form, m.telling(obs, func(c synth.Chunk) error { return command.Write(inv.Out, c.Bytes) }))
	obs.finish()
	if errors.Is(err, syscall.EPIPE) { // whoever reads has enough
		return nil
	}
	return err
}

// telling reports the progress from time to time.
func (m *maker) telling(obs *observer, fn func(synth.Chunk) error) func(synth.Chunk) error {
	if !obs.bars {
		return fn
	}
	next := time.Now()
	return func(c synth.Chunk) error {
		if m.noun == "patient" {
			m.made++
		} else {
			m.made += uint64(c.Resources) //nolint:gosec // a count
		}
		if now := time.Now(); !now.Before(next) {
			next = now.Add(200 * time.Millisecond)
			obs.say(fmt.Sprintf("%s of %s", engine.Thousands(int(m.made)), command.Counted(int(m.all), m.noun))) //nolint:gosec // at most what a flag asks for
		}
		return fn(c)
	}
}

// populationMaker makes a population.
func populationMaker(ctx context.Context, inv *invocation) (*maker, error) {
	var o synth.PopulationOptions
	err := inv.naturals(map[string]*uint64{"seed": &o.Seed, "first": &o.First, "patients": &o.Patients})
	if err != nil {
		return nil, err
	}
	if o.Workers, err = inv.Integer("workers", 0); err != nil {
		return nil, err
	}
	if o.Codes, err = inv.chosenCodes(ctx, synth.CodePaths()); err != nil {
		return nil, err
	}
	p, err := synth.NewPopulation(o)
	if err != nil {
		return nil, &command.UsageError{Err: err}
	}
	return &maker{each: p.Each, all: o.Patients, noun: "patient"}, nil
}

// typeMaker makes resources of a type.
func typeMaker(ctx context.Context, inv *invocation, t *synth.Type) (*maker, error) {
	var s synth.Selection
	o := synth.Options{Values: map[string]string{}}
	if err := inv.naturals(map[string]*uint64{"seed": &o.Seed, "first": &s.First, "count": &s.Count}); err != nil {
		return nil, err
	}
	for i := range t.Options {
		if name := flagOf(&t.Options[i]); inv.Given(name) {
			o.Values[t.Options[i].Name] = inv.Text(name)
		}
	}
	var err error
	if o.Codes, err = inv.chosenCodes(ctx, t.Codes); err != nil {
		return nil, err
	}
	g, err := synth.New(t.Name, o)
	if err != nil {
		return nil, &command.UsageError{Err: err}
	}
	s.References = inv.Is("with-references")
	each := func(ctx context.Context, form synth.Form, fn func(synth.Chunk) error) error {
		s.Form = form
		return g.Each(ctx, s, fn)
	}
	return &maker{each: each, all: s.Count, noun: "resource"}, nil
}

// chosenCodes returns the codes that --codes chooses for elements.
func (inv *invocation) chosenCodes(ctx context.Context, paths []string) (codes map[string][]synth.Coding, err error) {
	choices := inv.List("codes")
	if len(choices) == 0 {
		return nil, nil
	}
	err = inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		codes, err = operation.GeneratorCodes(ctx, eng, paths, choices)
		return explain(err, eng)
	})
	return codes, err
}

// naturals reads flags that are numbers from 0.
func (inv *invocation) naturals(into map[string]*uint64) error {
	for _, name := range slices.Sorted(maps.Keys(into)) {
		n, err := strconv.ParseUint(inv.Text(name), 10, 64)
		if err != nil {
			return command.Usagef("flag --%s must be a whole number of at least 0, not %q", name, inv.Text(name))
		}
		*into[name] = n
	}
	return nil
}

// generateInto stores the generated resources.
func (inv *invocation) generateInto(ctx context.Context, m *maker, obs *observer) error {
	workers, err := inv.Integer("workers", 0)
	if err != nil {
		return err
	}
	var report bulk.Report
	err = inv.resources(ctx, StoreOptions{Write: true, Terminology: true}, obs, func(svc *resources.Service) error {
		obs.finish()
		var err error
		report, err = bulk.Produce(ctx, svc, func(ctx context.Context, w io.Writer) error {
			return m.each(ctx, synth.NDJSON, m.telling(obs, func(c synth.Chunk) error {
				_, err := w.Write(c.Bytes)
				return err
			}))
		}, bulk.Options{Workers: workers, Refused: func(r bulk.Refusal) { obs.Failed(r.Err) }})
		return err
	})
	obs.finish()
	if err != nil {
		return err
	}
	return inv.writeStored(report, inv.Text("summary"), "")
}
