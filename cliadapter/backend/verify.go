package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/resources"
)

// maxProblems bounds the problems that an error of Verify lists.
const maxProblems = 20

// errDamagedStore is the error of a resource store with problems.
var errDamagedStore = errors.New("the resource store is damaged; roget restore returns to a backup")

// Verify reads all packs of a data folder, and every version in the resource store. It repairs
// nothing.
func (Backend) Verify(ctx context.Context, req cliadapter.VerifyRequest) (done cliadapter.Verified, err error) {
	o := cliadapter.StoreOptions{Data: req.Data, Store: req.Store}
	dir, err := openData(ctx, req.Data, dataVerify, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist) && req.Store != "":
		err = nil
	case err != nil:
		return done, err
	default:
		defer closing(dir)
		done.Packs, done.Bytes = dir.Extent()
		err = errors.Join(append(dir.Damaged(), dir.Verify(ctx))...)
	}
	if ctx.Err() != nil {
		return done, ctx.Err()
	}
	store, cannot := openStored(ctx, o, dir)
	if errors.Is(cannot, fs.ErrNotExist) && req.Store == "" {
		return done, err // nothing is stored yet
	}
	if cannot != nil {
		return done, errors.Join(err, cannot)
	}
	defer closing(store)
	damage, stopped := verifyStore(ctx, store, resources.VerifyOptions{Structure: resources.WholeStructure, Index: req.Index, Progress: req.Progress}, &done)
	return done, errors.Join(err, damage, stopped)
}

// verifyStore verifies a store, and calls o.Found, if it is not nil. damage lists the problems.
func verifyStore(ctx context.Context, store resources.Store, o resources.VerifyOptions, done *cliadapter.Verified) (damage, err error) {
	var listed []error
	also := o.Found
	o.Found = func(p resources.Problem) {
		if also != nil {
			also(p)
		}
		if len(listed) < maxProblems {
			listed = append(listed, errors.New(p.String()))
		}
	}
	read, err := resources.NewService(store, nil).Verify(ctx, o)
	done.Versions, done.StoreBytes = read.Versions, read.Bytes
	if read.Problems == 0 {
		return nil, err
	}
	if more := read.Problems - len(listed); more > 0 {
		listed = append(listed, fmt.Errorf("and %d more", more))
	}
	return fmt.Errorf("%w:\n%w", errDamagedStore, errors.Join(listed...)), err
}
