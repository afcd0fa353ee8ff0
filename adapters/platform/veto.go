package platform

import (
	"errors"
	"net/http"
)

// ErrVetoed is in the chain of every error of a Hook. A Transport whose errors have it in their chain
// vetoes requests too. A vetoed request is not retried, and neither Connect nor an accessor continues
// without it.
var ErrVetoed = errors.New("the request was vetoed")

// vetoError is the error of a hook.
type vetoError struct{ error }

func (e vetoError) Unwrap() error { return e.error }

// Is reports whether target is ErrVetoed.
func (e vetoError) Is(target error) bool { return target == ErrVetoed }

func vetoed(err error) error {
	if errors.Is(err, ErrVetoed) {
		return err
	}
	return vetoError{err}
}

// RoundTripper returns the transport of a client with these options, for programs that put a transport
// in front of it. Their options then have that Transport and no TLS.
func (o Options) RoundTripper() (http.RoundTripper, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return o.Transport, nil
}
