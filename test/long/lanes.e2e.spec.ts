import { weatherSuite, type Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let client: Client;
let control: TeamSystem['control'];
let requests: TeamSystem['requests'];
beforeAll(async () => {
  const system = await joinSystem();
  ({ client, control, requests } = system);
  for (const key of ['down', 'up']) {
    await client.post('/api/providers', {
      key,
      base_url: `${system.simulator.url}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits: { max_concurrency: 6 },
      models: [{ id: `slow-20:${key}` }],
    });
  }
});

async function submit(cases: number, model: string) {
  const suite_id = await client.importSuite(weatherSuite(cases));
  return (await client.post('/api/tool-eval', { suite_id, models: [model], cache: 'off' })).body as {
    eval_id: string;
    job_id: string;
  };
}
const run = async (evalId: string) => (await client.get(`/api/tool-eval/history/${evalId}`)).body;
const settled = (evalId: string, n: number) =>
  until(async () => (await run(evalId)).counts.settled >= n, { what: `${n} settled items` });
const lane = async (provider: string) =>
  (await client.get('/api/lanes')).body.items.find((one: any) => one.providers.includes(provider));

describe('an outage of a provider', () => {
  it.each([
    ['refuses with 503', { on: false, status: 503 }],
    ['cuts every connection', { on: false, status: 'reset' }],
  ])(
    'that %s pauses its lane, is shown in the job, costs no item and no other lane, and ends by itself',
    async (_what, off) => {
      const { eval_id, job_id } = await submit(150, 'down::slow-20:down');
      await settled(eval_id, 20);
      await control('slow-20:down', off);
      const open = await until(
        async () => {
          const now = await lane('down');
          return now.now.breaker.state === 'open' && now;
        },
        { what: 'the breaker to open' },
      );
      expect(open.now.breaker).toMatchObject({
        since: expect.any(String),
        next_probe_at: expect.any(String),
        error: expect.any(String),
      });
      const other = await submit(60, 'up::slow-20:up');
      await untilRunCompleted(client, other.eval_id);
      const job = await until(
        async () => {
          const now = (await client.get(`/api/jobs/${job_id}`)).body;
          return now.detail && now;
        },
        { what: 'the job to say what it waits for' },
      );
      expect(job).toMatchObject({
        status: 'running',
        detail: expect.stringMatching(/^Waiting for down since \d+ \w+ \d\d:\d\d UTC/),
      });
      const before = await requests('slow-20:down');
      const { next_probe_at } = (await lane('down')).now.breaker;
      await until(async () => (await lane('down')).now.breaker.next_probe_at !== next_probe_at, {
        what: 'another probe',
      });
      expect((await requests('slow-20:down')) - before).toBeLessThan(5);
      await control('slow-20:down', { on: true });
      const done = await untilRunCompleted(client, eval_id);
      expect(done.counts).toMatchObject({ settled: 150, errored: 0, passed: 150 });
      expect((await client.get(`/api/jobs/${job_id}`)).body.detail).toBeNull();
      expect((await lane('down')).now.breaker).toMatchObject({ state: 'closed', since: null });
    },
  );

  it('that only concerns a few items errors only these', async () => {
    await control('slow-20:down', { on: false, status: 500 });
    const { eval_id } = await submit(2, 'down::slow-20:down');
    expect((await untilRunCompleted(client, eval_id)).counts).toMatchObject({ settled: 2, errored: 2 });
    await control('slow-20:down', { on: true });
  });
});

describe('a lane', () => {
  it('can be paused and resumed by an owner, while others continue', async () => {
    const { eval_id, job_id } = await submit(300, 'down::slow-20:down');
    await settled(eval_id, 10);
    const { id } = await lane('down');
    expect((await client.post(`/api/lanes/${id}/pause`)).body).toMatchObject({
      id,
      name: 'down',
      paused_at: expect.any(String),
    });
    // Each worker learns of it at its next dispatch. Until then it may send requests for claimed items, and gets
    // replies.
    const asked = await until(
      async () => {
        const before = await requests('slow-20:down');
        await untilRunCompleted(client, (await submit(20, 'up::slow-20:up')).eval_id);
        return (
          (await lane('down')).now.requests_in_flight === 0 && (await requests('slow-20:down')) === before && before
        );
      },
      { what: 'no request while another lane works', timeoutMs: 60_000 },
    );
    expect((await run(eval_id)).counts.settled).toBeLessThan(300);
    await until(
      async () => /^Waiting for down since .* paused/.test((await client.get(`/api/jobs/${job_id}`)).body.detail ?? ''),
      { what: 'the job to say so' },
    );
    expect(await requests('slow-20:down')).toBe(asked);
    expect(await lane('down')).toMatchObject({
      backlog: expect.any(Number),
      in_flight: expect.any(Number),
      limits: { max_concurrency: 6 },
    });
    expect((await client.post(`/api/lanes/${id}/resume`)).body.paused_at).toBeNull();
    expect((await untilRunCompleted(client, eval_id)).counts).toMatchObject({ settled: 300, errored: 0 });
    expect((await client.post('/api/lanes/01a1fc11-0570-72f9-b84b-b15294fa812e/pause')).status).toBe(404);
  });

  it('applies new limits at once, during a run', async () => {
    const { eval_id } = await submit(400, 'down::slow-20:down');
    await settled(eval_id, 10);
    await client.patch('/api/providers/down', { limits: { max_concurrency: 1 } });
    await until(async () => (await lane('down')).now.requests_in_flight <= 1, { what: 'one request at a time' });
    await client.patch('/api/providers/down', { limits: { max_concurrency: 20 } });
    await until(async () => (await lane('down')).now.requests_in_flight > 6, { what: 'more requests at a time' });
    await untilRunCompleted(client, eval_id);
  });
});
