package synth

var (
	deviceStatus = codeList{
		path: "Device.status",
		codes: []weightedCode{
			{"active", "", 80, false},
			{"inactive", "", 14, false},
			{"entered-in-error", "", 2, false},
			{"unknown", "", 4, false},
		},
	}
	deviceNameType = codeList{
		path: "Device.deviceName.type",
		codes: []weightedCode{
			{"udi-label-name", "", 35, false},
			{"user-friendly-name", "", 25, false},
			{"patient-reported-name", "", 10, false},
			{"manufacturer-name", "", 15, false},
			{"model-name", "", 10, false},
			{"other", "", 5, false},
		},
	}
	// The following elements have no documented codes. These are from R4.
	deviceOnReason = codeList{
		path: "Device.statusReason", system: "http://terminology.hl7.org/CodeSystem/device-status-reason",
		codes: []weightedCode{
			{"online", "Online", 60, false},
			{"paused", "Paused", 15, false},
			{"standby", "Standby", 25, false},
		},
	}
	deviceOffReason = codeList{
		path: "Device.statusReason", system: "http://terminology.hl7.org/CodeSystem/device-status-reason",
		codes: []weightedCode{
			{"offline", "Offline", 30, false},
			{"not-ready", "Not Ready", 10, false},
			{"transduc-discon", "Transducer Disconnected", 15, false},
			{"hw-discon", "Hardware Disconnected", 15, false},
			{"off", "Off", 30, false},
		},
	}
	deviceEntry = codeList{
		path: "Device.udiCarrier.entryType",
		codes: []weightedCode{
			{"barcode", "", 60, false},
			{"rfid", "", 10, false},
			{"manual", "", 15, false},
			{"card", "", 5, false},
			{"self-reported", "", 5, false},
			{"unknown", "", 5, false},
		},
	}
)
