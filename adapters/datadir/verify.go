package datadir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// earnTrust verifies a pack that is not sealed as a whole and seals it, so that it can be
// trusted from now on, also by other processes. Where that is not possible, for one entry
// is damaged or the folder is read-only, entries are verified as they are used.
func (p *pack) earnTrust() {
	if p.trusted() {
		return
	}
	s, err := beginSeal(p.file, p.path, p.header)
	if err != nil {
		return
	}
	defer s.abort()
	if p.verifyAll(context.Background()) != nil {
		return // what is damaged is told to those who use it
	}
	if s.finish() == nil {
		p.sealed.Store(&s.was)
	}
}

// verifyAll checks the checksums of every blob and the structure of every snapshot.
func (p *pack) verifyAll(ctx context.Context) error {
	for i := range p.records {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &p.records[i]
		err := verify(p.file, r.offset, r.length, r.checks)
		if err == nil && r.header.ResourceType == typeCodeSystem {
			err = p.inspect(i)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.header.URL, err)
		}
	}
	return nil
}

// inspect looks at the structure of a snapshot whose checksums were verified.
func (p *pack) inspect(i int) error {
	data, mapped, err := p.raw(i)
	if err == nil {
		_, err = inspect(data, mapped)
	}
	return err
}

// Verify reads every byte of every pack that is open and compares checksums and
// structure, whether the packs are trusted or not; none is used by that. Packs that are
// as they were written are trusted from then on, those that are not lose their trust: the
// next process that opens the folder finds them damaged. The error is a *PackError, or
// several, joined.
func (d *Dir) Verify(ctx context.Context) error {
	return d.each(ctx, func(p *pack) error {
		s, cannot := beginSeal(p.file, p.path, p.header)
		if cannot == nil {
			defer s.abort()
		}
		if err := p.verifyAll(ctx); err != nil {
			return err
		}
		if cannot == nil && s.finish() == nil {
			p.sealed.Store(&s.was)
		}
		return nil
	})
}

// Extent returns the number of packs that are open, and their bytes in all.
func (d *Dir) Extent() (packs int, bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.packs {
		bytes += p.info.Size()
	}
	return len(d.packs), bytes
}

// Patrol compares the checksums of every pack that is open, as Verify does, but at no
// more than rate bytes a second, and reading only, so that a service can do it beside its
// work. It finds what opening a trusted pack does not look for: a medium that gives other
// bytes than were written.
func (d *Dir) Patrol(ctx context.Context, rate int64) error {
	pace := pace{rate: rate, began: time.Now()}
	buf := make([]byte, checksBlock)
	return d.each(ctx, func(p *pack) error {
		for i := range p.records {
			r := &p.records[i]
			for n, check := range r.checks {
				at := n * checksBlock
				block := buf[:min(checksBlock, r.length-at)]
				if err := verifyBlock(p.file, block, r.offset+int64(at), check); err != nil {
					return fmt.Errorf("%s: %w", r.header.URL, err)
				}
				if err := pace.wait(ctx, int64(len(block))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// pace keeps work at a number of bytes a second.
type pace struct {
	rate, done int64
	began      time.Time
}

// wait waits until n more bytes may have been done.
func (p *pace) wait(ctx context.Context, n int64) error {
	p.done += n
	early := time.Duration(float64(p.done)/float64(p.rate)*float64(time.Second)) - time.Since(p.began)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(early):
		return nil
	}
}

// each looks at the packs that are open; one that is damaged loses its seal.
func (d *Dir) each(ctx context.Context, look func(*pack) error) error {
	d.mu.Lock()
	packs := slices.Clone(d.packs)
	d.mu.Unlock()
	var errs []error
	for _, p := range packs {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := look(p)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case unusable(err):
			p.sealed.Store(nil)
			breakSeal(p.path)
		}
		errs = append(errs, &PackError{Path: p.path, Err: err})
	}
	return errors.Join(errs...)
}
