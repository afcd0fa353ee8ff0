"""Every interaction that fhirpy and fhirclient offer, against the server whose base address is the
argument. What fhirpy receives is read by the models of fhir.resources."""
import sys

from fhir.resources.R4B import get_fhir_model_class
from fhirclient.models.bundle import Bundle
from fhirclient.models.observation import Observation
from fhirclient.models.patient import Patient
from fhirclient.server import FHIRServer
from fhirpy import SyncFHIRClient
from fhirpy.base.exceptions import MultipleResourcesFound, OperationOutcome, ResourceNotFound

base, done = sys.argv[1], []


class Client(SyncFHIRClient):
    def _do_request(self, *args, **kwargs):
        answer = super()._do_request(*args, **kwargs)
        body = answer[0] if isinstance(answer, tuple) else answer
        if body:
            get_fhir_model_class(body["resourceType"]).model_validate(body)
        return answer


def step(run):
    try:
        run()
    except BaseException:
        print(run.__name__, "failed after", ", ".join(done))
        raise
    done.append(run.__name__)


def equal(got, want):
    assert got == want, f"{got!r}, want {want!r}"


def fails(kind, run):
    try:
        run()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def observation(subject, n):
    return {"resourceType": "Observation", "status": "final", "subject": {"reference": subject}, "effectiveDateTime": f"2024-01-{n:02}",
            "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]}}


py = Client(base)
patients = py.resources("Patient")
mrn = "urn:example:mrn|1"


def anna(**more):
    return py.resource("Patient", identifier=[{"system": "urn:example:mrn", "value": "1"}], name=[{"family": "Pythagoras"}], **more)


@step
def fhirpy_get_or_create():
    first, created = patients.search(identifier=mrn).get_or_create(anna(gender="female"))
    equal(created, True)
    again, created = patients.search(identifier=mrn).get_or_create(anna(gender="male"))
    equal((again.id, again.gender, created, patients.search(identifier=mrn).count()), (first.id, "female", False, 1))


@step
def fhirpy_create_with_search():
    p = anna().create(identifier=mrn)
    equal((p.id, patients.search(identifier=mrn).count()), (patients.search(identifier=mrn).get().id, 1))
    py.resource("Patient", identifier=[{"value": "twin"}]).create()
    py.resource("Patient", identifier=[{"value": "twin"}]).create()
    fails(MultipleResourcesFound, lambda: patients.search(identifier="twin").get_or_create(anna()))


@step
def fhirpy_patch():
    p = patients.search(identifier=mrn).get()
    equal(p.patch(gender="other", birthDate="1980-02-29").birthDate, "1980-02-29")
    equal(py.patch("Patient", p.id, active=True).active, True)
    equal(patients.search(identifier=mrn).patch(gender="unknown").gender, "unknown")
    equal("birthDate" in py.patch("Patient", p.id, birthDate=None), False)
    p["gender"] = "male"
    equal(p.save(fields=["gender"]).gender, "male")
    fails(OperationOutcome, lambda: p.patch(gender="cat"))


@step
def fhirpy_update():
    p, created = patients.search(identifier=mrn).update(anna(gender="female"))
    equal((p.gender, created), ("female", False))
    p["active"] = False
    p.save()
    equal(py.get("Patient", p.id)["active"], False)
    equal(p.refresh().active, False)
    equal(py.reference("Patient", p.id).to_resource().id, p.id)


@step
def fhirpy_search():
    subject = "Patient/" + patients.search(identifier=mrn).get().id
    for n in range(1, 24):
        py.resource("Observation", **observation(subject, n)).save()
    found = py.resources("Observation").search(code="8867-4")
    equal(len(found.limit(10).fetch_all()), 23)
    equal((found.count(), found.sort("-date").first().effectiveDateTime), (23, "2024-01-23"))
    included = found.include("Observation", "subject").limit(5).fetch_raw().entry
    equal(sorted({e.resource.resourceType for e in included}), ["Observation", "Patient"])
    equal(len(patients.has("Observation", "patient", code="8867-4").fetch()), 1)
    equal(list(found.elements("status").first()["code"].keys()), ["coding"])  # mandatory elements stay


@step
def fhirpy_execute():
    p = patients.search(identifier=mrn).get()
    equal(p.is_valid(), True)
    equal(py.resource("Patient", gender="cat").is_valid(), False)
    equal(p.execute("$everything", method="get").total, 24)
    lookup = py.resources("CodeSystem").execute("$lookup", method="get", params={"system": "http://hl7.org/fhir/administrative-gender", "code": "male"})
    equal(lookup.resourceType, "Parameters")
    equal(py.execute(f"Patient/{p.id}/_history", method="get").type, "history")
    for kind in "transaction", "batch":
        answer = py.execute("", data={"resourceType": "Bundle", "type": kind, "entry": [
            {"resource": observation(p.to_reference().reference, 24), "request": {"method": "POST", "url": "Observation"}},
            {"request": {"method": "GET", "url": f"Patient/{p.id}"}},
            {"request": {"method": "GET", "url": "CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=male"}}]})
        equal([e.response.status[:3] for e in answer.entry], ["201", "200", "200"])


@step
def fhirpy_delete():
    py.resource("Patient", identifier=[{"value": "gone"}]).create()
    p = patients.search(identifier="gone").get()
    p.delete()
    fails(ResourceNotFound, lambda: py.get("Patient", p.id))
    equal(patients.search(identifier="gone").delete()[1], 204)


server = FHIRServer(None, base)


@step
def fhirclient_crud():
    p = Patient({"resourceType": "Patient", "name": [{"family": "Client"}]})
    p = Patient(p.create(server))
    p.gender = "female"
    equal(p.update(server)["gender"], "female")
    equal(Patient.read(p.id, server).gender, "female")
    p.delete(server)
    equal(list(Patient.where({"family": "Client"}).perform_resources_iter(server)), [])


@step
def fhirclient_search():
    one = Observation.where({"code": "8867-4", "_count": "10"}).include("subject")
    found = list(one.perform_resources_iter(server))
    equal({(r.resource_type, r.id) for r in found if r.resource_type == "Patient"}, {("Patient", patients.search(identifier=mrn).get().id)})
    equal(len({r.id for r in found if r.resource_type == "Observation"}), 25)
    back = Patient.where({"identifier": mrn}).include("subject", Observation, reverse=True)
    equal(len(list(back.perform_resources_iter(server))), 26)


@step
def fhirclient_transaction():
    b = Bundle({"resourceType": "Bundle", "type": "transaction", "entry": [
        {"fullUrl": "urn:uuid:6a4b2f5e-2b0e-4c57-9d3a-0f5f2f0e7c11", "resource": {"resourceType": "Patient"}, "request": {"method": "POST", "url": "Patient"}},
        {"resource": observation("urn:uuid:6a4b2f5e-2b0e-4c57-9d3a-0f5f2f0e7c11", 1), "request": {"method": "POST", "url": "Observation"}}]})
    answer = Bundle(b.create(server))
    equal([e.response.status[:3] for e in answer.entry], ["201", "201"])
    equal(answer.entry[1].resource.subject.reference, "Patient/" + answer.entry[0].resource.id)


@step
def fhirclient_capability():
    server.get_capability()
    equal(server.capabilityStatement.fhirVersion, "4.0.1")


print(f"{len(done)} steps: {', '.join(done)}")
