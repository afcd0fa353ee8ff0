package synth

// A modality describes the image series that one kind of device produces.
type modality struct {
	code string
	// sop is the SOP class of its objects: the suffix after 1.2.840.10008.5.1.4.1.1. of the OID
	// that DICOM assigns.
	sop, sopName         string
	maxSeries            int // of a study
	minImages, maxImages int // per series
	titles               []string
	procedures, sites    []string // procedures of Clinic, and the body site of each
}

// modalities are the modalities of the list imagingModality, in its order.
var modalities = []modality{
	{"CT", "2", "CT Image Storage", 4, 4, 12, []string{"Scout", "Native", "Arterial phase", "Venous phase"}, []string{"ct-head", "ct-chest", "ct-abdomen"}, []string{"head", "chest", "abdomen"}},
	{"MR", "4", "MR Image Storage", 5, 3, 10, []string{"Localizer", "T1", "T2", "FLAIR", "Diffusion"}, []string{"mr-brain", "mr-knee", "mr-spine"}, []string{"head", "knee", "back"}},
	{"US", "6.1", "Ultrasound Image Storage", 2, 2, 8, []string{"Overview", "Doppler"}, []string{"us-abdomen", "us-thyroid", "us-leg-veins"}, []string{"abdomen", "neck", "leg"}},
	{"DX", "1.1", "Digital X-Ray Image Storage - For Presentation", 2, 1, 2, []string{"Frontal", "Lateral"}, []string{"x-ray-chest", "x-ray-hand", "x-ray-hip", "x-ray-ankle"}, []string{"chest", "hand", "hip", "ankle"}},
	{"CR", "1", "Computed Radiography Image Storage", 1, 1, 2, []string{"Frontal"}, []string{"bedside-x-ray-chest"}, []string{"chest"}},
	{"NM", "20", "Nuclear Medicine Image Storage", 2, 1, 4, []string{"Early", "Late"}, []string{"bone-scintigraphy", "thyroid-scintigraphy"}, []string{"", "neck"}},
	{"PT", "128", "Positron Emission Tomography Image Storage", 2, 4, 10, []string{"Attenuation corrected", "Not corrected"}, []string{"pet-whole-body"}, []string{""}},
	{"XA", "12.1", "X-Ray Angiographic Image Storage", 4, 1, 5, []string{"Survey", "Left", "Right", "After treatment"}, []string{"coronary-angiography", "cerebral-angiography"}, []string{"chest", "head"}},
	{"MG", "1.2", "Digital Mammography X-Ray Image Storage - For Presentation", 2, 2, 2, []string{"Left", "Right"}, []string{"mammography"}, []string{"breast"}},
	{"RF", "12.2", "X-Ray Radiofluoroscopic Image Storage", 2, 1, 6, []string{"Upright", "Lying"}, []string{"barium-swallow"}, []string{"neck"}},
}

// modalityOf returns the modality for a code.
func modalityOf(code string) *modality {
	for i := range modalities {
		if modalities[i].code == code {
			return &modalities[i]
		}
	}
	return &modalities[0]
}

// examined returns the modality and body site of an imaging procedure of Clinic, or nil for other
// codes.
func examined(procedure Coding) (m *modality, site string) {
	if procedure.System != ClinicURL {
		return nil, ""
	}
	for i := range modalities {
		for n, code := range modalities[i].procedures {
			if code == procedure.Code {
				return &modalities[i], modalities[i].sites[n]
			}
		}
	}
	return nil, ""
}

var (
	imagingStatus = codeList{
		path: "ImagingStudy.status",
		codes: []weightedCode{
			{"registered", "", 5, false},
			{"available", "", 85, false},
			{"cancelled", "", 5, false},
			{"entered-in-error", "", 3, false},
			{"unknown", "", 2, false},
		},
	}
	imagingModality = codeList{
		path: "ImagingStudy.modality", system: "http://dicom.nema.org/resources/ontology/DCM",
		codes: []weightedCode{
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
