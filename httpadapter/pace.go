package httpadapter

import "time"

// A pace is how fast a client must send a body and read a large answer, so that one that stops
// halfway does not hold a connection and memory for long.
type pace struct {
	grace time.Duration // before anything has to be there
	rate  int           // bytes a second after that
	whole time.Duration // in which a client must have taken all of an answer
}

func defaultPace() pace {
	return pace{grace: 10 * time.Second, rate: 4 << 10, whole: 5 * time.Minute}
}

// within returns the time for n bytes.
func (p pace) within(n int) time.Duration {
	return p.grace + time.Duration(n)*time.Second/time.Duration(p.rate)
}
