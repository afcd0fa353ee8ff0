package resources

import (
	"context"
	"log/slog"
)

// A Failure is a stored resource that Restore could not publish.
type Failure struct {
	Key
	Err error
}

// Restore passes every stored CodeSystem, ValueSet and ConceptMap to the listener, type by type, so
// that a restarted program serves what it acknowledged before. A resource that cannot be prepared
// is logged and listed in failed; it stays stored and does not stop the others. err comes from the
// store or from ctx.
func (s *Service) Restore(ctx context.Context) (restored int, failed []Failure, err error) {
	if s.listener == nil {
		return 0, nil, nil
	}
	for _, typ := range terminologyTypes {
		err := s.store.Each(ctx, typ, func(v Version) error {
			publish, err := s.prepare(ctx, v)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				failed = append(failed, Failure{Key: v.Key, Err: err})
				s.log.LogAttrs(ctx, slog.LevelWarn, "a stored resource could not be published",
					slog.String("resource", v.String()), slog.Int64("version", v.VersionID), slog.Any("error", err))
				return nil
			}
			publish()
			restored++
			return nil
		})
		if err != nil {
			return restored, failed, err
		}
	}
	return restored, failed, nil
}
