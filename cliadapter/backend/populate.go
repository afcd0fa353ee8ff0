package backend

import (
	"context"
	"fmt"
	"io"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/synth"
)

// populate stores the synthetic patients that the options ask for. Resources that exist already
// are left unchanged.
func populate(ctx context.Context, svc *resources.Service, o cliadapter.ServeOptions) error {
	p, err := synth.NewPopulation(o.Population)
	if err != nil {
		return &cliadapter.UsageError{Err: err}
	}
	if o.Population.Patients == 0 {
		return nil
	}
	o.Logger.Info("generating synthetic patients", "patients", o.Population.Patients, "seed", o.Population.Seed)
	var refused error
	report, err := bulk.Produce(ctx, svc, func(ctx context.Context, w io.Writer) error {
		return p.Each(ctx, synth.NDJSON, func(c synth.Chunk) error {
			_, err := w.Write(c.Bytes)
			return err
		})
	}, bulk.Options{Refused: func(r bulk.Refusal) { refused = r.Err }})
	if err != nil {
		return fmt.Errorf("store synthetic patients: %w", err)
	}
	if refused != nil {
		o.Logger.Warn("synthetic resources were refused", "refused", report.Refused, "last", refused)
	}
	o.Logger.Info("stored synthetic patients", "stored", report.Stored, "unchanged", report.Unchanged, "time", report.Time)
	return nil
}
