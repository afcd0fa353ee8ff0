package synth

// definitionalRows are the types of questionnaires, research, quality and terminology.
var definitionalRows = []typeRow{}

// definitionalLists are the lists of the document for them.
var definitionalLists = []*list{}
