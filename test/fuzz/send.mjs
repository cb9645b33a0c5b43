// Sends a request unchanged, however odd, and reads the answer.
import http from 'node:http';

const GIVE_UP_MS = 20_000;
const MOST_BYTES = 64 * 2 ** 20;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
/** A body that is refused before all of it was sent may cost the connection, and the answer with it. */
const SMALL_BODY = 32_000;

/**
 * @returns `{status, headers, text, tookMs}`; status 0 with `error` if there was no answer, and with `cut` if the
 * request was cut on purpose or may have been
 */
export async function send(url, request) {
  const startedAt = performance.now();
  const answer = await once(url, request);
  if (answer.error === 'ECONNRESET' && answer.reused)
    return { ...(await once(url, request)), tookMs: performance.now() - startedAt };
  return { ...answer, tookMs: performance.now() - startedAt };
}

function once(url, { method, path, headers, body, sent }) {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const isCut = bytes !== undefined && sent < 1;
  return new Promise((resolve) => {
    const none = (error, more) => resolve({ status: 0, headers: {}, text: '', error, ...more });
    let request;
    try {
      request = http.request(url, {
        path, // Not as a part of the URL, which would be normalised.
        method,
        agent,
        headers: { ...(bytes && { 'content-length': bytes.length }), ...headers },
      });
    } catch (error) {
      return none(error.code, { cut: true }); // Node refuses to send it.
    }
    const timer = setTimeout(() => request.destroy(Object.assign(new Error(), { code: 'TIMEOUT' })), GIVE_UP_MS);
    const end = (give) => (clearTimeout(timer), give());
    request.on('error', ({ code }) =>
      end(() =>
        none(code, { reused: request.reusedSocket, cut: isCut || (code !== 'TIMEOUT' && bytes?.length > SMALL_BODY) }),
      ),
    );
    request.on('response', (response) => {
      const parts = [];
      let size = 0;
      response.on('data', (part) => {
        if ((size += part.length) <= MOST_BYTES) parts.push(part);
      });
      response.on('error', ({ code }) => end(() => none(code, { cut: isCut })));
      response.on('end', () =>
        end(() => {
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() });
          if (isCut) request.destroy();
        }),
      );
    });
    if (!isCut) return void request.end(bytes);
    request.flushHeaders();
    request.write(bytes.subarray(0, Math.floor(bytes.length * sent)));
    setTimeout(() => request.destroy(), 50);
  });
}

const ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };
const escaped = (one) => ESCAPES[one] ?? `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`;
/** As bash reads it, on one line. */
const quoted = (text) => `$'${text.replaceAll(/[\0-\x1f'\\\x7f]/g, escaped)}'`;
const MOST_OF_BODY = 2000;

/** The request as a shell command, with a variable for its credential. */
export function asCurl(url, { method, path, headers, body, sent, caller }) {
  const long = body !== undefined && (body.length > MOST_OF_BODY || sent < 1);
  return [
    `curl -i -X ${method} ${quoted(url + path)}`,
    `-H "Authorization: Bearer $${caller.toUpperCase()}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body.slice(0, MOST_OF_BODY))}`]),
    ...(long ? [`# the body has ${body.length} characters, of which ${Math.floor(body.length * sent)} were sent`] : []),
  ].join(' ');
}
