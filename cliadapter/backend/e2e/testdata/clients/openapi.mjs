// @ts-check
// A client that openapi-fetch makes of the types that openapi-typescript generates from the OpenAPI
// document. The compiler of TypeScript checks this file by them; the argument is the address of the
// server, which has its samples.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';

/** @typedef {import('./node_modules/.openapi/types.js').paths} paths */
/** @typedef {import('./node_modules/.openapi/types.js').components['schemas']['Patient']} Patient */

/** @type {import('openapi-fetch').Client<paths>} */
const client = createClient({ baseUrl: process.argv[2] });
let calls = 0;

/**
 * Returns the resource of a response, which is not XML as nobody asked for that.
 * @template T
 * @param {number} status
 * @param {{ data?: T, error?: unknown, response: Response }} answer
 * @returns {Exclude<T, string | undefined>}
 */
function resource(status, { data, error, response }) {
  calls += 1;
  assert.equal(response.status, status, JSON.stringify(error));
  assert.ok(data !== undefined && typeof data === 'object');
  return /** @type {Exclude<T, string | undefined>} */ (data);
}

/**
 * Returns the parameter of a name.
 * @template {{ name?: string }} P
 * @param {{ parameter?: P[] }} parameters
 * @param {P['name']} name
 */
const named = (parameters, name) => parameters.parameter?.find((p) => p.name === name);

const animals = 'https://roget.health/fhir/CodeSystem/animals';
const pets = 'https://roget.health/fhir/ValueSet/pets';

const statement = resource(200, await client.GET('/metadata'));
assert.equal(statement.resourceType === 'CapabilityStatement' && statement.fhirVersion, '4.0.1');

/** @type {Patient} */
const anna = { resourceType: 'Patient', name: [{ family: 'Typed', given: ['Anna'] }], gender: 'female' };
const made = resource(201, await client.POST('/Patient', { body: anna }));
assert.ok(made.resourceType === 'Patient' && made.id);
const params = { path: { id: made.id } };
const read = resource(200, await client.GET('/Patient/{id}', { params }));
assert.equal(read.name?.[0]?.family, 'Typed');
const changed = resource(200, await client.PUT('/Patient/{id}', { params, body: { ...read, birthDate: '1980-02-29' } }));
assert.ok(changed.resourceType === 'Patient' && changed.meta?.versionId === '2');
const found = resource(200, await client.GET('/Patient', { params: { query: { family: ['typed'], _summary: 'true' } } }));
assert.equal(found.total, 1);

const dog = resource(200, await client.GET('/CodeSystem/$lookup', { params: { query: { system: animals, code: 'dog' } } }));
assert.equal(named(dog, 'display')?.valueString, 'Dog');
const valid = resource(200, await client.POST('/ValueSet/$validate-code', {
  body: { resourceType: 'Parameters', parameter: [{ name: 'url', valueUri: pets }, { name: 'coding', valueCoding: { system: animals, code: 'dog' } }] },
}));
assert.equal(named(valid, 'result')?.valueBoolean, true);
const expanded = resource(200, await client.GET('/ValueSet/$expand', { params: { query: { url: pets, count: 2 } } }));
assert.equal(expanded.expansion?.contains?.length, 2);
const translated = resource(200, await client.GET('/ConceptMap/$translate', { params: { query: { system: 'https://roget.health/fhir/CodeSystem/triage-colours', code: 'red' } } }));
assert.equal(named(translated, 'result')?.valueBoolean, true);
const order = resource(200, await client.GET('/CodeSystem/$subsumes', { params: { query: { system: animals, codeA: 'dog', codeB: 'sheepdog' } } }));
assert.equal(named(order, 'outcome')?.valueCode, 'subsumes');

// What the document excludes does not compile. The server refuses it as well.
// @ts-expect-error: no such gender
const cat = await client.POST('/Patient', { body: { ...anna, gender: 'cat' } });
assert.equal(cat.response.status, 422);
// @ts-expect-error: no such operation
const nothing = await client.GET('/Patient/$lookup');
assert.ok(nothing.response.status >= 400);

const removed = await client.DELETE('/Patient/{id}', { params });
assert.equal(removed.response.status, 204);
const gone = await client.GET('/Patient/{id}', { params });
assert.equal(gone.response.status, 410);
assert.ok(typeof gone.error === 'object' && gone.error.issue[0]?.severity === 'error');
console.log(`${calls + 4} calls`);
