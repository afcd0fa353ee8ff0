package codesystem

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemOf returns the stem of a folded word in a language, given by its primary subtag. It is "" for
// a language without a stemmer of Snowball.
func stemOf(language, word string) string {
	var stem func(*snowballstem.Env) bool
	switch language {
	case "ar":
		stem = arabic.Stem
	case "da":
		stem = danish.Stem
	case "de":
		stem = german.Stem
	case "en":
		stem = english.Stem
	case "es":
		stem = spanish.Stem
	case "fi":
		stem = finnish.Stem
	case "fr":
		stem = french.Stem
	case "ga":
		stem = irish.Stem
	case "hu":
		stem = hungarian.Stem
	case "it":
		stem = italian.Stem
	case "nb", "nn", "no":
		stem = norwegian.Stem
	case "nl":
		stem = dutch.Stem
	case "pt":
		stem = portuguese.Stem
	case "ro":
		stem = romanian.Stem
	case "ru":
		stem = russian.Stem
	case "sv":
		stem = swedish.Stem
	case "ta":
		stem = tamil.Stem
	case "tr":
		stem = turkish.Stem
	default:
		return ""
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}
