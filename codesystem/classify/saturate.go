package classify

import (
	"context"
	"slices"
	"sort"
	"sync"
)

// A set is the context of an expression: what is above it, and the links to and from it.
type set struct {
	subs  table[uint32] // entries: (expression+1)<<1, and 1 if it is to be decomposed
	back  table[uint64] // links to the expression: (role+1)<<32 and where they start
	ahead []pair        // links from it that may continue a chain: role and where they lead
	push  []pair        // restrictions that follow where a link starts: role, restriction
	seen  []uint32      // disjointness axioms of which one expression is above
	dead  bool          // nothing is above it: it has no instance
}

// A fact is a conclusion for one context. Facts about links have a role+2 in what, and also a bit
// for the direction.
type fact struct{ at, what, value uint32 }

// Values of fact.what: composed, decomposed (a sub), or a link, see linkBack.
const (
	composed uint32 = iota
	decomposed
	again // known, but was not decomposed
	_
)

func linkBack(role uint32) uint32  { return 2*role + 4 }
func linkAhead(role uint32) uint32 { return 2*role + 5 }

// exchange passes facts between workers, and notices when all of them are idle.
type exchange struct {
	mu    sync.Mutex
	wake  *sync.Cond
	inbox [][][]fact
	idle  int
	done  bool
}

// A worker saturates the contexts whose numbers are its own modulo the number of workers.
type worker struct {
	*rules
	ctx   context.Context
	sets  []*set // all contexts
	me    uint32
	of    uint32
	x     *exchange
	stack []fact
	out   [][]fact
	tick  int
	// stopped is set when the context of the run is done.
	stopped bool
	moved   func(n int) // progress: classes begun
}

// batch is the number of facts that are passed at once.
const batch = 2048

// saturate computes the contexts of classes and of what they refer to.
func (r *rules) saturate(ctx context.Context, classes []uint32, workers int, progress func(int)) ([]*set, error) {
	sets := make([]*set, len(r.exprs))
	x := &exchange{inbox: make([][][]fact, workers)}
	x.wake = sync.NewCond(&x.mu)
	var all sync.WaitGroup
	for i := range workers {
		w := &worker{rules: r, ctx: ctx, sets: sets, me: uint32(i), of: uint32(workers), x: x, out: make([][]fact, workers)}
		if i == 0 {
			w.moved = progress
		}
		all.Go(func() { w.run(classes) })
	}
	all.Wait()
	return sets, context.Cause(ctx)
}

// run begins the worker's own classes one by one, and works until all workers are idle.
func (w *worker) run(classes []uint32) {
	for i, c := range classes {
		if w.moved != nil && i%4096 == 0 {
			w.moved(i)
		}
		if c%w.of != w.me {
			continue
		}
		w.begin(c)
		w.drain()
		if i%64 == 0 && w.of > 1 {
			w.receive(false)
		}
	}
	for w.receive(true) {
	}
}

// receive sends what other workers are to know, and takes in what they found. With wait, it waits
// for that; then it returns false when all workers wait.
func (w *worker) receive(wait bool) bool {
	x := w.x
	x.mu.Lock()
	for to := range w.out {
		w.send(to)
	}
	if wait && len(x.inbox[w.me]) == 0 {
		if x.idle++; x.idle == len(x.inbox) && !slices.ContainsFunc(x.inbox, func(in [][]fact) bool { return len(in) > 0 }) {
			x.done = true
			x.wake.Broadcast()
		}
		for !x.done && len(x.inbox[w.me]) == 0 {
			x.wake.Wait()
		}
		if x.done {
			x.mu.Unlock()
			return false
		}
		x.idle--
	}
	in := x.inbox[w.me]
	x.inbox[w.me] = nil
	x.mu.Unlock()
	for _, list := range in {
		for _, f := range list {
			w.add(f)
			w.drain()
		}
	}
	return true
}

// send passes on the facts for a worker; the exchange is locked.
func (w *worker) send(to int) {
	if len(w.out[to]) > 0 {
		w.x.inbox[to] = append(w.x.inbox[to], w.out[to])
		w.out[to] = nil
		w.x.wake.Broadcast()
	}
}

// emit adds a fact, whoever owns its context.
func (w *worker) emit(f fact) {
	to := f.at % w.of
	if to == w.me {
		w.add(f)
		return
	}
	if w.out[to] = append(w.out[to], f); len(w.out[to]) >= batch {
		w.x.mu.Lock()
		w.send(int(to))
		w.x.mu.Unlock()
	}
}

// begin creates the context of an expression.
func (w *worker) begin(e uint32) *set {
	s := w.sets[e]
	if s == nil {
		s = new(set)
		w.sets[e] = s
		w.add(fact{e, decomposed, e})
		if w.useTop {
			w.add(fact{e, composed, uint32(Top)})
		}
	}
	return s
}

// add stores a fact, and puts it on the stack if it is new.
func (w *worker) add(f fact) {
	s := w.sets[f.at]
	if s == nil {
		s = w.begin(f.at)
	}
	switch {
	case s.dead && f.what <= again:
		return
	case f.what <= decomposed:
		v := (f.value+1)<<1 | f.what
		p := s.subs.place(v, 1)
		if old := *p; old >= v && old != 0 {
			return
		} else if old == 0 {
			s.subs.n++
			*p = v
		} else {
			*p = v
			f.what = again
		}
	case f.what&1 == 0:
		v := uint64(f.what-2)/2<<32 | uint64(f.value)
		p := s.back.place(v, 0)
		if *p != 0 {
			return
		}
		*p = v
		s.back.n++
	default:
		s.ahead = append(s.ahead, pair{(f.what - 5) / 2, f.value})
	}
	w.stack = append(w.stack, f)
}

// drain applies the rules until the stack is empty, or the context of the run is done.
func (w *worker) drain() {
	for len(w.stack) > 0 {
		f := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.tick++; w.tick%4096 == 0 && w.ctx.Err() != nil {
			w.stopped = true
		}
		if w.stopped {
			w.stack = nil
			return
		}
		s := w.sets[f.at]
		switch {
		case f.what == again:
			w.decompose(f.at, f.value)
		case f.what <= decomposed:
			if s.dead {
				continue
			}
			if f.what == decomposed {
				w.decompose(f.at, f.value)
			}
			w.sub(s, f.at, f.value)
		case f.what&1 == 0:
			w.back(s, f.at, (f.what-4)/2, f.value)
		default:
			role := (f.what - 5) / 2
			for _, v := range s.back.slots {
				if v != 0 {
					w.chain(uint32(v>>32)-1, uint32(v), role, f.value)
				}
			}
		}
	}
}

// decompose adds what an expression consists of.
func (w *worker) decompose(at, e uint32) {
	switch x := &w.exprs[e]; x.kind {
	case conjunction:
		for _, a := range x.args {
			w.add(fact{at, decomposed, a})
		}
	case existential:
		w.link(at, x.args[0], x.context)
	}
}

func (w *worker) link(from, role, to uint32) { w.emit(fact{to, linkBack(role), from}) }

// sub applies the rules about an expression e above another one.
func (w *worker) sub(s *set, at, e uint32) {
	if e == uint32(Bottom) {
		w.die(s)
		return
	}
	x := &w.exprs[e]
	for _, up := range x.told {
		w.add(fact{at, decomposed, up})
	}
	if list := x.joins; len(list) <= s.subs.n {
		for _, j := range list {
			if s.subs.has((j.other+1)<<1, 1) {
				w.add(fact{at, composed, j.result})
			}
		}
	} else {
		for _, v := range s.subs.slots {
			if v == 0 {
				continue
			}
			if other := v>>1 - 1; w.exprs[other].joins != nil {
				if j := w.joint[w.joint.slot(min(e, other), max(e, other))]; j.result != 0 {
					w.add(fact{at, composed, j.result})
				}
			}
		}
	}
	for _, axiom := range x.disjoint {
		if slices.Contains(s.seen, axiom) {
			w.add(fact{at, composed, uint32(Bottom)})
			return
		}
		s.seen = append(s.seen, axiom)
	}
	for _, p := range x.someOf {
		s.push = append(s.push, p)
		if w.reflexive[p.other] {
			w.add(fact{at, composed, p.result})
		}
		for _, v := range s.back.slots {
			if v != 0 && w.above[v>>32-1][p.other] {
				w.emit(fact{uint32(v), composed, p.result})
			}
		}
	}
}

// die records that an expression has no instance, and so has what links to it.
func (w *worker) die(s *set) {
	s.dead = true
	for _, v := range s.back.slots {
		if v != 0 {
			w.emit(fact{uint32(v), composed, uint32(Bottom)})
		}
	}
}

// back applies the rules about a link to an expression.
func (w *worker) back(s *set, at, role, from uint32) {
	if s.dead {
		w.emit(fact{from, composed, uint32(Bottom)})
		return
	}
	for _, p := range s.push {
		if w.above[role][p.other] {
			w.emit(fact{from, composed, p.result})
		}
	}
	if w.before[role] != nil {
		w.emit(fact{from, linkAhead(role), at})
	}
	if w.chained[role] != nil {
		for _, l := range s.ahead {
			w.chain(role, from, l.other, l.result)
		}
	}
}

// chain links the ends of two links, as chains of roles require.
func (w *worker) chain(first, from, second, to uint32) {
	list := w.chained[first]
	for i := sort.Search(len(list), func(i int) bool { return list[i].other >= second }); i < len(list) && list[i].other == second; i++ {
		w.link(from, list[i].result, to)
	}
}
