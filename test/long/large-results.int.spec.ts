import { connect, type Socket } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { NO_USAGE } from '#lib/contracts/cost';
import { claimItems } from '#lib/db/engine/claim-items';
import { dispatchLane } from '#lib/db/engine/dispatch-lane';
import { settleItems } from '#lib/db/engine/settle-items';
import { joinIdleApi, type SharedApi } from '../api.js';
import { clientOf, type Client } from '../client.js';
import { until } from '../until.js';

let api: SharedApi;
let owner: Client;
let viewer: Client;
let path: string;
let runId: string;
const CASES = 5;

beforeAll(async () => {
  api = await joinIdleApi();
  owner = api.client;
  const { body: token } = await owner.post('/api/tokens', { name: 'v', role: 'viewer', user: 'a viewer' });
  viewer = clientOf(api.url, token.token);
  await owner.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  const suite_id = await owner.importSuite({
    name: 'Large',
    tools: [{ type: 'function', function: { name: 'get_weather' } }],
    test_cases: Array.from({ length: CASES }, (_, n) => ({ prompt: `p${n}`, expected_tool: 'get_weather' })),
  });
  runId = (await owner.post('/api/tool-eval', { suite_id, models: ['sim::a'] })).body.eval_id;
  path = `/api/tool-eval/history/${runId}`;
  const { rows } = await api.pool.query<{ lane_id: string }>('SELECT lane_id FROM target WHERE run_id = $1', [runId]);
  const deliveries = await dispatchLane(api.pool, rows[0]!.lane_id, 100);
  await claimItems(api.pool, 'a worker', deliveries);
  await settleItems(
    api.pool,
    deliveries.map((delivery) => ({
      delivery,
      casePosition: delivery.item,
      sample: 0,
      category: null,
      result: {
        outcome: 'scored',
        verdict: {
          tool_score: 1,
          param_score: 1,
          overall: 1,
          passed: true,
          error_type: 'none',
          format_compliance: 'native',
          abstention: false,
          called: [],
          evidence: { pairs: [], missing: [], unexpected: [] },
        },
      },
      latencyMs: 1,
      usage: NO_USAGE,
      costUsd: null,
      cached: false,
      attempts: 1,
      toolChoiceUsed: 'auto',
      exchange: zstdCompressSync(Buffer.from('{"requests":[],"replies":[]}')),
    })),
  );
}, 60_000);

const SECRET = 'what only a private address knows';
const SAID = [{ text: 'Sunny.', thoughts: null, refusal: null, finish_reason: 'stop' }];
const failed = (secret = ''): string => `{"error":{"kind":"bad_response","body":null${secret}}}`;
const secret = `,"private_body":"${SECRET}"`;
/** The JSON of an exchange whose reply has this many numbers in addition to its text. */
const exchange = (numbers: number, before: string): string =>
  `{"requests":[{"temperature":0.0,"tools":"(the tools of the case)"}],"replies":[${before}{"choices":[{"index":0,` +
  `"message":{"role":"assistant","content":"Sunny."},"finish_reason":"stop"}],"x":[${'1e0,'.repeat(numbers)}5.0]}]}`;
const store = (json: string) =>
  api.pool.query('UPDATE exchange SET body = $2 WHERE run_id = $1 AND case_position = 1', [
    runId,
    zstdCompressSync(Buffer.from(json)),
  ]);
async function read(reader: Client): Promise<{ status: number; text: string; length: string | null }> {
  const answer = await fetch(`${api.url}${path}/results/0-1-0`, {
    headers: { authorization: `Bearer ${reader.token}` },
  });
  return { status: answer.status, text: await answer.text(), length: answer.headers.get('content-length') };
}

describe('a result', () => {
  it('of some hundred kilobytes has its requests as they were sent, numbers to the letter', async () => {
    await store(exchange(100_000, ''));
    const { status, text } = await read(viewer);
    expect(status).toBe(200);
    expect(text).toContain('"x":[1e0,1e0,');
    expect(text).toContain('1e0,5.0]');
    expect(JSON.parse(text)).toMatchObject({
      id: '0-1-0',
      said: SAID,
      exchange: { requests: [{ temperature: 0, tools: [{ function: { name: 'get_weather' } }] }] },
    });
  });

  it('of megabytes is answered as stored, and shows only owners what a private address answered', async () => {
    const of = (kept: string): string => exchange(500_000, `${failed(kept)},`);
    await store(of(secret));
    const [whole, hidden] = [await read(owner), await read(viewer)];
    for (const { status, text, length } of [whole, hidden])
      expect([status, length]).toEqual([200, String(Buffer.byteLength(text))]);
    expect(whole.text.endsWith(`,"exchange":${of(secret)}}`)).toBe(true);
    expect(hidden.text.endsWith(`,"exchange":${of('')}}`)).toBe(true);
    for (const { text } of [whole, hidden]) expect(JSON.parse(text)).toMatchObject({ id: '0-1-0', said: SAID });
  });

  it('with millions of values stays readable, without the conversation', async () => {
    await store(exchange(1_100_000, `${failed()},`));
    for (const reader of [owner, viewer]) {
      const { text } = await read(reader);
      expect(text.endsWith(`,"exchange":${exchange(1_100_000, `${failed()},`)}}`)).toBe(true);
      expect(JSON.parse(text).said).toEqual([]);
    }
    await store(exchange(1_100_000, `${failed(secret)},`));
    expect((await read(owner)).text).toContain(SECRET);
    const refused = await read(viewer);
    expect([refused.status, refused.text]).toEqual([403, expect.stringMatching(/Only an owner can read it/)]);
    expect(refused.text).not.toContain(SECRET);
  });
});

describe('results of megabytes', () => {
  const large = (bytes: number): string =>
    JSON.stringify([{ name: 'get_weather', arguments: { x: 'y'.repeat(bytes) } }]);
  const call = (bytes: number) =>
    api.pool.query('UPDATE result SET called = $2 WHERE run_id = $1 AND case_position > 0', [runId, large(bytes)]);

  it('are listed in pages of 2 MiB, each once, and exported completely', async () => {
    await call(900_000);
    const pages: string[][] = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await owner.get(`${path}/results?limit=50${cursor && `&cursor=${cursor}`}`);
      pages.push(body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(pages.map((page) => page.length)).toEqual([3, 2]);
    expect(new Set(pages.flat()).size).toBe(CASES);
    const lines = (await owner.get(`${path}/export?format=jsonl`)).body.trim().split('\n');
    expect(lines.map((line: string) => JSON.parse(line).id)).toEqual(pages.flat());
  });

  it('that nobody reads keep the slots of their team, which are free again when the clients leave', async () => {
    await call(8_000_000);
    const { hostname, port } = new URL(api.url);
    const ask = (): Socket => {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => {});
      socket.write(`GET ${path}/export HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${viewer.token}\r\n\r\n`);
      return socket;
    };
    const unread = Array.from({ length: 12 }, ask);
    await Promise.race(unread.map((socket) => new Promise((answered) => socket.once('readable', answered))));
    const refused = await until(
      async () => {
        const answer = await fetch(`${api.url}${path}/export`, {
          headers: { authorization: `Bearer ${owner.token}` },
          signal: AbortSignal.timeout(500),
        });
        return answer.status === 429 ? ((await answer.json()) as { detail: string }) : undefined;
      },
      { what: 'an export to be refused' },
    );
    expect(refused.detail).toMatch(/^2 exports of your team are running, and 10 are queued/);
    for (const socket of unread) socket.destroy();
    await call(1);
    const exported = await until(async () => (await owner.get(`${path}/export`)).body.results, { what: 'a turn' });
    expect(exported).toHaveLength(CASES);
  });
});
