package names

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hbollon/go-edlib"
)

// An AmbiguousError is about a name of several resources.
type AmbiguousError struct {
	Name       string
	Candidates []string // short names and urls
}

// maxCandidates is the number of candidates that an error names at most.
const maxCandidates = 8

func (e *AmbiguousError) Error() string {
	list, more := e.Candidates, ""
	if n := len(list) - maxCandidates; n > 0 {
		list, more = list[:maxCandidates], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%q may be any of %d, write one of them: %s%s", e.Name, len(e.Candidates), strings.Join(list, ", "), more)
}

// An UnknownError is about a name of no resource.
type UnknownError struct {
	Name    string
	Nearest []string // short names and urls, the nearest first
}

func (e *UnknownError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("%q is the name of nothing that is loaded", e.Name)
	}
	return fmt.Sprintf("%q is the name of nothing that is loaded; the nearest: %s", e.Name, strings.Join(e.Nearest, ", "))
}

// maxNearest is the number of resources that are near enough to be named.
const maxNearest = 4

// nearest returns the urls of the resources whose names are most like a folded name: the nearest
// first, those of the program last.
func (l *List) nearest(folded string) []string {
	type near struct {
		url   string
		score int
	}
	if folded == "" {
		return nil
	}
	best := map[string]int{}
	for i := range l.resources {
		n := &l.resources[i]
		score := 0
		for _, text := range n.names {
			score = max(score, alike(folded, text))
		}
		if score >= leastAlike {
			if !n.BuiltIn {
				score += 100
			}
			best[n.URL] = max(best[n.URL], score)
		}
	}
	var found []near
	for url, score := range best {
		found = append(found, near{url, score})
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.url, b.url)) })
	var urls []string
	for _, f := range found[:min(len(found), maxNearest)] {
		urls = append(urls, f.url)
	}
	return urls
}

// leastAlike is the least likeness of a name that is worth mentioning.
const leastAlike = 55

// alike returns how much two folded names have in common, from 0 to 100: the letters that stay when
// one is edited to the other, or a part of it.
func alike(a, b string) int {
	longer := max(len(a), len(b))
	if longer > maxName {
		return 0
	}
	whole := 100 - 100*edlib.OSADamerauLevenshteinDistance(a, b)/longer
	if i := strings.Index(a, b); i >= 0 && len(b) > minPart {
		whole = max(whole, 60+40*len(b)/len(a))
	}
	return whole
}
