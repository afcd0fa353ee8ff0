package synth

// organizationAffiliation writes an OrganizationAffiliation (section 2.13).
func organizationAffiliation(d *draft) {
	at := d.place()
	start := asOf.day() - day(d.between(100, 5000))
	end := day(0)
	switch d.weighted([]int{70, 20, 10}) {
	case 1:
		end = asOf.day() + day(d.between(30, 1000))
	case 2:
		end = start + day(d.between(30, 99))
	}
	// The other organizations follow the first one, and all three differ.
	first := d.number / roles[roleOrganization].share
	network := d.ref(roleNetwork)
	if network == "" {
		network = d.other("Organization", first+1)
	}
	participating := d.ref(roleParticipating)
	if participating == "" {
		participating = d.other("Organization", first+2+uint64(d.below(5)))
	}

	d.identifier("organization-affiliation")
	d.boolean("active", end == 0 || end > asOf.day())
	d.days("period", start, end)
	d.refer("organization", roleOrganization)
	d.reference("participatingOrganization", participating)
	d.references("network", network)
	d.concepts("code", d.draw(&affiliationRole))
	d.concepts("specialty", d.about("OrganizationAffiliation.specialty", branchSpecialty))
	d.refers("location", roleLocation)
	d.refers("healthcareService", roleHealthcareService)
	d.reception(&at)
	d.refers("endpoint", roleEndpoint)
}
