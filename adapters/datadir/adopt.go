package datadir

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/internal/durable"
)

// Foreign is a pack that the writer of another data folder has made.
type Foreign struct {
	Path   string // of the file, on the same file system as the data folder
	Number uint64 // the least number of the pack here
}

// Adopt moves packs of another data folder into this one, in their order behind those that are there, and
// removes what the packs of the last Reload supersede. Reload finds all of them or none. An unusable pack
// is an error, after which none was moved. Adopt waits for another writer for two minutes.
func (d *Dir) Adopt(ctx context.Context, packs []Foreign) error {
	heads, written := make([]uint32, len(packs)), make([]fs.FileInfo, len(packs))
	for i, f := range packs {
		var err error
		if heads[i], written[i], err = inspectForeign(ctx, f.Path); err != nil {
			return fmt.Errorf("the pack %d: %w", f.Number, explain.File(err))
		}
	}
	unlock, err := d.waitForLock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	d.removeSuperseded()
	paths := make([]string, len(packs))
	d.moving.Lock()
	for i, f := range packs {
		if paths[i] = d.nextPath(); packNumber(paths[i]) < f.Number {
			paths[i] = d.packPath(f.Number)
		}
		if err == nil {
			err = os.Rename(f.Path, paths[i])
		}
	}
	d.moving.Unlock()
	if err == nil {
		err = durable.SyncFolder(d.Path(packFolder))
	}
	if err != nil {
		return d.failed(err)
	}
	for i, path := range paths {
		sealWritten(path, heads[i], written[i])
	}
	return nil
}

// inspectForeign verifies a pack and makes it durable. It returns the checksum of its header.
func inspectForeign(ctx context.Context, path string) (header uint32, info fs.FileInfo, err error) {
	p, err := openPack(path)
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		unmap(p.mapping)
		_ = p.close() // it was only read
	}()
	if err := p.verifyAll(ctx); err != nil {
		return 0, nil, err
	}
	return p.headerCRC, p.info, syncRead(p.file)
}
