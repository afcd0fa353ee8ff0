// Package score adds up the answers of a QuestionnaireResponse to the score of an
// instrument: PHQ-9, for depression, and GAD-7, for anxiety.
//
// The score is the sum of valueInteger over the items with linkId 1 to 9, or 1 to 7, at
// any depth of item.item and answer.item. Nothing is guessed: while an item has no answer
// there is no total and no band, only the sum of what there is; what is no score from 0 to
// 3 is an error that names the item, what was found and what is right.
//
// Source: section 2.19 of the clinical document.
package score
