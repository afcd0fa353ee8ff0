package e2e_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/anishathalye/porcupine"
)

// verb is what an operation on a pair of resources does.
type verb int

const (
	verbRead        verb = iota // GET one
	verbPut                     // PUT one
	verbPutMatch                // PUT one with If-Match
	verbPatch                   // PATCH one
	verbDelete                  // DELETE one
	verbCreate                  // POST with If-None-Exist
	verbTransaction             // PUT both in a transaction
	verbReadBoth                // GET both in a transaction
	verbs
)

func (v verb) String() string {
	return [...]string{"read", "put", "put if match", "patch", "delete", "create if none exists", "transaction", "read both"}[v]
}

// input is an operation on the resources a and b of a pair.
type input struct {
	pair  int
	verb  verb
	on    int // 0: a, 1: b
	value int // what is written, different each time
	match int // If-Match
}

// output is what the server said. unknown: the connection broke, so that the operation
// may have been done or not, or may be done later while the server lives. unsent: there was no
// connection, so that nobody was asked.
type output struct {
	unknown, unsent bool

	status int
	// of each resource that was read or written; for a conditional create, version is 0 and
	// value tells the id
	version, value [2]int
	id             string
}

// cell is a resource: version 0 was never stored; deleted keeps its version.
type cell struct {
	version, value int
	deleted        bool
}

func (c cell) there() bool { return c.version > 0 && !c.deleted }

// pairState is what a pair holds, and the id of the resource that conditional creates have
// made, "" when there is none, "?" when it was made but nobody was told its id.
type pairState struct {
	cells   [2]cell
	created string
}

// model says what a server may answer when operations happen one after the other.
func model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			pairs := map[int][]porcupine.Operation{}
			for _, op := range history {
				pair := op.Input.(input).pair
				pairs[pair] = append(pairs[pair], op)
			}
			var parts [][]porcupine.Operation
			for _, part := range pairs {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() []any { return []any{pairState{}} },
		Step: func(state, in, out any) []any {
			s, i, o := state.(pairState), in.(input), out.(output)
			if o.unknown {
				if i.verb == verbRead || i.verb == verbReadBoth {
					return []any{s}
				}
				return []any{s, i.done(s)} // not done, or done
			}
			if next, ok := i.answered(s, o); ok {
				return []any{next}
			}
			return nil
		},
		Hash: func(state any) uint64 {
			h := fnv.New64a()
			_, _ = fmt.Fprint(h, state)
			return h.Sum64()
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
	return m.ToModel()
}

// write returns a cell after it was written.
func (c cell) write(value int) cell { return cell{version: c.version + 1, value: value} }

// remove returns a cell after a DELETE, which does nothing where nothing is.
func (c cell) remove() cell {
	if !c.there() {
		return c
	}
	return cell{version: c.version + 1, deleted: true}
}

// done returns the state after an operation of which nobody heard.
func (i input) done(s pairState) pairState {
	c := &s.cells[i.on]
	switch i.verb {
	case verbPut:
		*c = c.write(i.value)
	case verbPutMatch:
		if c.there() && c.version == i.match {
			*c = c.write(i.value)
		}
	case verbPatch:
		if c.there() {
			*c = c.write(i.value)
		}
	case verbDelete:
		*c = c.remove()
	case verbCreate:
		if s.created == "" {
			s.created = "?"
		}
	case verbTransaction:
		s.cells[0], s.cells[1] = s.cells[0].write(i.value), s.cells[1].write(i.value)
	}
	return s
}

// answered returns the state after an operation, and whether the answer is right in it.
func (i input) answered(s pairState, o output) (pairState, bool) {
	c := s.cells[i.on]
	next := i.done(s)
	switch i.verb {
	case verbRead:
		return s, o.reads(c, 0)
	case verbReadBoth:
		return s, o.status == 200 && o.version[0] == s.cells[0].seen() && o.version[1] == s.cells[1].seen() &&
			(!s.cells[0].there() || o.value[0] == s.cells[0].value) && (!s.cells[1].there() || o.value[1] == s.cells[1].value)
	case verbPut:
		return next, o.status == created(c) && o.version[0] == next.cells[i.on].version
	case verbPutMatch:
		if !c.there() || c.version != i.match {
			return s, o.status == 412
		}
		return next, o.status == 200 && o.version[0] == next.cells[i.on].version
	case verbPatch:
		switch {
		case c.version == 0:
			return s, o.status == 404
		case c.deleted:
			return s, o.status == 410
		}
		return next, o.status == 200 && o.version[0] == next.cells[i.on].version
	case verbDelete:
		return next, o.status == 204 || o.status == 200
	case verbCreate:
		switch s.created {
		case "":
			next.created = o.id
			return next, o.status == 201
		case "?":
			next.created = o.id // made by one of whom nobody heard
			return next, o.status == 200
		}
		return s, o.status == 200 && o.id == s.created
	case verbTransaction:
		return next, o.status == 200 && o.version[0] == next.cells[0].version && o.version[1] == next.cells[1].version
	}
	return s, false
}

// seen is the version that a reader received: 0 if there was no resource.
func (c cell) seen() int {
	if !c.there() {
		return 0
	}
	return c.version
}

func created(c cell) int {
	if c.there() {
		return 200
	}
	return 201
}

// reads reports that an answer to a read is right.
func (o output) reads(c cell, at int) bool {
	switch {
	case c.version == 0:
		return o.status == 404
	case c.deleted:
		return o.status == 410
	}
	return o.status == 200 && o.version[at] == c.version && o.value[at] == c.value
}

// The model refuses what a server must not say: a write that is lost, a transaction of
// which half is seen, two resources of one conditional create.
func TestLinearizableModel(t *testing.T) {
	op := func(call, end int64, in input, out output) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: call, Return: end}
	}
	put := op(0, 1, input{verb: verbPut, value: 7}, output{status: 201, version: [2]int{1, 0}})
	both := op(2, 3, input{verb: verbTransaction, value: 8}, output{status: 200, version: [2]int{2, 1}})
	made := op(0, 1, input{verb: verbCreate}, output{status: 201, id: "x"})
	lost := op(0, 9, input{verb: verbPut, value: 5}, output{unknown: true})
	for name, c := range map[string]struct {
		history []porcupine.Operation
		want    bool
	}{
		"read what was written": {[]porcupine.Operation{put, op(2, 3, input{verb: verbRead}, output{status: 200, version: [2]int{1, 0}, value: [2]int{7, 0}})}, true},
		"a lost write":          {[]porcupine.Operation{put, op(2, 3, input{verb: verbRead}, output{status: 404})}, false},
		"an old version":        {[]porcupine.Operation{put, both, op(4, 5, input{verb: verbRead}, output{status: 200, version: [2]int{1, 0}, value: [2]int{7, 0}})}, false},
		"half a transaction":    {[]porcupine.Operation{put, both, op(4, 5, input{verb: verbReadBoth}, output{status: 200, version: [2]int{2, 0}, value: [2]int{8, 0}})}, false},
		"all of a transaction":  {[]porcupine.Operation{put, both, op(4, 5, input{verb: verbReadBoth}, output{status: 200, version: [2]int{2, 1}, value: [2]int{8, 8}})}, true},
		"made twice":            {[]porcupine.Operation{made, op(2, 3, input{verb: verbCreate}, output{status: 201, id: "y"})}, false},
		"made once":             {[]porcupine.Operation{made, op(2, 3, input{verb: verbCreate}, output{status: 200, id: "x"})}, true},
		"unheard of, done":      {[]porcupine.Operation{lost, op(2, 3, input{verb: verbRead}, output{status: 200, version: [2]int{1, 0}, value: [2]int{5, 0}})}, true},
		"unheard of, not done":  {[]porcupine.Operation{lost, op(2, 3, input{verb: verbRead}, output{status: 404})}, true},
		"unheard of, undone":    {[]porcupine.Operation{lost, op(2, 3, input{verb: verbRead}, output{status: 200, version: [2]int{1, 0}, value: [2]int{5, 0}}), op(4, 5, input{verb: verbRead}, output{status: 404})}, false},
		"a stale If-Match":      {[]porcupine.Operation{put, both, op(4, 5, input{verb: verbPutMatch, match: 1}, output{status: 200, version: [2]int{3, 0}})}, false},
	} {
		if got := porcupine.CheckOperations(model(), c.history); got != c.want {
			t.Errorf("%s: linearizable %t, want %t", name, got, c.want)
		}
	}
}
