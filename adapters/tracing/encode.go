package tracing

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// encode writes an ExportTraceServiceRequest of OTLP 1. Field numbers are those of
// opentelemetry/proto/trace/v1/trace.proto.
func encode(about *resource.Resource, spans []sdktrace.ReadOnlySpan) []byte {
	var scope, group, request []byte
	scope = message(scope, 1, text(nil, 1, spans[0].InstrumentationScope().Name))
	for _, s := range spans {
		scope = message(scope, 2, span(s))
	}
	group = message(group, 1, attributes(nil, 1, about.Attributes()))
	group = message(group, 2, scope)
	return message(request, 1, group)
}

// span writes a Span.
func span(s sdktrace.ReadOnlySpan) (b []byte) {
	id, trace, parent := s.SpanContext().SpanID(), s.SpanContext().TraceID(), s.Parent()
	b = message(b, 1, trace[:])
	b = message(b, 2, id[:])
	b = text(b, 3, s.SpanContext().TraceState().String())
	flags := uint32(s.SpanContext().TraceFlags()) | 0x100 // whether the parent is remote is known
	if parent.SpanID().IsValid() {
		above := parent.SpanID()
		b = message(b, 4, above[:])
		if parent.IsRemote() {
			flags |= 0x200
		}
	}
	b = text(b, 5, s.Name())
	b = number(b, 6, uint64(s.SpanKind()))
	b = moment(b, 7, s.StartTime())
	b = moment(b, 8, s.EndTime())
	b = attributes(b, 9, s.Attributes())
	b = number(b, 10, uint64(s.DroppedAttributes()))
	if s.Status().Code == codes.Error {
		b = message(b, 15, number(nil, 3, 2)) // STATUS_CODE_ERROR
	}
	b = protowire.AppendTag(b, 16, protowire.Fixed32Type)
	return protowire.AppendFixed32(b, flags)
}

// attributes writes a KeyValue for each attribute.
func attributes(b []byte, field protowire.Number, list []attribute.KeyValue) []byte {
	for _, kv := range list {
		var value []byte
		switch kv.Value.Type() {
		case attribute.BOOL:
			value = protowire.AppendTag(nil, 2, protowire.VarintType)
			value = protowire.AppendVarint(value, protowire.EncodeBool(kv.Value.AsBool()))
		case attribute.INT64:
			value = protowire.AppendTag(nil, 3, protowire.VarintType)
			value = protowire.AppendVarint(value, uint64(kv.Value.AsInt64()))
		default:
			value = protowire.AppendTag(nil, 1, protowire.BytesType)
			value = protowire.AppendString(value, kv.Value.String())
		}
		b = message(b, field, message(text(nil, 1, string(kv.Key)), 2, value))
	}
	return b
}

// message writes a field of bytes: a message, or an id.
func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}

// text writes a string, unless it is empty.
func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// number writes a number, unless it is 0.
func number(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

// moment writes a time in nanoseconds.
func moment(b []byte, field protowire.Number, t time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), uint64(t.UnixNano()))
}
