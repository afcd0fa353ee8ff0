package resources

import "context"

// A Listener is called about every change before it is stored. engine.Engine implements it.
//
// Prepare checks and compiles the document that is about to become the current version of typ/id; a
// nil body is a deletion. Prepare itself changes nothing. The service calls publish after the
// version is durable. An error refuses the change. Body is the document as it will be stored, with
// id and meta; the listener may keep it and must not change it. Calls for the same id never
// overlap; calls for different ids may.
type Listener interface {
	Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error)
}
