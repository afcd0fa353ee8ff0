package synth

// administrativeRows are the types that tell of people, organizations, places and things.
var administrativeRows = []typeRow{}

// administrativeLists are the lists of the document for them.
var administrativeLists = []*list{}
