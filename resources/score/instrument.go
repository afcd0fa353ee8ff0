package score

import (
	"fmt"
	"strconv"
	"strings"
)

// Instrument is a questionnaire whose answers add up to a score.
type Instrument struct {
	// Code is how it is named in options and answers: "phq-9".
	Code string
	// Title is its name for people.
	Title string
	// Items is how many items are scored: those with linkId 1 to Items.
	Items int
	// Bands are in ascending order, and the last ends with the highest total.
	Bands []Band
}

// Band is a range of totals.
type Band struct {
	// Least and Most are its first and last total.
	Least, Most int
	// Name is what totals of the range are called.
	Name string
}

// MaxAnswer is the highest score of an item; the lowest is 0.
const MaxAnswer = 3

// instruments is the table of all instruments. Nobody changes it.
var instruments = [...]Instrument{
	{"phq-9", "Patient Health Questionnaire, 9 items (depression)", 9, []Band{
		{0, 4, "minimal"}, {5, 9, "mild"}, {10, 14, "moderate"}, {15, 19, "moderately severe"}, {20, 27, "severe"},
	}},
	{"gad-7", "Generalized Anxiety Disorder, 7 items (anxiety)", 7, []Band{
		{0, 4, "minimal"}, {5, 9, "mild"}, {10, 14, "moderate"}, {15, 21, "severe"},
	}},
}

// Codes lists the codes of all instruments, in the order of the table.
func Codes() []string {
	list := make([]string, len(instruments))
	for i := range instruments {
		list[i] = instruments[i].Code
	}
	return list
}

// Find returns the instrument of a name: its code in any letter case, with or without the
// hyphen.
func Find(name string) (*Instrument, bool) {
	for i := range instruments {
		in := &instruments[i]
		if strings.EqualFold(name, in.Code) || strings.EqualFold(name, strings.ReplaceAll(in.Code, "-", "")) {
			return in, true
		}
	}
	return nil, false
}

// Band returns the name of the band of a total, "" for a total that there cannot be.
func (in *Instrument) Band(total int) string {
	for _, b := range in.Bands {
		if b.Least <= total && total <= b.Most {
			return b.Name
		}
	}
	return ""
}

// number returns the number of a scored item by its linkId, from 1; 0 for another item.
func (in *Instrument) number(linkID string) int {
	n, err := strconv.Atoi(linkID)
	if err != nil || n < 1 || n > in.Items || strconv.Itoa(n) != linkID {
		return 0
	}
	return n
}

// questionnaireName is the last segment of the path of a canonical: what may name an
// instrument.
func questionnaireName(canonical string) string {
	canonical, _, _ = strings.Cut(canonical, "#")
	canonical, _, _ = strings.Cut(canonical, "|")
	canonical, _, _ = strings.Cut(canonical, "?")
	canonical = strings.TrimRight(canonical, "/")
	return canonical[strings.LastIndexAny(canonical, "/:")+1:]
}

// known words the instruments there are.
func known() string { return fmt.Sprintf("the instruments are %s", strings.Join(Codes(), " and ")) }
