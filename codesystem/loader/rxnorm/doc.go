// Package rxnorm reads a release of RxNorm in its Rich Release Format (RRF): the folder or zip
// archive as the U.S. National Library of Medicine publishes it, full or prescribable.
//
// The code system is http://www.nlm.nih.gov/research/umls/rxnorm. Its codes are the RXCUIs with an
// atom from the source RXNORM. The display is the normalised name (SCD, SBD, IN, BN and so on),
// else the prescribable name or a synonym; the other names are designations with the term type as
// use. A concept whose atoms are all suppressed is inactive, as is a concept that only occurs in
// RXNATOMARCHIVE.
//
// Properties are TTY, SAB (every source with an atom of the concept), STY (a Coding of the
// semantic type), SUPPRESS, MERGED_TO_RXCUI, RxNorm's own attributes in RXNSAT (RXN_STRENGTH, NDC,
// …), and its relationships by their kind (REL) and by their label.
//
// A relationship is stored with the concept that has it. RXNREL states what the second concept is
// to the first, so a clinical drug has has_ingredient with its ingredients. RxNorm states each
// relationship from both sides.
//
// Only RXNCONSO.RRF is required. Relationships between atoms, and those of other sources, are not
// read.
package rxnorm
