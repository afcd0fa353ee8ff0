package bulk

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// xml reads a file with a resource in XML. A file that was found in a folder may be XML of another
// kind, which is skipped.
func (b *batcher) xml(ctx context.Context, f *source, in *bufio.Reader) error {
	if head, _ := in.Peek(4096); f.found && !fhirxml.IsResource(head) {
		b.m.mu.Lock()
		b.m.report.Other++
		b.m.report.Files--
		b.m.mu.Unlock()
		return nil
	}
	limit := b.m.reading.Limits().MaxDocument
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("%w: a resource has more than %d bytes", loader.ErrTooLarge, limit)
	}
	var json []byte
	if err == nil {
		json, err = fhirxml.New(definitions.R4(), r4.Limits{MaxToken: limit}).AppendJSON(ctx, nil, text)
	}
	if err != nil {
		return b.broken(ctx, f, "", err)
	}
	f.xml = true
	return b.add(ctx, f, "", json)
}

// unplaced removes the places in the JSON that a resource was converted to from its issues.
func unplaced(issues []validate.Issue) []validate.Issue {
	for i := range issues {
		issues[i].Line, issues[i].Column = 0, 0
	}
	return issues
}
