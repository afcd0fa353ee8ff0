package score

import (
	"fmt"
	"strconv"
	"strings"
)

// An Instrument is a questionnaire whose answers add up to a score.
type Instrument struct {
	// Code is the name in options and results: "phq-9".
	Code string
	// Title is the name for people.
	Title string
	// Items is the number of scored items: those with linkId 1 to Items.
	Items int
	// Bands are in ascending order. The last one ends with the highest total.
	Bands []Band
}

// A Band is a range of totals.
type Band struct {
	// Least and Most are the first and last total of the range.
	Least, Most int
	// Name is the name of the range.
	Name string
}

// MaxAnswer is the highest score of an item. The lowest is 0.
const MaxAnswer = 3

// instruments is the table of instruments, which is never modified.
var instruments = [...]Instrument{
	{"phq-9", "Patient Health Questionnaire, 9 items (depression)", 9, []Band{
		{0, 4, "minimal"}, {5, 9, "mild"}, {10, 14, "moderate"}, {15, 19, "moderately severe"}, {20, 27, "severe"},
	}},
	{"gad-7", "Generalized Anxiety Disorder, 7 items (anxiety)", 7, []Band{
		{0, 4, "minimal"}, {5, 9, "mild"}, {10, 14, "moderate"}, {15, 21, "severe"},
	}},
}

// Codes returns the codes of all instruments, in the order of the table.
func Codes() []string {
	list := make([]string, len(instruments))
	for i := range instruments {
		list[i] = instruments[i].Code
	}
	return list
}

// Find returns the instrument with a code, in any letter case, with or without the hyphen.
func Find(name string) (*Instrument, bool) {
	for i := range instruments {
		in := &instruments[i]
		if strings.EqualFold(name, in.Code) || strings.EqualFold(name, strings.ReplaceAll(in.Code, "-", "")) {
			return in, true
		}
	}
	return nil, false
}

// Band returns the name of the band of a total, "" for a total out of range.
func (in *Instrument) Band(total int) string {
	for _, b := range in.Bands {
		if b.Least <= total && total <= b.Most {
			return b.Name
		}
	}
	return ""
}

// number returns the number of a scored item by its linkId, from 1; 0 for other items.
func (in *Instrument) number(linkID string) int {
	n, err := strconv.Atoi(linkID)
	if err != nil || n < 1 || n > in.Items || strconv.Itoa(n) != linkID {
		return 0
	}
	return n
}

// questionnaireName returns the last segment of the path of a canonical, which may be the code of
// an instrument.
func questionnaireName(canonical string) string {
	canonical, _, _ = strings.Cut(canonical, "#")
	canonical, _, _ = strings.Cut(canonical, "|")
	canonical, _, _ = strings.Cut(canonical, "?")
	canonical = strings.TrimRight(canonical, "/")
	return canonical[strings.LastIndexAny(canonical, "/:")+1:]
}

// known lists the instruments for messages.
func known() string { return fmt.Sprintf("the instruments are %s", strings.Join(Codes(), " and ")) }
