package bulk

import (
	"context"
	"io"
)

// Produce stores what a program writes: produce is called with a stream for one resource a
// line, in parallel to the storing. Its context ends when the storing does. Otherwise it is
// Import of standard input; the error may be that of produce too.
func Produce(ctx context.Context, target Target, produce func(ctx context.Context, w io.Writer) error, o Options) (Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	in, out := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		err := produce(ctx, out)
		out.CloseWithError(err)
		produced <- err
	}()
	o.Stdin = in
	report, err := Import(ctx, target, []string{"-"}, o)
	cancel()
	in.CloseWithError(context.Canceled)
	if failed := <-produced; err == nil {
		err = failed
	}
	return report, err
}
