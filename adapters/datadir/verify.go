package datadir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roget-health/roget/adapters/internal/explain"
)

// sealIfSound verifies the whole pack unless it is sealed, and seals it, so that this and other
// processes can trust it from now on. If an entry is corrupted or the folder is read-only,
// entries are verified when they are used.
func (p *pack) sealIfSound() {
	if p.trusted() {
		return
	}
	s, err := beginSeal(p.file, p.path, p.headerCRC)
	if err != nil {
		return
	}
	defer s.abort()
	if p.verifyAll(context.Background()) != nil {
		return // users of the corrupted entry get the error
	}
	if s.commit() == nil {
		p.sealed.Store(&s.before)
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

// inspect checks the structure of a snapshot with verified checksums.
func (p *pack) inspect(i int) error {
	data, mapped, err := p.raw(i)
	if err == nil {
		_, err = inspect(data, mapped)
	}
	return err
}

// Verify reads every byte of every open pack and checks checksums and structure, whether or not
// the packs are trusted. It uses no entry. Intact packs are trusted from then on. Corrupted packs
// lose their seal, so the next process that opens the folder detects the corruption. The error is
// one or several joined *PackErrors.
func (d *Dir) Verify(ctx context.Context) error {
	return d.eachPack(ctx, func(p *pack) error {
		s, cannot := beginSeal(p.file, p.path, p.headerCRC)
		if cannot == nil {
			defer s.abort()
		}
		if err := p.verifyAll(ctx); err != nil {
			return err
		}
		if cannot == nil && s.commit() == nil {
			p.sealed.Store(&s.before)
		}
		return nil
	})
}

// Extent returns the number of open packs and their total size in bytes.
func (d *Dir) Extent() (packs int, bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.packs {
		bytes += p.info.Size()
	}
	return len(d.packs), bytes
}

// Scrub compares the checksums of every open pack like Verify, but only reads, at no more than
// rate bytes per second, so that a service can do it in the background. It detects corruption
// that opening a trusted pack does not: a storage medium that returns other bytes than were
// written.
func (d *Dir) Scrub(ctx context.Context, rate int64) error {
	pace := throttle{rate: rate, started: time.Now()}
	buf := make([]byte, checksBlock)
	return d.eachPack(ctx, func(p *pack) error {
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

// throttle limits work to a number of bytes per second.
type throttle struct {
	rate, done int64
	started    time.Time
}

// wait waits until n more bytes are within the rate.
func (p *throttle) wait(ctx context.Context, n int64) error {
	p.done += n
	early := time.Duration(float64(p.done)/float64(p.rate)*float64(time.Second)) - time.Since(p.started)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(early):
		return nil
	}
}

// eachPack calls fn for the open packs. A corrupted one loses its seal.
func (d *Dir) eachPack(ctx context.Context, look func(*pack) error) error {
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
			removeSeal(p.path)
		}
		errs = append(errs, &PackError{Path: p.path, Err: explain.File(err)})
	}
	return errors.Join(errs...)
}
