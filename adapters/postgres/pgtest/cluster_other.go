//go:build !unix

package pgtest

import "errors"

func startCluster() (string, func(), error) {
	return "", nil, errors.New("a throw-away cluster is only made on Unix")
}

func standby(string) (string, func() error, func(), error) {
	return "", nil, nil, errors.New("a standby is only made on Unix")
}
