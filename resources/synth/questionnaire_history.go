package synth

var painQuestions = []question{
	{link: "1", text: "Any pain today?", typ: "boolean", items: []question{
		{link: "1.1", text: "Where?", typ: "string", texts: []string{"Lower back", "Left knee", "Right shoulder", "Head", "Belly"}},
		{link: "1.2", text: "How bad now, from 0 to 10?", typ: "integer", high: 10},
		{link: "1.3", text: "How bad in the last week, on average?", typ: "decimal", high: 100, scale: 1},
		{link: "1.4", text: "What is it like?", typ: "choice", options: painQualities, repeats: true},
		{link: "1.5", text: "Since when?", typ: "date", low: 1, high: 700},
		{link: "1.6", text: "Worst at what time of the day?", typ: "time", low: 0, high: 23*60 + 45, percent: 60},
	}},
	{link: "2", text: "Anything taken for it?", typ: "boolean", items: []question{
		{link: "2.1", text: "What?", typ: "string", texts: []string{"Paracetamol", "Ibuprofen", "Herbal tea", "A cream"}},
		{link: "2.2", text: "How much?", typ: "quantity", low: 100, high: 1_000, unit: unit{"mg", "mg"}, percent: 70},
		{link: "2.3", text: "Last time", typ: "dateTime", high: 3},
		{link: "2.4", text: "Did it help?", typ: "boolean", items: []question{
			{link: "2.4.1", text: "For how many hours?", typ: "integer", low: 1, high: 12},
		}},
	}},
	{link: "3", text: "How much it gets in the way, from 0 to 10", typ: "group", items: []question{
		{link: "3.1", text: "Of sleep", typ: "integer", high: 10},
		{link: "3.2", text: "Of walking", typ: "integer", high: 10, percent: 90},
		{link: "3.3", text: "Of work", typ: "integer", high: 10, percent: 85},
		{link: "3.4", text: "Of joy", typ: "integer", high: 10, percent: 90},
	}},
}

var intakeQuestions = []question{
	{link: "body", text: "Body", typ: "group", items: []question{
		{link: "body.height", text: "Height", typ: "quantity", low: 150, high: 195, unit: unit{"cm", "cm"}},
		{link: "body.weight", text: "Weight", typ: "quantity", low: 480, high: 1_150, scale: 1, unit: unit{"kg", "kg"}},
	}},
	{link: "habits", text: "Habits", typ: "group", items: []question{
		{link: "habits.smoking", text: "Smoking", typ: "choice", options: smokingHabits},
		{link: "habits.alcohol", text: "Glasses of alcohol a week", typ: "decimal", high: 140, scale: 1, percent: 80},
		{link: "habits.bedtime", text: "Time of going to bed", typ: "time", low: 20 * 60, high: 23*60 + 45, percent: 70},
		{link: "habits.sport", text: "Sport", typ: "group", items: []question{
			{link: "habits.sport.kind", text: "Which?", typ: "string", texts: []string{"None", "Swimming", "Running", "Chess"}},
			{link: "habits.sport.hours", text: "Hours a week", typ: "integer", high: 12, percent: 70},
		}},
	}},
	{link: "allergy", text: "Any allergy?", typ: "boolean", items: []question{
		{link: "allergy.to", text: "To what?", typ: "choice", options: allergens, repeats: true},
		{link: "allergy.since", text: "Known since", typ: "date", low: 30, high: 5_000},
		{link: "allergy.card", text: "Allergy card", typ: "attachment", percent: 40},
	}},
	{link: "care", text: "Care until now", typ: "group", items: []question{
		{link: "care.last", text: "Last visit to a doctor", typ: "dateTime", low: 1, high: 400},
		{link: "care.doctor", text: "Who was it?", typ: "reference", percent: 80},
		{link: "care.record", text: "Where is the record?", typ: "url", texts: []string{"https://records.example.org/family-practice", "https://records.example.org/hospital", "urn:oid:2.999.1"}, percent: 60},
	}},
	{link: "wish", text: "What is the visit for?", typ: "text", texts: []string{"A check, nothing special.", "Tired for some weeks.", "A second opinion on an operation.", "A prescription is running out."}},
	{link: "agreed", text: "May we write to the family doctor?", typ: "boolean"},
}
