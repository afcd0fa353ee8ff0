// fhirclient, without authorization: it follows references and pages of the server whose
// base address is the argument.
import assert from 'node:assert/strict';
import FHIR from 'fhirclient';
import { finish, start, steps } from './proxy.mjs';

const proxy = await start(process.argv[2]);
const client = FHIR.client ? FHIR.client({ serverUrl: proxy.base }) : FHIR().client(proxy.base);
const done = [];
const step = steps(proxy, done);

const doctor = await client.create({ resourceType: 'Practitioner', name: [{ family: 'Smart' }] });
const house = await client.create({ resourceType: 'Organization', name: 'Smart House' });
const patient = await client.create({
  resourceType: 'Patient', name: [{ family: 'Client' }],
  managingOrganization: { reference: `Organization/${house.id}` }, generalPractitioner: [{ reference: `Practitioner/${doctor.id}` }],
});
const total = 120;
for (let n = 0; n < total; n++) {
  await client.create({
    resourceType: 'Encounter', status: 'finished', class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: `Patient/${patient.id}` }, serviceProvider: { reference: `Organization/${house.id}` },
    period: { start: new Date(Date.UTC(2020, 0, 1 + n)).toISOString() },
  });
}
await step('release', async () => assert.equal(await client.getFhirRelease(), 4));
await step('references of a resource', async () => {
  const found = await client.request(`Patient/${patient.id}`, { resolveReferences: ['managingOrganization', 'generalPractitioner'] });
  assert.equal(found.managingOrganization.name, 'Smart House');
  assert.equal(found.generalPractitioner[0].name[0].family, 'Smart');
});
await step('pages', async () => {
  const pages = await client.request(`Encounter?subject=Patient/${patient.id}&_count=50`, { pageLimit: 0 });
  assert.deepEqual(pages.map((p) => p.entry.length), [50, 50, 20]);
});
await step('pages, flat, with references', async () => {
  const list = await client.request(`Encounter?subject=Patient/${patient.id}&_sort=date`, { pageLimit: 0, flat: true, resolveReferences: ['serviceProvider'] });
  assert.equal(list.length, total);
  assert.equal(new Set(list.map((e) => e.id)).size, total);
  assert.ok(list.every((e) => e.serviceProvider.name === 'Smart House'));
  const starts = list.map((e) => e.period.start);
  assert.deepEqual(starts, [...starts].sort());
});
await step('graph', async () => {
  const graph = await client.request(`Encounter?subject=Patient/${patient.id}&_count=10`, { graph: true, resolveReferences: ['subject', 'subject.managingOrganization'] });
  assert.equal(graph.entry[0].resource.subject.managingOrganization.name, 'Smart House');
});
await step('resources, one by one', async () => {
  let n = 0;
  for await (const encounter of client.resources(`Encounter?subject=Patient/${patient.id}`, {})) {
    assert.equal(encounter.resourceType, 'Encounter');
    n++;
  }
  assert.equal(n, total);
});
await step('update', async () => assert.equal((await client.update({ ...patient, active: true })).active, true));
await step('patch', async () => {
  const changed = await client.patch(`Patient/${patient.id}`, [{ op: 'add', path: '/gender', value: 'other' }]);
  assert.equal(changed.gender, 'other');
});
await step('delete', async () => {
  await client.delete(`Practitioner/${doctor.id}`);
  await assert.rejects(client.request(`Practitioner/${doctor.id}`), /410|gone/i);
});
finish(proxy, done);
