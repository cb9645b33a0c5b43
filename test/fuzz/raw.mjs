// Texts that are hardly HTTP, written to a connection.
import { connect } from 'node:net';

const WITHIN_MS = 5000;
const get = (more) => `GET /api/me HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (more, body) =>
  `POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n${body}`;
const sockets = (method, query, more, body = '') =>
  `${method} /socket.io/?EIO=4&${query} HTTP/1.1\r\nHost: x\r\n${more}\r\n${body}`;
const CLOSE = 'Connection: close\r\n';

const TEXTS = {
  bytes: '\u0000\u0001\u0002\u00ff\r\n\r\n',
  'TLS to a port without': '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'HTTP/2 prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown method': `BREW /api/me HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  'no Host': `GET /api/me HTTP/1.1\r\n${CLOSE}\r\n`,
  'two Hosts': get(`Host: y\r\n${CLOSE}`),
  'a whole URL': `GET http://evil.example/api/me HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  'an asterisk': `OPTIONS * HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  CONNECT: 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n',
  'a path of bytes': `GET /api/\u00ff\u00fe HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  'a path of 20,000 characters': `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
  'a header of 100,000 characters': get(`X: ${'a'.repeat(100_000)}\r\n${CLOSE}`),
  '3,000 headers': get(`${Array.from({ length: 3000 }, (_, n) => `X${n}: 1\r\n`).join('')}${CLOSE}`),
  'a header with a line feed': get(`X: a\n b\r\n${CLOSE}`),
  'a name with a space': get(`X Y: a\r\n${CLOSE}`),
  'both lengths': post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n${CLOSE}`, '0\r\n\r\n'),
  'two lengths': post(`Content-Length: 2\r\nContent-Length: 3\r\n${CLOSE}`, '{} '),
  'a negative length': post(`Content-Length: -1\r\n${CLOSE}`, '{}'),
  'a length of text': post(`Content-Length: 2x\r\n${CLOSE}`, '{}'),
  'a huge length': post(`Content-Length: 99999999999999999999\r\n${CLOSE}`, '{}'),
  'a bad chunk': post(`Transfer-Encoding: chunked\r\n${CLOSE}`, 'zz\r\n{}\r\n0\r\n\r\n'),
  'a chunk that overflows': post(`Transfer-Encoding: chunked\r\n${CLOSE}`, 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
  'an unknown coding': post(`Transfer-Encoding: gzip, identity\r\n${CLOSE}`, '{}'),
  'a hidden request': post(`Content-Length: 2\r\n${CLOSE}`, `{}GET /api/tokens HTTP/1.1\r\nHost: x\r\n\r\n`),
  'an upgrade to nothing': get(`Connection: Upgrade\r\nUpgrade: h2c\r\n`),
  'a socket without a key': sockets('GET', 'transport=websocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'),
  'an unknown protocol of sockets': sockets('GET', 'transport=carrier', CLOSE),
  'a session of sockets that never was': sockets(
    'POST',
    'transport=polling&sid=x',
    `Content-Length: 2\r\n${CLOSE}`,
    '40',
  ),
};

/** Writes each text to a connection of its own; keeps what is wrong in the walk. */
export async function whisper(walk) {
  const { hostname, port } = new URL(walk.url);
  for (const [what, text] of Object.entries(TEXTS)) {
    const { answer, isClosed } = await write(hostname, Number(port), text);
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
    if (statuses.some((status) => status >= 500)) walk.note(`raw: ${what}`, `it answered ${statuses.join(', ')}`);
    if (statuses.length > 1) walk.note(`raw: ${what}`, `it read ${statuses.length} requests`);
    if (statuses.length === 0 && !isClosed) walk.note(`raw: ${what}`, 'it neither answered nor closed');
  }
}

function write(host, port, text) {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    let answer = '';
    const end = (isClosed) => (clearTimeout(timer), socket.destroy(), resolve({ answer, isClosed }));
    const timer = setTimeout(() => end(false), WITHIN_MS);
    socket.on('data', (part) => (answer += part.toString('latin1'))).on('close', () => end(true));
    socket.on('error', () => end(true));
    socket.write(text, 'latin1');
  });
}
