package synth

// A questionnaireTemplate is a questionnaire written for this project. Templates named after
// known screenings share their structure, item numbers and scores, but not their sentences, which
// are copyrighted.
type questionnaireTemplate struct {
	id, title string
	items     []question
}

// A question is an item of a questionnaire and of its responses.
type question struct {
	link, text string
	// typ is the value of Questionnaire.item.type.
	typ string
	// low and high bound the answers, in units of 10 to the power of -scale. For dates they are
	// days before the response, for times minutes of the day. With typ choice and no options, the
	// answers are the whole numbers from low to high.
	low, high, scale int
	unit             unit
	options          []term   // the choices, after their parent concept
	texts            []string // possible answers of type string, text and url
	repeats          bool     // two answers are possible
	// percent is the percentage of responses that answer the question, 0 for all. The first
	// question of a group is always answered.
	percent int
	// items are the items of a group, or the questions that follow the answer yes.
	items []question
}

// questionnaires are the templates, in the order of questionnaireTemplates.
var questionnaires = []questionnaireTemplate{
	{"phq-9", "Mood in the last two weeks", moodQuestions},
	{"gad-7", "Worries in the last two weeks", worryQuestions},
	{"pain-assessment", "Pain", painQuestions},
	{"covid-screening", "Infection of the airways: what to ask at the door", doorQuestions},
	{"health-intake", "Before the first visit", intakeQuestions},
}

var questionnaireTemplates = []string{"phq-9", "gad-7", "pain-assessment", "covid-screening", "health-intake"}

// questionnaireTemplateOf returns the template with an id.
func questionnaireTemplateOf(id string) *questionnaireTemplate {
	for i := range questionnaires {
		if questionnaires[i].id == id {
			return &questionnaires[i]
		}
	}
	return &questionnaires[0]
}

// isScore reports whether a question is answered with a whole number.
func (q *question) isScore() bool { return q.typ == "choice" && q.options == nil }
