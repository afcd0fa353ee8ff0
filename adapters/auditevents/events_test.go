package auditevents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/access/audit/balp"
	"github.com/roget-health/roget/adapters/auditevents"
)

// memory keeps events, and fails or waits on demand.
type memory struct {
	mu     sync.Mutex
	events []string // requests of the stored events, "" for those about the server
	calls  int
	err    error
	hold   chan struct{} // Append waits until it is closed
}

func (m *memory) Append(ctx context.Context, docs [][]byte) error {
	m.mu.Lock()
	m.calls++
	err, hold := m.err, m.hold
	m.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, doc := range docs {
		var e struct {
			Entity []struct {
				What struct{ Identifier struct{ Value string } }
			}
		}
		if err := json.Unmarshal(doc, &e); err != nil {
			return err
		}
		id := ""
		for _, en := range e.Entity {
			id += en.What.Identifier.Value
		}
		m.events = append(m.events, id)
	}
	return nil
}

func (m *memory) has(request string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.events {
		if r == request {
			n++
		}
	}
	return n
}

func (m *memory) set(err error, hold chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.hold = err, hold
}

func open(t *testing.T, m *memory, o auditevents.Options) *auditevents.Events {
	t.Helper()
	o.Writer = balp.NewWriter("host", "")
	e, err := auditevents.Open(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func record(request string) audit.Record {
	return audit.Record{Time: time.Now(), Event: "read", Request: request, Status: 200, Read: []string{"Patient/1/_history/1"}, Patients: []string{"Patient/1"}}
}

// TestTogether checks that requests at work at the same time are stored together, and that each has its
// event when Append returns.
func TestTogether(t *testing.T) {
	m := new(memory)
	e := open(t, m, auditevents.Options{})
	hold := make(chan struct{})
	m.set(nil, hold)
	const requests = 200
	var started, done sync.WaitGroup
	for i := range requests {
		started.Add(1)
		done.Go(func() {
			id := fmt.Sprint("r", i)
			started.Done()
			if err := e.Append(context.Background(), record(id)); err != nil {
				t.Error(err)
			}
			if m.has(id) != 1 {
				t.Errorf("%s is acknowledged with %d events", id, m.has(id))
			}
		})
	}
	started.Wait()
	time.Sleep(50 * time.Millisecond) // most are waiting now; the bound below is loose
	close(hold)
	done.Wait()
	if m.calls > requests/2 {
		t.Errorf("%d calls of the store for %d requests", m.calls, requests)
	}
	if s := e.Stats(); s.Stored != requests+1 || s.Failed != 0 || s.Time <= 0 {
		t.Errorf("%+v", s)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if n := m.has(""); n != 2 {
		t.Errorf("%d events about the server, want start and stop", n)
	}
	if err := e.Append(t.Context(), record("late")); !errors.Is(err, auditevents.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestFailure checks that what cannot be stored is an error, that Check reports it, and that Check finds
// out when it is over.
func TestFailure(t *testing.T) {
	m := new(memory)
	e := open(t, m, auditevents.Options{Retry: time.Millisecond})
	full := errors.New("no space left on device")
	m.set(full, nil)
	if err := e.Append(t.Context(), record("r1")); !errors.Is(err, full) {
		t.Errorf("Append: %v", err)
	}
	if err := e.Check(t.Context()); !errors.Is(err, full) {
		t.Errorf("Check: %v", err)
	}
	if s := e.Stats(); s.Failed < 1 {
		t.Errorf("%+v", s)
	}
	m.set(nil, nil)
	for end := time.Now().Add(10 * time.Second); e.Check(t.Context()) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("Check afterwards: %v", e.Check(t.Context()))
		}
	}
	if err := e.Append(t.Context(), record("r2")); err != nil || m.has("r1") > 0 || m.has("r2") != 1 {
		t.Errorf("%v, %v", err, m.events)
	}
	m.set(full, nil)
	if _, err := auditevents.Open(t.Context(), m, auditevents.Options{Writer: balp.NewWriter("host", "")}); !errors.Is(err, full) {
		t.Errorf("Open: %v", err)
	}
	m.set(nil, nil)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestStuckStore checks that a request waits no longer than its context, that a store which does not
// answer is given up, and that the events after it are stored.
func TestStuckStore(t *testing.T) {
	m := new(memory)
	e := open(t, m, auditevents.Options{Timeout: 200 * time.Millisecond})
	hold := make(chan struct{})
	m.set(nil, hold)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := e.Append(ctx, record("hasty")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hasty request: %v", err)
	}
	if err := e.Append(t.Context(), record("patient")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("patient request: %v", err)
	}
	m.set(nil, nil)
	if err := e.Append(t.Context(), record("next")); err != nil || m.has("next") != 1 {
		t.Errorf("next request: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestLargeBatches checks that requests with many events do not share the time of one batch, and that
// Check does not wait for a store that is stuck.
func TestLargeBatches(t *testing.T) {
	m := new(memory)
	e := open(t, m, auditevents.Options{})
	hold := make(chan struct{})
	m.set(nil, hold)
	var many []audit.Record
	for range 700 {
		many = append(many, record("many"))
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if err := e.Append(context.Background(), many...); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := e.Check(t.Context()); err != nil {
		t.Error(err)
	}
	close(hold)
	group.Wait()
	m.mu.Lock()
	calls := m.calls - 1 // without that of the start
	m.mu.Unlock()
	if n := m.has("many"); n != 7000 || calls < 4 {
		t.Errorf("%d events in %d calls", n, calls)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusals checks that a flood of refused requests is counted rather than stored.
func TestRefusals(t *testing.T) {
	m := new(memory)
	e := open(t, m, auditevents.Options{})
	r := record("refused")
	r.Status, r.Address, r.Read = 401, "10.0.0.1", nil
	for range 500 {
		if err := e.AppendRefused(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if n := m.has("refused"); n == 0 || n > 100 {
		t.Errorf("%d events of 500 refused requests", n)
	}
	if n := m.has(""); n != 3 { // start, number of the others, stop
		t.Errorf("%d events about the server", n)
	}
}
