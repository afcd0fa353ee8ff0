package synth

// organizationNames are what organizations of each type are called after the name of their
// city, in the order of organizationType.
var organizationNames = [...][]string{
	{" General Hospital", " Medical Centre", " Health Centre", " Family Practice", " Clinic", " Community Hospital"},
	{" Emergency Department", " Department of Medicine", " Department of Surgery", " Department of Radiology", " Laboratory"},
	{" Care Team", " Stroke Team", " Palliative Team"},
	{" Health Authority", " Public Health Office"},
	{" Mutual Insurance", " Health Assurance"},
	{" Health Fund", " Sickness Fund"},
	{" University", " School of Nursing"},
	{" Sisters of Charity", " Parish"},
	{" Research Institute", " Trials Centre"},
	{" Self-Help Group", " Neighbours' Aid"},
	{" Medical Supplies", " Instruments", " Catering"},
	{" Foundation", " Society"},
}
