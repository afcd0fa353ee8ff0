// Checks each line of the standard input, a resource, against the JSON schema of R4. It
// prints how many there were of each type, and ends with 1 when one is not valid.
import readline from 'node:readline';
import { problems } from './schema.mjs';

const counts = {};
let wrong = 0;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const resource = JSON.parse(line);
  const type = resource.resourceType;
  counts[type] = (counts[type] ?? 0) + 1;
  const found = problems(resource, `${type}/${resource.id}`);
  if (found.length > 0 && wrong++ < 40) console.error(found.join('\n'));
}
console.log(JSON.stringify(counts));
process.exitCode = wrong > 0 ? 1 : 0;
