package httpadapter

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// stream writes an answer that may be large: it collects, and begins to send when more
// than a part has come together. An answer that stays small has a Content-Length and may
// still turn into an error.
type stream struct {
	c      *call
	status int
	buf    []byte
	begun  bool
	err    error // of the client
}

// streamPart is the size of what a stream collects before it sends, in bytes.
const streamPart = 64 << 10

// maxPretty is the largest answer that is indented, in bytes; larger ones are sent as
// they are, so that memory does not grow with them.
const maxPretty = 8 << 20

func newStream(c *call, status int) *stream {
	return &stream{c: c, status: status, buf: c.buf[:0]}
}

// Write collects and sends.
func (s *stream) Write(p []byte) (int, error) {
	s.buf = append(s.buf, p...)
	return len(p), s.flush()
}

func (s *stream) text(text string) { s.buf = append(s.buf, text...) }

// flush sends what has come together, when it is enough.
func (s *stream) flush() error {
	most := streamPart
	if s.c.pretty && !s.begun {
		most = maxPretty
	}
	if len(s.buf) < most {
		return s.err
	}
	return s.send()
}

func (s *stream) send() error {
	if !s.begun {
		s.begun = true
		s.c.endTurn()
		s.c.status = s.status
		s.c.w.Header()["Content-Type"] = valueFHIR
		s.c.w.WriteHeader(s.status)
	}
	if s.err == nil && s.c.r.Method != http.MethodHead {
		_, s.err = s.c.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
	return s.err
}

// close sends the rest.
func (s *stream) close() {
	if !s.begun {
		s.c.fhir(s.status, s.buf)
	} else {
		_ = s.send() // an error means that the client has gone
	}
	s.c.buf = s.buf[:0]
}

// abort ends an answer that failed: with an OperationOutcome when nothing has been sent,
// else by breaking the connection, since an answer cut short must not look complete.
func (s *stream) abort(err error) {
	if !s.begun {
		for _, name := range []string{"Etag", "Last-Modified"} {
			delete(s.c.w.Header(), name)
		}
		s.c.fail(err)
		return
	}
	if s.err == nil {
		s.c.h.Logger.LogAttrs(s.c.r.Context(), slog.LevelError, "answer broken off",
			slog.String("id", requestID(s.c.w)), slog.Any("err", err))
	}
	panic(http.ErrAbortHandler)
}

// resource writes the JSON of an entry, or a part of it.
func (s *stream) resource(entry *engine.Entry, part *subset) error {
	if entry.Document == nil && entry.CodeSystem != nil {
		x, err := s.index(entry)
		if err != nil {
			return err
		}
		if part != nil && !part.keepsName("CodeSystem", "concept") {
			return s.document(x.Header().AppendJSON(nil), part)
		}
		if part == nil {
			return x.WriteJSON(s)
		}
		var whole bytes.Buffer
		if err := x.WriteJSON(&whole); err != nil {
			return err
		}
		return s.document(whole.Bytes(), part)
	}
	doc, err := documentOf(entry)
	if err != nil {
		return err
	}
	return s.document(doc, part)
}

// index returns the index of a code system: the one the engine has at hand, if it is the
// one of this entry.
func (s *stream) index(entry *engine.Entry) (*codesystem.Index, error) {
	if entry.Header.URL != "" {
		x, err := s.c.h.Engine.System(entry.Header.URL, entry.Header.Version)
		if err == nil && x.Header().ID == entry.Header.ID && x.Version() == entry.Header.Version {
			return x, nil
		}
	}
	return entry.CodeSystem()
}

func (s *stream) document(doc []byte, part *subset) error {
	if part != nil {
		var err error
		if doc, err = part.of(doc); err != nil {
			return err
		}
	}
	_, err := s.Write(bytes.TrimSpace(doc))
	return err
}

// documentOf returns the JSON of an entry that is small enough to be one.
func documentOf(entry *engine.Entry) ([]byte, error) {
	switch {
	case entry.Document != nil:
		return entry.Document()
	case entry.ValueSet != nil:
		vs, err := entry.ValueSet()
		if err != nil {
			return nil, err
		}
		return vs.AppendJSON(nil), nil
	default:
		m, err := entry.ConceptMap()
		if err != nil {
			return nil, err
		}
		return m.AppendJSON(nil), nil
	}
}

var _ io.Writer = (*stream)(nil)
