package synth

// pathologyTerms are examinations of tissue and cells, and what pathologists and nurses
// conclude.
var pathologyTerms = []term{
	{"pathology-examination", "Pathology examination", ""},
	{"histology", "Histology", "pathology-examination"},
	{"skin-biopsy", "Biopsy of the skin", "histology"},
	{"colon-biopsy", "Biopsy of the colon", "histology"},
	{"breast-biopsy", "Biopsy of the breast", "histology"},
	{"prostate-biopsy", "Biopsy of the prostate", "histology"},
	{"stomach-biopsy", "Biopsy of the stomach", "histology"},
	{"appendix-specimen", "Examination of an appendix", "histology"},
	{"cytology", "Cytology", "pathology-examination"},
	{"cervical-smear", "Cervical smear", "cytology"},
	{"thyroid-aspirate", "Aspirate of the thyroid", "cytology"},
	{"urine-cytology", "Cytology of urine", "cytology"},
	{"pathology-conclusion", "Conclusion of pathology", "conclusion"},
	{"normal-tissue", "Normal tissue", "pathology-conclusion"},
	{"inflamed-tissue", "Inflamed tissue", "pathology-conclusion"},
	{"benign-tumour", "Benign tumour", "pathology-conclusion"},
	{"malignant-tumour", "Malignant tumour", "pathology-conclusion"},
	{"changed-cells", "Changed cells, to be examined again", "pathology-conclusion"},
	{"too-little-material", "Too little material", "pathology-conclusion"},
	{"nursing-conclusion", "Conclusion of nurses", "conclusion"},
	{"patient-stable", "The patient is stable", "nursing-conclusion"},
	{"more-support-needed", "More support is needed", "nursing-conclusion"},
	{"close-observation-needed", "Close observation is needed", "nursing-conclusion"},
}
