package access

import "errors"

var (
	// ErrUnavailable means that credentials could not be judged: the keys of their issuer could not
	// be fetched, or too many passwords are being verified. The client may try again.
	ErrUnavailable = errors.New("credentials cannot be verified at the moment")
	// ErrExpired means that credentials were valid once. Nobody guesses such credentials, so they do not
	// count as a failed login: a browser whose token expires sends it with all the requests that run.
	ErrExpired = errors.New("has expired")
	// ErrForbidden means that somebody who is known may not do what the request asks for.
	ErrForbidden = errors.New("not permitted")
)
