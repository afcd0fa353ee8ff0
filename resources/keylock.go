package resources

import (
	"context"
	"sync"
)

// keyLocks serialises the writers of each key. Keys without a writer use no memory.
type keyLocks struct {
	mu   sync.Mutex
	held map[Key]*keyLock
}

type keyLock struct {
	slot  chan struct{} // holds one token while locked
	users int           // holder and waiters
}

// lock waits for the key. If err is nil, unlock must be called once.
func (l *keyLocks) lock(ctx context.Context, key Key) (unlock func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = make(map[Key]*keyLock)
	}
	k := l.held[key]
	if k == nil {
		k = &keyLock{slot: make(chan struct{}, 1)}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()

	select {
	case k.slot <- struct{}{}:
		return func() { <-k.slot; l.leave(key, k) }, nil
	case <-ctx.Done():
		l.leave(key, k)
		return nil, ctx.Err()
	}
}

// waiting reports whether a writer waits for the key.
func (l *keyLocks) waiting(key Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.held[key]
	return k != nil && k.users > 1
}

func (l *keyLocks) leave(key Key, k *keyLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.held, key)
	}
}
