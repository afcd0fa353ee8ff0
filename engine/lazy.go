package engine

import (
	"sync"
	"sync/atomic"
)

// lazy holds a value that is made when first asked for. Reading a value that is there
// takes one atomic load; making it happens once at a time and again only after an error.
type lazy[T any] struct {
	value atomic.Pointer[T]
	mu    sync.Mutex
}

func (l *lazy[T]) get(mk func() (T, error)) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	return l.make(mk)
}

func (l *lazy[T]) make(mk func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	v, err := mk()
	if err != nil {
		var none T
		return none, err
	}
	l.value.Store(&v)
	return v, nil
}
