// A proxy between a client and the server under test that checks every body the server
// returns against the JSON schema of FHIR R4.
import http from 'node:http';
import { problems } from './schema.mjs';

// start gives the address to talk to, and what was found.
export async function start(target) {
  const to = new URL(target);
  const seen = { bodies: 0, problems: [] };
  const server = http.createServer((request, response) => {
    const onward = http.request({ host: to.hostname, port: to.port, method: request.method, path: request.url, headers: { ...request.headers, 'accept-encoding': 'identity' } }, (answer) => {
      const chunks = [];
      answer.on('data', (c) => chunks.push(c));
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        const what = `${request.method} ${request.url} ${answer.statusCode}`;
        if (body.length > 0) {
          seen.bodies++;
          if (!/^application\/(fhir\+)?json/.test(answer.headers['content-type'] ?? '')) seen.problems.push(`${what}: content type ${answer.headers['content-type']}`);
          try {
            seen.problems.push(...problems(JSON.parse(body), `${what}: `));
          } catch (e) {
            seen.problems.push(`${what}: ${e.message}`);
          }
        }
        response.writeHead(answer.statusCode, answer.headers);
        response.end(body);
      });
    });
    onward.on('error', (e) => { response.writeHead(502); response.end(String(e)); });
    request.pipe(onward);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${server.address().port}${to.pathname.replace(/\/$/, '')}`, seen, close: () => { server.closeAllConnections(); server.close(); } };
}

// steps gives a function that runs a step by its name and keeps the name of what worked;
// the first that fails ends the process.
export function steps(proxy, done) {
  return async (name, run) => {
    try {
      await run();
      done.push(name);
    } catch (e) {
      proxy.close();
      console.error(`${name}: ${e.stack}\n${JSON.stringify(e.response?.data ?? {})}`);
      process.exit(1);
    }
  };
}

// finish prints what was done and ends the process: with 1 when a body was not valid.
export function finish(proxy, done) {
  proxy.close();
  for (const p of proxy.seen.problems.slice(0, 40)) console.error(p);
  console.log(`${done.length} interactions, ${proxy.seen.bodies} bodies valid by the R4 schema, ${proxy.seen.problems.length} problems: ${done.join(', ')}`);
  process.exitCode = proxy.seen.problems.length > 0 || proxy.seen.bodies === 0 ? 1 : 0;
}
