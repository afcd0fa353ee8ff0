package synth

var (
	imagingStatus = list{
		path: "ImagingStudy.status",
		codes: []listed{
			{"registered", "", 5, false},
			{"available", "", 85, false},
			{"cancelled", "", 5, false},
			{"entered-in-error", "", 3, false},
			{"unknown", "", 2, false},
		},
	}
	imagingModality = list{
		path: "ImagingStudy.modality", system: "http://dicom.nema.org/resources/ontology/DCM",
		codes: []listed{
			{"CT", "Computed Tomography", 22, false},
			{"MR", "Magnetic Resonance", 16, false},
			{"US", "Ultrasound", 20, false},
			{"DX", "Digital Radiography", 20, false},
			{"CR", "Computed Radiography", 6, false},
			{"NM", "Nuclear Medicine", 3, false},
			{"PT", "Positron emission tomography", 3, false},
			{"XA", "X-Ray Angiography", 3, false},
			{"MG", "Mammography", 5, false},
			{"RF", "Radiofluoroscopy", 2, false},
		},
	}
)
