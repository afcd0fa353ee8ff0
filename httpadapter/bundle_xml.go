package httpadapter

import (
	"bytes"

	"github.com/roget-health/roget/resources/fhirxml"
)

// bundleEnd is the end of a Bundle in XML.
const bundleEnd = "</Bundle>"

// inParts reports whether the bundle is XML that is converted in parts: first what comes before the
// entries, then each entry.
func (b *bundle) inParts() bool { return b.parts && b.c.format == formatXML }

// part converts what has been written since the last part.
func (b *bundle) part() {
	if b.failed {
		return
	}
	ctx, codec, style := b.c.context(), b.c.codec(), b.c.style()
	err := b.c.converting(len(b.buf), func() (err error) {
		if b.entries == 0 {
			b.markup, err = codec.AppendXML(ctx, b.markup, append(b.buf, '}'), style)
			b.markup = bytes.TrimRight(b.markup, "\n")
			b.markup = bytes.TrimRight(bytes.TrimSuffix(b.markup, []byte(bundleEnd)), "\n")
		} else {
			b.markup, err = codec.AppendElement(ctx, b.markup, "Bundle", "entry", b.buf, style)
		}
		return err
	})
	b.buf = b.buf[:0]
	if err != nil {
		b.failed = true
		b.abort(noXML(err))
		return
	}
	if len(b.markup) >= streamPart && b.sendMarkup() != nil {
		b.failed = true // the client has gone
	}
}

// sendMarkup sends the parts that are converted.
func (b *bundle) sendMarkup() error {
	b.buf, b.markup = b.markup, b.buf
	err := b.send()
	b.buf, b.markup = b.markup, b.buf
	return err
}

// closeParts ends a bundle that is converted in parts.
func (b *bundle) closeParts() {
	if b.part(); b.failed {
		return
	}
	if b.c.style() == fhirxml.Indented {
		b.markup = append(b.markup, '\n')
	}
	b.markup = append(b.markup, bundleEnd...)
	if b.c.style() == fhirxml.Indented {
		b.markup = append(b.markup, '\n')
	}
	if b.started {
		_ = b.sendMarkup() // an error means that the client has gone
	} else {
		b.c.write(b.status, valueXML, b.markup)
	}
	b.c.responseBody = b.buf[:0]
}
