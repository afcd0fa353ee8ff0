package cliadapter

// defaultData is the data folder of serve, and of queries when it is there.
const defaultData = "./roget-data"

// Groups of commands in the overview.
const (
	groupRun       = "Run"
	groupData      = "Data"
	groupResources = "Resources"
	groupQuery     = "Ask"
	groupPlatform  = "Platform"
	groupOther     = "Other"
)

// commonOptions are the flags that every query command has beside its parameters.
var commonOptions = []string{"load", "data", "output", "pretty", "quiet", "json", "help"}

func dataOption(usage string) *option {
	return &option{names: []string{"data", "d"}, value: true, files: true, env: "ROGET_DATA", hint: "DIR", usage: usage}
}

// sourceOptions say what a query is answered from.
func sourceOptions() options {
	return options{
		{
			names: []string{"load", "l"}, value: true, many: true, files: true, hint: "PATH",
			usage: "Read a file, folder or archive in any format that roget load knows.",
		},
		dataOption("Answer from a data folder made by roget load or serve. Without --load and --data: " +
			defaultData + " when it is there, and the built-in samples."),
	}
}

// outputOptions say how an answer is printed.
func outputOptions() options {
	return options{
		{
			names: []string{"output", "o"}, value: true, choices: []string{"table", "json"}, hint: "FORM", preset: "table",
			usage: "table for people; json for programs: answers to questions are the FHIR resource that the HTTP service returns.",
		},
		{names: []string{"pretty"}, usage: "Indent JSON."},
		quietOption(),
	}
}

func quietOption() *option {
	return &option{names: []string{"quiet", "q"}, usage: "No progress, no notes on standard error; errors only."}
}
