package command

import (
	"fmt"
	"os"
	"time"
)

// openTime is how long Open waits for the writer of a pipe.
const openTime = 10 * time.Second

// Open opens a file that is read once, such as one with a password. It may be a pipe, as a shell
// makes for <(COMMAND). A pipe that nobody has opened for writing within 10 seconds is an error.
func Open(path string) (*os.File, error) { return openWithin(path, openTime) }

func openWithin(path string, wait time.Duration) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() { // ends with the program if nobody writes
		file, err := os.Open(path)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-time.After(wait):
		return nil, fmt.Errorf("%s is a pipe, and nobody wrote to it within %s; start its writer, or name a file", path, wait)
	}
}
