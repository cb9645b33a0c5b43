import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { weatherSuite, type Answer, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
}, 60_000);

/** Sends bytes unchanged. Without a type there is no Content-Type. */
async function send(path: string, body: Uint8Array, type?: string, headers: object = {}): Promise<Answer> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.token}`,
      ...(type !== undefined && { 'content-type': type }),
      ...headers,
    },
    body: Buffer.from(body),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text), headers: response.headers };
}
const CSV = '/api/tool-eval/import?format=csv&dry_run=true';
const csv = 'prompt,expected_tool,expected_params\nWetter in Zürich?,get_weather,"{""city"": ""Zürich""}"\n';
const latin1 = Buffer.from(csv, 'latin1');
const utf16 = Buffer.from(`\ufeff${csv}`, 'utf16le');

describe('a file in its body', () => {
  it.each<[what: string, body: Uint8Array, type: string]>([
    ['in UTF-8', Buffer.from(csv), 'text/csv'],
    ['in UTF-8 with a byte order mark', Buffer.from(`\ufeff${csv}`), 'text/plain; charset=utf-8'],
    ['in the named charset', latin1, 'text/csv; charset=windows-1252'],
    ['in a charset in quotation marks and capitals', latin1, 'TEXT/CSV; header=present; CHARSET="ISO-8859-1"'],
    ['with an empty charset', Buffer.from(csv), 'text/csv; charset='],
    ['with the same charset twice', latin1, 'text/csv; charset=latin1; charset=LATIN1'],
    ['in UTF-16 with a byte order mark', utf16, 'text/csv'],
    ['in UTF-16 without one', utf16.subarray(2), 'text/csv;charset=utf-16le'],
  ])('is read %s', async (_what, body, type) => {
    const preview = { test_cases: [{ prompt: 'Wetter in Zürich?', expected_params: { city: 'Zürich' } }] };
    for (const headers of [{}, { 'idempotency-key': `body ${_what}` }])
      expect(await send(CSV, body, type, headers)).toMatchObject({ status: 200, body: { preview } });
  });

  it.each<[what: string, body: Uint8Array, type: string, status: number, detail: RegExp]>([
    [
      'that is not UTF-8',
      latin1,
      'text/csv',
      400,
      /byte 49 \(0xfc, in line 2\) .*as UTF-8, or send it with "Content-Type: text\/csv; charset=windows-1252"/,
    ],
    ['in an unknown charset', latin1, 'text/csv; charset=klingon', 415, /"klingon" is not known/],
    ['in two charsets', latin1, 'text/csv; charset=latin1; charset=utf-8', 400, /two charsets/],
    ['in another charset than its byte order mark', utf16, 'text/csv; charset=utf-8', 400, /mark of UTF-16LE/],
    ['that is a workbook', Buffer.from('PK\x03\x04\x14\x00xl/', 'latin1'), 'text/csv', 400, /workbook/],
    ['that is compressed', gzipSync(csv), 'text/csv', 400, /gzip/],
    ['that is cut off in a character', Buffer.from(csv).subarray(0, 49), 'text/csv', 400, /cut off/],
  ])('is refused %s, and none of it is stored', async (_what, body, type, status, detail) => {
    for (const headers of [{}, { 'idempotency-key': `refused ${_what}` }])
      expect(await send(CSV, body, type, headers)).toMatchObject({
        status,
        body: { detail: expect.stringMatching(detail) },
      });
  });

  it('is refused while it is still arriving, and its sender reads why', async () => {
    const body = Buffer.alloc(9 * 2 ** 20, 0xff);
    for (const headers of [{}, { 'idempotency-key': 'large' }])
      for (const [type, status] of [
        ['text/csv', 400],
        ['text/csv; charset=klingon', 415],
        ['text/html', 415],
      ] as const)
        expect(await send(CSV, body, type, headers)).toMatchObject({ status });
    expect(await send('/api/tool-eval/import', body, 'application/json')).toMatchObject({ status: 400 });
  });

  it('arrives in chunks of one byte', async () => {
    const sent = request(api.url + CSV, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/csv', 'transfer-encoding': 'chunked' },
    });
    const status = new Promise((resolve) => sent.on('response', (response) => resolve(response.resume().statusCode)));
    for (const byte of Buffer.from(csv)) sent.write(Buffer.of(byte));
    sent.end();
    expect(await status).toBe(200);
  });

  it('of replies or labels follows the same rules', async () => {
    const { suite_id } = (await client.post('/api/tool-eval/import', weatherSuite(1))).body;
    const recorded = `/api/tool-eval/recorded?suite_id=${suite_id}&target_name=mine`;
    const line = '{"case": "case 0", "reply": {"content": "Zürich"}}\n';
    const lines = 'application/x-ndjson';
    expect(await send(recorded, Buffer.from(line, 'latin1'), lines)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/not UTF-8: byte 43 .*application\/x-ndjson; charset=/) },
    });
    const large = Buffer.concat([Buffer.from('   \n'.repeat(300_000)), Buffer.of(0xfc)]);
    expect(await send(recorded, large, lines)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/in line 300001/) },
    });
    expect(await send(recorded, Buffer.from(`\ufeff${line}`, 'utf16le'), lines)).toMatchObject({
      status: 202,
      body: { replies: 1 },
    });
    const { eval_id } = (await send(recorded, Buffer.from(line, 'latin1'), `${lines}; charset=latin1`)).body;
    const labels = `/api/tool-eval/history/${eval_id}/labels`;
    expect(await send(labels, Buffer.from('{"note": "Zürich"}', 'latin1'), lines)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/not UTF-8/) },
    });
  });
});

describe('JSON in its body', () => {
  const json = JSON.stringify({ ...weatherSuite(1), name: 'Zürich' });
  it.each<[what: string, body: Uint8Array, type: string, status: number, detail: RegExp]>([
    [
      'in Windows-1252',
      Buffer.from(json, 'latin1'),
      'application/json',
      400,
      /not UTF-8: byte 11 .*Save it as UTF-8\.$/,
    ],
    ['in another charset', Buffer.from(json, 'latin1'), 'application/json; charset=latin1', 415, /only UTF-8/],
    ['in UTF-16', Buffer.from(`\ufeff${json}`, 'utf16le'), 'application/json', 400, /UTF-16, not UTF-8/],
    ['compressed', gzipSync(json), 'application/json', 400, /gzip/],
  ])('is refused %s', async (_what, body, type, status, detail) => {
    for (const path of ['/api/tool-suites', '/api/tool-eval/import'])
      expect(await send(path, body, type)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
  });

  it('is read as UTF-8, however Content-Type names it', async () => {
    const { test_cases: _cases, ...suite } = weatherSuite(1);
    const json = JSON.stringify({ ...suite, name: 'Zürich' });
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
      expect(await send('/api/tool-suites', Buffer.from(`\ufeff${json}`), type)).toMatchObject({
        status: 201,
        body: { name: 'Zürich' },
      });
  });
});

describe('a body of another type', () => {
  const file = Buffer.from(csv);
  it.each<[path: string, type: string | undefined, detail: RegExp, accept: RegExp]>([
    [
      CSV,
      'application/x-www-form-urlencoded',
      /came as application\/x-www-form-.*, text\/csv, .* With curl: -H 'Content-Type: text\/csv' --data-binary @FILE$/,
      /^application\/json, text\/csv, text\/plain, application\/yaml, .*application\/x-ndjson/,
    ],
    [CSV, undefined, /has no Content-Type\. Send it as application\/json, text\/csv/, /text\/csv/],
    [CSV, 'multipart/form-data; boundary=x', /multipart\/form-data\. .* With curl:/, /text\/csv/],
    [CSV, `text/${'x'.repeat(5000)}`, /^The body came as text\/x{75}\. Send/, /text\/csv/],
    [CSV, 'csv', /csv\. Send it as/, /text\/csv/],
    [
      '/api/tool-eval/recorded',
      'text/csv',
      /application\/json, application\/x-ndjson or application\/jsonl\.$/,
      /^application\/json, application\/x-ndjson, application\/jsonl$/,
    ],
    [
      '/api/tool-suites',
      'text/csv',
      /came as text\/csv\. Send it as JSON, with "Content-Type: application\/json"\.$/,
      /^application\/json$/,
    ],
    [
      '/api/providers',
      'application/x-www-form-urlencoded',
      /as JSON, .*-H 'Content-Type: application\/json'/,
      /^application\/json$/,
    ],
  ])('%s names the types it accepts, and refuses %s', async (path, type, detail, accept) => {
    const answer = await send(path, file, type);
    expect(answer).toMatchObject({ status: 415, body: { detail: expect.stringMatching(detail) } });
    expect(answer.headers.get('accept')).toMatch(accept);
  });

  it('is not found where there is no route', async () => {
    expect(await send('/api/nothing', file, 'text/html')).toMatchObject({ status: 404 });
  });

  it('matches the OpenAPI document', async () => {
    const { paths } = (await client.get('/openapi.json')).body;
    for (const path of ['/api/tool-eval/import', '/api/tool-eval/recorded', '/api/tool-suites']) {
      const { requestBody, responses } = paths[path].post;
      const { headers } = await send(path, file, 'text/html');
      expect(headers.get('accept')!.split(', ')).toEqual(Object.keys(requestBody.content));
      expect(responses).toHaveProperty('415');
    }
  });
});
