package synth

// score returns a question that is answered with a frequency from 0 (never) to 3 (nearly every
// day).
func score(link, text string) question {
	return question{link: link, text: text, typ: "choice", high: 3}
}

var moodQuestions = []question{
	score("1", "Took no pleasure in things"),
	score("2", "Felt low"),
	score("3", "Slept badly, or too much"),
	score("4", "Had no energy"),
	score("5", "Ate too little, or too much"),
	score("6", "Thought badly of oneself"),
	score("7", "Could not keep the mind on something"),
	score("8", "Was slowed down, or could not sit still"),
	score("9", "Thought of death or of self-harm"),
	{link: "10", text: "How hard did this make the day?", typ: "choice", options: difficulties, percent: 80},
}

var worryQuestions = []question{
	score("1", "Was nervous"),
	score("2", "Could not stop worrying"),
	score("3", "Worried about too many things"),
	score("4", "Could not relax"),
	score("5", "Was too restless to sit"),
	score("6", "Lost patience easily"),
	score("7", "Was afraid that something bad would come"),
}

var doorQuestions = []question{
	{link: "1", text: "Fever today?", typ: "boolean", items: []question{
		{link: "1.1", text: "Temperature", typ: "quantity", low: 378, high: 405, scale: 1, unit: unit{"degrees Celsius", "Cel"}},
		{link: "1.2", text: "Since when?", typ: "date", high: 6},
	}},
	{link: "2", text: "Which of these?", typ: "choice", options: coldSigns, repeats: true},
	{link: "3", text: "Near somebody who is ill?", typ: "boolean", items: []question{
		{link: "3.1", text: "Last on", typ: "date", high: 13},
		{link: "3.2", text: "Where?", typ: "string", texts: []string{"At home", "At work", "At school", "On the train"}, percent: 70},
	}},
	{link: "4", text: "Tested this week?", typ: "boolean", items: []question{
		{link: "4.1", text: "Time of the swab", typ: "dateTime", high: 6},
		{link: "4.2", text: "Result", typ: "choice", options: testResults},
		{link: "4.3", text: "Picture of the test", typ: "attachment", percent: 50},
	}},
	{link: "5", text: "Number of vaccinations", typ: "integer", high: 5, percent: 90},
}
