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
	// ErrFormat is returned for a source that is not in the format of its reader.
	ErrFormat = errors.New("not of a format that is read")
	// ErrUnsafeName is returned for a name in an archive that points outside of it.
	ErrUnsafeName = errors.New("unsafe name in archive")
	// ErrTooLarge is returned when a source is larger than the Limits allow, as stored or
	// decompressed.
	ErrTooLarge = errors.New("source too large")
)

// A Sink receives what is read, one call after the other. An error that it returns ends the
// reading and is returned wrapped.
//
// A resource is delivered only after all of it was read without error. Resources before a faulty
// one have been delivered by then: a sink that needs all or nothing collects them and publishes
// when Load has returned nil.
type Sink interface {
	// CodeSystem receives an index, which the sink may keep.
	CodeSystem(index *codesystem.Index, origin Origin) error
	// Document receives a resource of kind "ValueSet" or "ConceptMap": its header, and its JSON,
	// which the sink may keep.
	Document(kind string, header *r4.Header, body []byte, origin Origin) error
}

// Origin is the place where a resource was read.
type Origin struct {
	// Path is the file as it was named, or below the folder that was named; for streams it is their
	// name.
	Path string
	// Entry is the place inside the file: a name in an archive, "Bundle.entry[3]", or both. It is
	// empty when the resource is the file.
	Entry string
	// Size is the size of the file in bytes, as stored, and ModTime the time of its last change;
	// both are zero for streams.
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

// Options control how sources are read. The zero Options are good defaults.
type Options struct {
	Limits Limits
	// KeepGoing makes Load skip resources and files with errors, where the format allows it, and
	// return all errors joined at the end.
	KeepGoing bool
	// Progress, when not nil, is called from time to time and at the end of each file, never by two
	// goroutines at once.
	Progress func(Progress)
	// Warn, when not nil, is called with a sentence about a source that was read, but perhaps not
	// as its user expects. It is never called by two goroutines at once.
	Warn func(text string)
	// Identity overrides what a source says about its code system, in formats other than FHIR.
	Identity Identity
}

// Limits bound what is read. A field that is zero or negative stands for its default.
type Limits struct {
	// MaxBytes bounds one file after decompression; default 64 GiB.
	MaxBytes int64
	// MaxRatio bounds how many times its size a compressed stream may decompress to, once it is
	// beyond 64 MiB; default 200. (Real code systems stay below 30.)
	MaxRatio int64
	// MaxNesting bounds how deeply concepts or elements nest; default 4,000.
	MaxNesting int
	// MaxDocument bounds, in bytes, one ValueSet or ConceptMap, and the part of any resource before
	// its resourceType; default 256 MiB.
	MaxDocument int
	// MaxEntries bounds the number of files in an archive or folder; default 1,000,000.
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

// Progress is the state of a Load.
type Progress struct {
	// Path is the file being read.
	Path string
	// BytesRead and BytesTotal count bytes as stored (compressed) over all files of the Load.
	// BytesTotal is 0 while it is unknown.
	BytesRead, BytesTotal int64
	// Concepts counts concepts of CodeSystems, Resources the resources passed to the sink, and
	// Skipped the resources of other types.
	Concepts, Resources, Skipped int
}
