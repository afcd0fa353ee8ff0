package resources

import "context"

// A Listener learns of every change before it is stored. engine.Engine is one.
//
// Prepare checks and compiles the document that is about to become the current version
// of typ/id; body nil is a deletion. It changes nothing yet: publish does, and is called
// after the version is durable. An error refuses the change. Body is the document as it
// will be stored, with id and meta; the listener may keep it and must not change it.
// Calls for one id never overlap; calls for different ids may.
type Listener interface {
	Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error)
}
