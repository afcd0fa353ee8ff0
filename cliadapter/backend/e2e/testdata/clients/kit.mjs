// Every interaction that fhir-kit-client offers, against the server whose base address is
// the argument.
import assert from 'node:assert/strict';
import { Client } from 'fhir-kit-client';
import { finish, start, steps } from './proxy.mjs';

const proxy = await start(process.argv[2]);
const client = new Client({ baseUrl: proxy.base });
const done = [];
const step = steps(proxy, done);
const fails = async (status, promise) => {
  await assert.rejects(promise, (e) => {
    assert.equal(e.response?.status, status);
    assert.equal(e.response.data.resourceType, 'OperationOutcome');
    return true;
  });
};
const patient = (family, more = {}) => ({
  resourceType: 'Patient', active: true, identifier: [{ system: 'urn:example:mrn', value: family }],
  name: [{ family, given: ['Kit'] }], gender: 'female', birthDate: '1980-02-29', ...more,
});
const observation = (subject, n) => ({
  resourceType: 'Observation', status: 'final', subject: { reference: subject }, effectiveDateTime: `2024-01-${String(n).padStart(2, '0')}`,
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
  valueQuantity: { value: 60 + n, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
});

let anna;
await step('capabilityStatement', async () => {
  const statement = await client.capabilityStatement();
  assert.equal(statement.fhirVersion, '4.0.1');
  const types = statement.rest[0].resource.map((r) => r.type);
  for (const type of ['Patient', 'Encounter', 'Condition', 'Observation', 'CodeSystem']) assert.ok(types.includes(type), type);
});
await step('create', async () => {
  anna = await client.create({ resourceType: 'Patient', body: patient('Kitten') });
  assert.ok(anna.id);
  assert.equal(anna.meta.versionId, '1');
});
await step('create, conditional', async () => {
  const again = await client.create({ resourceType: 'Patient', body: patient('Kitten'), options: { headers: { 'If-None-Exist': 'identifier=urn:example:mrn|Kitten' } } });
  assert.equal(again.id, anna.id);
});
await step('create, invalid', () => fails(422, client.create({ resourceType: 'Patient', body: patient('Odd', { gender: 'cat' }) })));
await step('read', async () => assert.deepEqual(await client.read({ resourceType: 'Patient', id: anna.id }), anna));
await step('read, unknown', () => fails(404, client.read({ resourceType: 'Patient', id: 'nobody' })));
await step('update', async () => {
  const changed = await client.update({ resourceType: 'Patient', id: anna.id, body: { ...anna, active: false } });
  assert.equal(changed.meta.versionId, '2');
});
await step('update, stale', () => fails(412, client.update({ resourceType: 'Patient', id: anna.id, body: { ...anna, gender: 'male' }, options: { headers: { 'If-Match': 'W/"1"' } } })));
await step('update, conditional', async () => {
  const changed = await client.update({ resourceType: 'Patient', searchParams: { identifier: 'urn:example:mrn|Kitten' }, body: patient('Kitten', { gender: 'male' }) });
  assert.equal(changed.id, anna.id);
  assert.equal(changed.meta.versionId, '3');
});
await step('patch', async () => {
  const changed = await client.patch({ resourceType: 'Patient', id: anna.id, jsonPatch: [{ op: 'replace', path: '/birthDate', value: '1981-03-01' }] });
  assert.equal(changed.birthDate, '1981-03-01');
});
await step('vread', async () => assert.equal((await client.vread({ resourceType: 'Patient', id: anna.id, version: '1' })).gender, 'female'));
await step('resourceHistory', async () => {
  const bundle = await client.resourceHistory({ resourceType: 'Patient', id: anna.id });
  assert.equal(bundle.type, 'history');
  assert.deepEqual(bundle.entry.map((e) => e.resource.meta.versionId), ['4', '3', '2', '1']);
});
await step('transaction', async () => {
  const uuid = 'urn:uuid:6a4b2f5e-2b0e-4c57-9d3a-0f5f2f0e7c11';
  const bundle = await client.transaction({ body: {
    resourceType: 'Bundle', type: 'transaction',
    entry: [
      { fullUrl: uuid, resource: patient('Bundled'), request: { method: 'POST', url: 'Patient' } },
      ...Array.from({ length: 25 }, (_, n) => ({ resource: observation(n < 20 ? uuid : `Patient/${anna.id}`, n + 1), request: { method: 'POST', url: 'Observation' } })),
      { request: { method: 'GET', url: `Patient/${anna.id}` } },
    ],
  } });
  assert.equal(bundle.type, 'transaction-response');
  assert.equal(bundle.entry.length, 27);
  for (const e of bundle.entry) assert.match(e.response.status, /^20/);
});
await step('transaction, refused whole', async () => {
  const body = { resourceType: 'Bundle', type: 'transaction', entry: [
    { resource: patient('Never'), request: { method: 'POST', url: 'Patient' } },
    { resource: { resourceType: 'Observation', status: 'final' }, request: { method: 'POST', url: 'Observation' } },
  ] };
  await fails(422, client.transaction({ body }));
  assert.equal((await client.resourceSearch({ resourceType: 'Patient', searchParams: { family: 'Never' } })).total, 0);
});
await step('batch', async () => {
  const bundle = await client.batch({ body: { resourceType: 'Bundle', type: 'batch', entry: [
    { resource: patient('Batched'), request: { method: 'POST', url: 'Patient' } },
    { request: { method: 'GET', url: 'Patient/nobody' } },
    { request: { method: 'GET', url: 'Patient?family=Kitten' } },
  ] } });
  assert.deepEqual(bundle.entry.map((e) => e.response.status.slice(0, 3)), ['201', '404', '200']);
});
await step('search', async () => {
  const bundle = await client.search({ resourceType: 'Patient', searchParams: { family: 'kit', gender: 'male' } });
  assert.equal(bundle.total, 1);
  assert.equal(bundle.entry[0].search.mode, 'match');
});
await step('resourceSearch, by POST', async () => {
  const bundle = await client.resourceSearch({ resourceType: 'Patient', searchParams: { name: 'Bundled' }, options: { postSearch: true } });
  assert.equal(bundle.total, 1);
});
await step('resourceSearch, chained with includes', async () => {
  const bundle = await client.resourceSearch({ resourceType: 'Observation', searchParams: { 'patient:Patient.family': 'Bundled', 'code': 'http://loinc.org|8867-4', 'value-quantity': 'gt70', '_include': 'Observation:patient', '_sort': '-date' } });
  assert.equal(bundle.total, 10);
  assert.equal(bundle.entry.filter((e) => e.search.mode === 'include').length, 1);
  assert.equal(bundle.entry[0].resource.effectiveDateTime, '2024-01-20');
});
await step('nextPage, prevPage', async () => {
  const first = await client.resourceSearch({ resourceType: 'Observation', searchParams: { code: '8867-4', _count: '10' } });
  const ids = (b) => b.entry.map((e) => e.resource.id);
  const seen = new Set(ids(first));
  const second = await client.nextPage({ bundle: first });
  ids(second).forEach((id) => seen.add(id));
  const third = await client.nextPage({ bundle: second });
  ids(third).forEach((id) => seen.add(id));
  assert.equal(seen.size, 25);
  assert.equal(client.nextPage({ bundle: third }), undefined);
  assert.deepEqual(ids(await client.prevPage({ bundle: second })), ids(first));
});
await step('systemSearch', async () => {
  const bundle = await client.systemSearch({ searchParams: { _type: 'Patient,Observation', _count: '5' } });
  assert.equal(bundle.type, 'searchset');
  assert.equal(bundle.entry.length, 5);
});
await step('compartmentSearch', async () => {
  const bundle = await client.compartmentSearch({ resourceType: 'Observation', compartment: { resourceType: 'Patient', id: anna.id }, searchParams: { code: '8867-4' } });
  assert.equal(bundle.total, 5);
});
await step('operation, $everything', async () => {
  const bundle = await client.operation({ name: '$everything', resourceType: 'Patient', id: anna.id, method: 'GET' });
  assert.equal(bundle.entry.length, 6);
});
await step('operation, $validate', async () => {
  const outcome = await client.operation({ name: 'validate', resourceType: 'Patient', method: 'POST', input: patient('Fine') });
  assert.equal(outcome.resourceType, 'OperationOutcome');
});
await step('operation, $lookup', async () => {
  const answer = await client.operation({ name: 'lookup', resourceType: 'CodeSystem', method: 'GET', input: { system: 'http://hl7.org/fhir/administrative-gender', code: 'female' } });
  assert.equal(answer.resourceType, 'Parameters');
});
await step('resolve', async () => {
  const [entry] = (await client.compartmentSearch({ resourceType: 'Observation', compartment: { resourceType: 'Patient', id: anna.id } })).entry;
  assert.equal((await client.resolve({ reference: entry.resource.subject.reference, context: entry.resource })).id, anna.id);
});
await step('request', async () => assert.equal((await client.request(`Patient/${anna.id}?_elements=gender`)).gender, 'male'));
await step('typeHistory', async () => {
  const bundle = await client.typeHistory({ resourceType: 'Patient' });
  assert.equal(bundle.entry.length, 6);
});
await step('systemHistory', async () => assert.equal((await client.systemHistory()).type, 'history'));
await step('delete', async () => {
  await client.delete({ resourceType: 'Patient', id: anna.id });
  await fails(410, client.read({ resourceType: 'Patient', id: anna.id }));
  const bundle = await client.history({ resourceType: 'Patient', id: anna.id });
  assert.equal(bundle.entry[0].request.method, 'DELETE');
});
finish(proxy, done);
