package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roget-health/roget/adapters/platform"
)

// A Scanner audits one platform. Use it from one goroutine.
type Scanner struct {
	base            string
	bare            platform.Options // of the clients for probes
	guard           *Guard
	client          *platform.Client
	features        *platform.Features
	platformVersion string
	options         Options
}

// Options are the settings of a run. Zero fields have the defaults of the platform toolkit, section 3.3,
// but the credential probe is off unless it is set.
type Options struct {
	Checks          []Key // nil means all
	CredentialProbe bool
	StaleDays       int // 90
	MaxPasswordAge  int // in days; 365
	MaxObjects      int // of the check of sharing; 5000
	TwoFactorDetail bool
	ServerConfig    string // path of a copy of the server configuration file; "" for none
	// Releases returns the feed of releases. Without it, controls that need it are skipped.
	Releases func(ctx context.Context) ([]byte, error)
	// BeforeLogin is called before the one login of the credential probe. If it returns an error, the
	// probe is skipped with that reason.
	BeforeLogin func() error
	// Graph receives the objects that the check of sharing has read, with users, groups and roles. It is
	// not called if it is nil.
	Graph func(Graph) error
	Now   time.Time // time.Now() if zero
}

func (o Options) complete() Options {
	for _, limit := range []struct {
		n      *int
		preset int
	}{{&o.StaleDays, 90}, {&o.MaxPasswordAge, 365}, {&o.MaxObjects, 5000}} {
		if *limit.n <= 0 {
			*limit.n = limit.preset
		}
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Checks == nil {
		o.Checks = Keys()
	}
	return o
}

// BaseURL returns the canonical address of the platform.
func (s *Scanner) BaseURL() string { return s.base }

// PlatformVersion returns the version that the platform reports; "" if it reports none.
func (s *Scanner) PlatformVersion() string { return s.platformVersion }

// Major returns the major as which the platform is audited.
func (s *Scanner) Major() platform.Major { return s.features.Major }

// Close closes idle connections.
func (s *Scanner) Close() { s.client.Close() }

// Run runs checks in their order. It calls begin before each check and store with each result. A failure
// of a check is in its result and does not stop the run. Run returns the errors of store, the veto of a
// request that an audit must not send, and the error of the context.
func (s *Scanner) Run(ctx context.Context, options Options, begin func(Key), store func(Result) error) error {
	s.options = options.complete()
	for _, c := range checks() {
		if !slices.Contains(s.options.Checks, c.key) {
			continue
		}
		if err := errors.Join(s.guard.Err(), ctx.Err()); err != nil {
			return err
		}
		if begin != nil {
			begin(c.key)
		}
		result := s.runCheck(ctx, c)
		if err := errors.Join(s.guard.Err(), ctx.Err()); err != nil {
			return err
		}
		if err := store(result); err != nil {
			return err
		}
	}
	return nil
}

// runCheck runs a check. A panic and an unexpected error make a result with the status error, a failed
// read one with the status degraded; all controls of both stay SKIPPED.
func (s *Scanner) runCheck(ctx context.Context, c check) (result Result) {
	failed := func(status CheckStatus, text string) Result {
		r := newRecorder(c.key)
		r.result.Status = status
		r.note("%s", text)
		return r.done()
	}
	defer func() {
		if problem := recover(); problem != nil {
			result = failed(StatusError, fmt.Sprintf("the check failed: %v", problem))
		}
	}()
	result, err := c.run(s, ctx)
	var read *readError
	switch {
	case err == nil:
		return result
	case errors.As(err, &read):
		return failed(StatusDegraded, err.Error())
	}
	return failed(StatusError, "the check failed: "+err.Error())
}
