package changes

import "strconv"

// A Member is a code of a value set.
type Member struct {
	Concept
	Inactive, Abstract bool
}

// Sets compares the codes of two value sets, which are named by their canonicals. Codes are added and
// changed in the order of the new one, and removed in that of the old one.
func Sets(oldName string, old []Member, newName string, current []Member) *List {
	l := newList("ValueSet", oldName, newName)
	before, now := positions(old), positions(current)
	for i, m := range current {
		if at, both := before[key(m)]; both {
			l.add(m.Concept, members(&old[at], &current[i]))
		} else {
			l.Added = append(l.Added, m.Concept)
		}
	}
	for _, m := range old {
		if _, both := now[key(m)]; !both {
			l.Removed = append(l.Removed, m.Concept)
		}
	}
	return l
}

// key is a code with its code system.
func key(m Member) [2]string { return [2]string{m.System, m.Code} }

func positions(list []Member) map[[2]string]int {
	at := make(map[[2]string]int, len(list))
	for i, m := range list {
		at[key(m)] = i
	}
	return at
}

// members compares a code of the old value set with the same of the new one.
func members(old, current *Member) (fields []Field) {
	fields = compared(fields, "display", old.Display, current.Display)
	fields = compared(fields, "status", activity(old), activity(current))
	return compared(fields, "abstract", strconv.FormatBool(old.Abstract), strconv.FormatBool(current.Abstract))
}

func activity(m *Member) string {
	if m.Inactive {
		return "inactive"
	}
	return "active"
}
