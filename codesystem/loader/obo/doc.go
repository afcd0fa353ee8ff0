// Package obo reads ontologies of the Open Biomedical Ontologies: files in OBO 1.2 and 1.4 (.obo)
// and OBO graphs (.json). Each becomes one code system:
//
//   - Terms, or nodes of the kind CLASS, are concepts with their identifiers as codes:
//     HP:0000118. IRIs below http://purl.obolibrary.org/obo/ are shortened to this form, others
//     are unchanged. Anonymous terms, and nodes without any description, are left out.
//   - is_a is the hierarchy. A parent that the file does not describe becomes a value of the
//     property is_a. An is_a or relationship that only holds in a context (gci_relation) is left
//     out.
//   - Relationships are properties with codes as values, named after their type.
//   - Synonyms are designations. Their use is their scope (hasExactSynonym and so on, in
//     http://www.geneontology.org/formats/oboInOwl), or their type if they have one (layperson,
//     in the ontology's url). With a type, a scope other than exact is stored in the extension
//     for R5's additionalUse. The type uk_spelling is the language en-GB. Formulas and similar
//     data (FORMULA, SMILES, InChI, InChIKey) become properties.
//   - Obsolete terms are inactive, with replacedBy and consider; alternate identifiers are
//     values of alternateCode. Definitions, comments, cross-references, subsets, namespaces,
//     creation and annotations (property_value) are stored; the sources of definitions and
//     synonyms are not.
//   - Logical definitions (intersection_of, union_of, equivalent_to, disjoint_from), instances,
//     imports and rules of the header are not read: in released files the hierarchy contains
//     their consequences. Axioms reads the definitions, to be classified.
//
// The file is read twice, first for its definitions, so that memory only holds identifiers besides
// the index.
package obo
