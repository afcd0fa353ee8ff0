package agreement

import (
	"strconv"
	"testing"
)

// The model: servers that look at the notes in steps, between which anything may happen to them.
const (
	modelServers = 2
	modelTurns   = 4
)

type (
	modelEdition struct{ number, turn, digest, former int8 } // former -1: none
	modelNote    struct {
		alive     bool // its lease has not run out
		has, stop int8
	}
	modelView struct {
		edition modelEdition
		notes   [modelServers]modelNote
		old     bool // the edition is older than stopTime
	}
	modelServer struct {
		up                bool
		step              int8 // 0 nothing, 1 has written its note, 2 has read
		begins, leased    bool // the lease of this look, and of the last one, have not run out
		state             int8 // a state
		number, stop      int8
		published, newest int8
		view              modelView
	}
	modelWorld struct {
		edition modelEdition
		notes   [modelServers]modelNote
		servers [modelServers]modelServer
		seen    modelSeen
	}
	// modelSeen is the newest edition from which a request was answered.
	modelSeen struct{ number, digest int8 }
)

// A mutant is a mistake.
type mutant int

const (
	correct mutant = iota
	confirmsAlone
	answersOn
	ignoresLease
	leaseFromRead
	readsFirst
	swapsBlindly
	publishesEarly
	buriesAlive
	mutants
)

// step returns the worlds that follow, and whether one of the answers was older than one before.
func (w modelWorld) steps(wrong mutant) (worlds []modelWorld, violated bool) {
	for i := range w.servers {
		s := &w.servers[i]
		to := func(change func(w *modelWorld, s *modelServer)) {
			next := w
			change(&next, &next.servers[i])
			worlds = append(worlds, next)
		}
		if !s.up {
			if !w.notes[i].alive { // another one starts, with what the folder has
				to(func(_ *modelWorld, s *modelServer) {
					*s = modelServer{up: true, published: s.newest, newest: s.newest}
				})
			}
		} else {
			to(func(_ *modelWorld, s *modelServer) { *s = modelServer{newest: s.newest} })
		}
		if s.newest == 0 {
			to(func(_ *modelWorld, s *modelServer) { s.newest = 1 })
		}
		if w.notes[i].alive {
			to(func(w *modelWorld, s *modelServer) {
				w.notes[i].alive = false
				if wrong != buriesAlive {
					s.leased, s.begins = false, false
				}
			})
		}
		if !s.up {
			continue
		}
		if s.state == int8(answering) && (s.leased || wrong == ignoresLease) {
			if s.number < w.seen.number || s.published < w.seen.digest {
				return nil, true
			}
			to(func(w *modelWorld, s *modelServer) { w.seen = modelSeen{s.number, s.published} })
		}
		switch s.step {
		case 0:
			to(func(w *modelWorld, s *modelServer) {
				s.step = 1
				if wrong == readsFirst {
					s.view = modelView{w.edition, w.notes, false}
					return
				}
				w.notes[i], s.begins = modelNote{true, s.newest, s.stop}, true
			})
		case 1:
			for _, old := range []bool{false, true}[:1+min(w.edition.former+1, 1)] {
				to(func(w *modelWorld, s *modelServer) {
					s.step = 2
					if wrong == readsFirst {
						w.notes[i], s.begins = modelNote{true, s.newest, s.stop}, true
						return
					}
					s.view = modelView{w.edition, w.notes, old}
				})
			}
		case 2:
			to(func(w *modelWorld, s *modelServer) { s.act(w, wrong, i) })
		}
	}
	return worlds, false
}

// act does what next says.
func (s *modelServer) act(w *modelWorld, wrong mutant, i int) {
	v := view{edition: s.view.edition.edition(), members: map[string]member{}}
	if s.view.old {
		v.age = stopTime + 1
	}
	for n, note := range s.view.notes {
		if note.alive && (wrong != confirmsAlone || n == i) {
			v.members[strconv.Itoa(n)] = member{note: noteOf(note)}
		}
	}
	m := next(&v, digit(s.newest), int(s.newest), func(digest string) bool {
		return digest == digit(s.newest) || digest == digit(s.published)
	})
	before := s.view.edition
	if wrong == answersOn && m.state == holding && before.former == s.published {
		m.state, before.digest, before.number = answering, before.former, before.number-1
	}
	if wrong == publishesEarly && m.state == holding && before.digest == s.newest {
		m.state = answering
	}
	s.state, s.number, s.stop, s.leased = int8(m.state), before.number, int8(m.stop), s.begins || wrong == leaseFromRead
	if m.state == answering {
		s.published = before.digest
	} else {
		s.number, s.leased = 0, false
	}
	if m.propose != nil && (w.edition == s.view.edition || wrong == swapsBlindly) && m.propose.Turn <= modelTurns {
		w.edition = modelEdition{int8(m.propose.Number), int8(m.propose.Turn), int8(m.propose.Digest[0] - '0'), -1}
		if m.propose.Former != nil {
			w.edition.former = int8((*m.propose.Former)[0] - '0')
		}
	}
	s.step, s.begins, s.view = 0, false, modelView{}
}

func digit(n int8) string { return string(rune('0' + n)) }

func noteOf(n modelNote) note { return note{Has: digit(n.has), Stop: int(n.stop)} }

func (e modelEdition) edition() Edition {
	edition := Edition{Number: int(e.number), Turn: int(e.turn), Digest: digit(e.digest), Height: int(e.digest)}
	if e.former >= 0 {
		former := digit(e.former)
		edition.Former = &former
	}
	return edition
}

// TestNoOldAfterNew checks every sequence of steps of two servers in which a new thing arrives, leases run
// out and servers end and start: no answer is older than one before, and all can always come to answer
// from the new edition. It finds each of the mistakes.
func TestNoOldAfterNew(t *testing.T) {
	for wrong := range mutants {
		start := modelWorld{edition: modelEdition{1, 1, 0, -1}}
		for i := range start.servers {
			start.servers[i].up = true
		}
		from := map[modelWorld][]int32{start: nil}
		worlds := []modelWorld{start}
		number := map[modelWorld]int32{start: 0}
		violated := false
		for at := 0; at < len(worlds) && !violated; at++ {
			var following []modelWorld
			following, violated = worlds[at].steps(wrong)
			for _, w := range following {
				if _, known := number[w]; !known {
					number[w] = int32(len(worlds))
					worlds = append(worlds, w)
				}
				if wrong == correct {
					from[w] = append(from[w], int32(at))
				}
			}
		}
		if violated != (wrong != correct) {
			t.Errorf("mutant %d: violated %t in %d worlds", wrong, violated, len(worlds))
		}
		if wrong != correct {
			continue
		}
		t.Logf("%d worlds", len(worlds))
		reaches := make([]bool, len(worlds))
		var queue []int32
		for i, w := range worlds {
			good := true
			for _, s := range w.servers {
				good = good && s.up && s.state == int8(answering) && s.leased && s.published == 1
			}
			if good {
				reaches[i], queue = true, append(queue, int32(i))
			}
		}
		for len(queue) > 0 {
			w := worlds[queue[0]]
			queue = queue[1:]
			for _, i := range from[w] {
				if !reaches[i] {
					reaches[i], queue = true, append(queue, i)
				}
			}
		}
		for i, w := range worlds {
			if !reaches[i] && w.edition.turn < modelTurns-1 {
				t.Fatalf("no way to the new edition from %+v", w)
			}
		}
	}
}
