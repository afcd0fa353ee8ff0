// Package score computes the score of a QuestionnaireResponse to an instrument: PHQ-9 for
// depression, and GAD-7 for anxiety.
//
// The score is the sum of valueInteger over the items with linkId 1 to 9, or 1 to 7, at any depth
// of item.item and answer.item. Nothing is guessed: if an item has no answer, there is no total and
// no band, only the sum of the answers that exist. A value other than an integer from 0 to 3 is an
// error that names the item, the value, and what was expected.
//
// Source: section 2.19 of the clinical document.
package score
