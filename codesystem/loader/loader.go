package loader

import (
	"errors"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

var (
	// ErrNothing is returned when a source holds no CodeSystem, ValueSet or ConceptMap.
	ErrNothing = errors.New("no CodeSystem, ValueSet or ConceptMap in it")
	// ErrFormat is returned for a source that is not of the format of its reader.
	ErrFormat = errors.New("not of a format that is read")
	// ErrUnsafeName is returned for a name in an archive that points outside of it.
	ErrUnsafeName = errors.New("unsafe name in archive")
	// ErrTooLarge is returned when a source is larger, or decompresses to more, than
	// the Limits allow.
	ErrTooLarge = errors.New("source too large")
)

// A Sink takes what is read, one call after the other. An error of its own ends the
// reading and comes back wrapped.
//
// A resource is handed on only when all of it has been read without error. Resources
// before one in error have been handed on by then: a sink that must have all or nothing
// collects them and publishes when Load has returned nil.
type Sink interface {
	// CodeSystem takes an index. It is the sink's to keep.
	CodeSystem(index *codesystem.Index, origin Origin) error
	// Document takes a resource of kind "ValueSet" or "ConceptMap": its header, and its
	// JSON, which is the sink's to keep.
	Document(kind string, header *r4.Header, body []byte, origin Origin) error
}

// Origin tells where a resource was read.
type Origin struct {
	// Path is the file, as given or below the folder given; for streams their name.
	Path string
	// Entry is the place inside: a name in an archive, "Bundle.entry[3]", or both;
	// empty when the resource is the file.
	Entry string
	// Size is that of the file in bytes, as stored, and ModTime when it was changed;
	// zero for streams.
	Size    int64
	ModTime time.Time
}

// String returns the place for messages.
func (o Origin) String() string {
	if o.Entry == "" {
		return o.Path
	}
	return o.Path + ": " + o.Entry
}

// Options say how to read. The zero Options are good defaults.
type Options struct {
	Limits Limits
	// KeepGoing makes Load pass over resources and files in error, go on with the
	// others, and return all errors joined at the end, where the format allows it.
	KeepGoing bool
	// Progress, when not nil, is called now and then, never by two goroutines at a time,
	// and at the end of each file.
	Progress func(Progress)
	// Warn, when not nil, is called with a sentence about a source that was read, although
	// not as its user may expect; never by two goroutines at a time.
	Warn func(text string)
	// Identity goes before what a source says of itself, in formats other than FHIR.
	Identity Identity
}

// Limits bound what is read. A field that is zero or negative stands for the default.
type Limits struct {
	// MaxBytes bounds one file after decompression; default 64 GiB.
	MaxBytes int64
	// MaxRatio bounds how many times its size a compressed stream decompresses to, once
	// it is beyond 64 MiB; default 200. (Real code systems stay below 30.)
	MaxRatio int64
	// MaxNesting bounds how deep concepts or elements nest; default 4,000.
	MaxNesting int
	// MaxDocument bounds one ValueSet or ConceptMap, and what may precede the
	// resourceType of any resource, in bytes; default 256 MiB.
	MaxDocument int
	// MaxEntries bounds the files in an archive or folder; default 1,000,000.
	MaxEntries int
}

// WithDefaults returns the limits with their defaults filled in.
func (l Limits) WithDefaults() Limits {
	set := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.MaxBytes, 64<<30)
	set(&l.MaxRatio, 200)
	if l.MaxNesting <= 0 {
		l.MaxNesting = 4000
	}
	if l.MaxDocument <= 0 {
		l.MaxDocument = 256 << 20
	}
	if l.MaxEntries <= 0 {
		l.MaxEntries = 1_000_000
	}
	return l
}

// Progress tells how far a Load is.
type Progress struct {
	// Path is the file being read.
	Path string
	// BytesRead and BytesTotal count bytes as stored (compressed), over all files of
	// the Load. BytesTotal is 0 when that is not known.
	BytesRead, BytesTotal int64
	// Concepts, Resources and Skipped count concepts of CodeSystems, resources handed
	// to the sink, and resources of other types passed over.
	Concepts, Resources, Skipped int
}
