package datadir

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// ErrLocked is returned by Dir.Writer while another writer, in this or another process, is at work.
var ErrLocked = errors.New("data folder is being written by another process")

// Options of Open.
type Options struct {
	// Create makes the folder when it is not there. Without it, Open gives an error that is fs.ErrNotExist.
	Create bool
	// Tolerate lets Open succeed although packs are damaged; they are listed by Dir.Damaged.
	// A loader uses it, so that loading again repairs the folder.
	Tolerate bool
	// Rebuild compiles sources into w again. It is called for a damaged pack whose sources are unchanged.
	Rebuild func(ctx context.Context, w *Writer, sources []Source) error
	// Logger hears of rebuilt packs. nil: silence.
	Logger *slog.Logger
}

// Source is a file or folder that a pack was compiled from.
type Source struct {
	Path    string    `json:"path"`    // absolute
	Files   int       `json:"files"`   // number of files: 1 for a file
	Size    int64     `json:"size"`    // bytes in all
	ModTime time.Time `json:"modTime"` // of the newest file
}

// Dir is an open data folder.
type Dir struct{}

// Open opens the data folder at path.
func Open(ctx context.Context, path string, opts Options) (*Dir, error) { panic("skeleton") }

// Path is the path of a file in the folder, such as the resource store: d.Path("resources.db").
func (d *Dir) Path(name string) string { panic("skeleton") }

// Entries are the terminology resources in the folder, for engine.Publish.
func (d *Dir) Entries() []*engine.Entry { panic("skeleton") }

// Damaged lists the packs that could not be opened (only with Options.Tolerate).
func (d *Dir) Damaged() []error { panic("skeleton") }

// Writer starts a pack. It is ErrLocked while another writer is at work.
func (d *Dir) Writer(ctx context.Context) (*Writer, error) { panic("skeleton") }

// Close releases the folder. Mappings that indexes may refer to stay.
func (d *Dir) Close() error { panic("skeleton") }

// Writer writes one pack. Not safe for concurrent use. Abort after Commit does nothing: defer it.
type Writer struct{}

// AddSource records a file or folder that what follows was compiled from.
func (w *Writer) AddSource(path string) error { panic("skeleton") }

// AddCodeSystem writes the snapshot of an index. origin is for people: the file it came from.
func (w *Writer) AddCodeSystem(x *codesystem.Index, origin string) error { panic("skeleton") }

// AddDocument writes a ValueSet or ConceptMap document (header.ResourceType says which).
func (w *Writer) AddDocument(header *r4.Header, body []byte, origin string) error { panic("skeleton") }

// Len is the number of entries added.
func (w *Writer) Len() int { panic("skeleton") }

// Commit makes the pack durable and visible in one step: Dir.Entries has it afterwards.
func (w *Writer) Commit() error { panic("skeleton") }

// Abort gives up a pack that was not committed.
func (w *Writer) Abort() { panic("skeleton") }
