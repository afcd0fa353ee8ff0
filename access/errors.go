package access

import "errors"

var (
	// ErrUnavailable means that credentials could not be judged: the keys of their issuer could not
	// be fetched, or too many passwords are being verified. The client may try again.
	ErrUnavailable = errors.New("credentials cannot be verified at the moment")
	// ErrForbidden means that somebody who is known may not do what the request asks for.
	ErrForbidden = errors.New("not permitted")
)
