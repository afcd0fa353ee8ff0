package synth

// A template is a questionnaire of our own making. Those called as known screenings have
// their shape, the numbers of their items and the scores of their answers, and not their
// sentences, which belong to others.
type template struct {
	id, title string
	items     []question
}

// A question is an item of a questionnaire and of the responses to it.
type question struct {
	link, text string
	// typ is the type of the item: of Questionnaire.item.type.
	typ string
	// low and high bound the answers, in units of 10 to the power of -scale; for dates they
	// are days before the response, for times minutes of the day. With typ choice and no
	// options the answers are the whole numbers from low to high.
	low, high, scale int
	unit             unit
	options          []term   // what there is to choose from, after their parent
	texts            []string // answers of type string, text and url
	repeats          bool     // there can be two answers
	// percent is how often the question is answered, 0 for always. In a group the first
	// question always is.
	percent int
	// items are those of a group; of a question they stand below the answer yes.
	items []question
}

// templates are the questionnaires, in the order of questionnaireTemplates.
var templates = []template{
	{"phq-9", "Mood in the last two weeks", moodQuestions},
	{"gad-7", "Worries in the last two weeks", worryQuestions},
	{"pain-assessment", "Pain", painQuestions},
	{"covid-screening", "Infection of the airways: what to ask at the door", doorQuestions},
	{"health-intake", "Before the first visit", intakeQuestions},
}

var questionnaireTemplates = []string{"phq-9", "gad-7", "pain-assessment", "covid-screening", "health-intake"}

// templateOf finds a template by its id.
func templateOf(id string) *template {
	for i := range templates {
		if templates[i].id == id {
			return &templates[i]
		}
	}
	return &templates[0]
}

// isScore tells of questions that are answered with one of a few whole numbers.
func (q *question) isScore() bool { return q.typ == "choice" && q.options == nil }
