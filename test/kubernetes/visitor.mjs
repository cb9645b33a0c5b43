// Runs in a pod of the cluster, as users do who reach the API through its Service: it calls the API all the time, and
// passes on what the test asks, since a port that kubectl forwards is that of one pod and ends with it.
import http from 'node:http';

const { API_URL, TOKEN, PORT = '8080', CALLS_A_SECOND = '20' } = process.env;
const PATHS = ['/api/me', '/api/jobs?limit=1', '/api/system'];
const TIMEOUT_MS = 20_000;
const headers = { authorization: `Bearer ${TOKEN}` };

let calls = { answered: 0, failed: [], slowest_ms: 0 };

/** Over connections that are kept. */
async function callKept(path) {
  const response = await fetch(API_URL + path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.text();
  return response.status;
}

/** Over a connection of its own. */
const callAnew = (path) =>
  new Promise((resolve, reject) => {
    const request = http.get(API_URL + path, { headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume().once('error', reject);
      response.once('close', () =>
        response.complete ? resolve(response.statusCode) : reject(new Error('The answer was cut.')),
      );
    });
    request.once('timeout', () => request.destroy(new Error('No answer came.')));
    request.once('error', reject);
  });

async function count(name, call, path) {
  const began = Date.now();
  const fault = await call(path).then(
    (status) => (status === 200 ? undefined : `status ${status}`),
    (error) => `${error.message} ${error.cause?.message ?? ''}`.trim(),
  );
  calls.slowest_ms = Math.max(calls.slowest_ms, Date.now() - began);
  if (fault) calls.failed.push(`${new Date(began).toISOString()} ${name} ${path}: ${fault}`);
  else calls.answered++;
}

let turn = 0;
setInterval(
  () => {
    const path = PATHS[turn++ % PATHS.length];
    void count('kept', callKept, path);
    void count('new', callAnew, path);
  },
  1000 / Number(CALLS_A_SECOND),
);

/** `/to/<host:port>/<path>` */
function passOn(incoming, outgoing) {
  const [, , host, ...path] = incoming.url.split('/');
  const { connection: _, host: __, ...others } = incoming.headers;
  const request = http.request(
    `http://${host}/${path.join('/')}`,
    { method: incoming.method, headers: others, agent: false },
    (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
      response.once('error', () => outgoing.destroy());
    },
  );
  request.once('error', (error) =>
    outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(error.message),
  );
  incoming.pipe(request);
}

/** `GET /calls` says what was called since the last `DELETE /calls`. */
http
  .createServer((incoming, outgoing) => {
    if (incoming.url !== '/calls') return passOn(incoming, outgoing);
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(calls));
    if (incoming.method === 'DELETE') calls = { answered: 0, failed: [], slowest_ms: 0 };
  })
  .listen(Number(PORT), () => console.log('The visitor calls.'));
process.on('SIGTERM', () => process.exit(0));
