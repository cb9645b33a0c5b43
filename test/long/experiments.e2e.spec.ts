import { io, type Socket } from 'socket.io-client';
import type { LogEventName } from '#lib/contracts/values/jobs';
import { Envelope, LOG_EVENTS } from '#lib/contracts/event';
import type { Experiment } from '#lib/contracts/experiment';
import { weatherSuite } from '../client.js';
import { until } from '../processes.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

let system: TeamSystem;
const sockets: Socket[] = [];
beforeAll(async () => {
  system = await joinSystem();
  await system.client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 20 },
    models: [{ id: MODEL }, { id: 'perfect-ish' }],
  });
  await fetch(`${system.simulator.url}/control/prompt-sensitive/it`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ base: 0.4, rules: [{ phrase: 'Name the city in English', where: 'system', gain: 0.5 }] }),
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});

const MODEL = 'prompt-sensitive:it';
const CASES = 60;

interface Message {
  name: string;
  job_id: string;
  seq: number;
  data: any;
}

/** Every durable event that a connection receives. */
async function listen(): Promise<{ received: Message[]; follow(jobId: string): Promise<unknown> }> {
  const socket = io(system.client.url, { auth: { token: system.client.token }, transports: ['websocket'] });
  sockets.push(socket);
  const received: Message[] = [];
  socket.onAny((name: string, message: any) => {
    if (!(name in LOG_EVENTS)) return;
    Envelope.extend({ data: LOG_EVENTS[name as LogEventName] }).parse(message);
    received.push({ name, ...message });
  });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  return { received, follow: (job_id) => socket.emitWithAck('subscribe', { job_id, after_seq: 0 }) };
}

async function submit(input: object): Promise<{ jobId: string; runId: string }> {
  const { status, body } = await system.client.post('/api/tool-eval', { models: [`sim::${MODEL}`], ...input });
  expect({ status, body }).toMatchObject({ status: 202 });
  return { jobId: body.job_id, runId: body.eval_id };
}
const run = async (id: string) => (await system.client.get(`/api/tool-eval/history/${id}`)).body;
const experiment = async (id: string): Promise<Experiment> => (await system.client.get(`/api/experiments/${id}`)).body;
const refreshed = (id: string) => until(async () => !(await experiment(id)).refreshing);

it('an experiment shows each run how it compares, and everyone in the team which one is best', async () => {
  const suite_id = await system.client.importSuite(weatherSuite(CASES));
  const { body: created } = await system.client.post('/api/experiments', { name: 'A better prompt', suite_id });
  const input = { suite_id, experiment_id: created.id };
  const [watcher, teammate] = [await listen(), await listen()];

  const first = await submit(input);
  await untilRunCompleted(system.client, first.runId);
  const second = await submit({ ...input, system_prompt: 'Name the city in English.' });
  await watcher.follow(second.jobId);
  await untilRunCompleted(system.client, second.runId);
  await until(() => watcher.received.some(({ job_id, name }) => job_id === second.jobId && name === 'job_completed'));

  const { score, delta, differs, comparison } = await run(second.runId);
  const base = (await run(first.runId)).score;
  expect(delta).toBe(score - base);
  expect(comparison).toMatchObject({ baseline_eval_id: first.runId, verdict: 'improved', n_cases: CASES });
  const log = watcher.received.filter(({ job_id, seq }) => job_id === second.jobId && seq > CASES);
  expect(log.slice(-3).map(({ name, data }) => [name, data])).toEqual([
    ['tool_eval_complete', { eval_id: second.runId, score, delta, differs, comparison }],
    ['experiment_best_updated', { experiment_id: created.id, eval_id: second.runId, score, previous: first.runId }],
    ['job_completed', { status: 'completed', result_ref: second.runId }],
  ]);
  await until(() => teammate.received.filter(({ name }) => name === 'job_completed').length === 2);
  const announced = teammate.received.filter(({ name }) => name === 'experiment_best_updated');
  expect(announced.map(({ job_id, data }) => [job_id, data.eval_id, data.previous])).toEqual([
    [first.jobId, first.runId, null],
    [second.jobId, second.runId, first.runId],
  ]);

  await refreshed(created.id);
  expect(await experiment(created.id)).toMatchObject({
    baseline_eval_id: first.runId,
    baseline_set_by: 'first_run',
    baseline_score: base,
    best: { eval_id: second.runId, score, tied_with: [], comparison: { verdict: 'improved' } },
  });
}, 120_000);

it('pinning, deleting and another model change the figures on the running system', async () => {
  const suite_id = await system.client.importSuite(weatherSuite(CASES));
  const { body: created } = await system.client.post('/api/experiments', { name: 'e', suite_id });
  const input = { suite_id, experiment_id: created.id };
  const [first, better] = [await submit(input), await submit({ ...input, system_prompt: 'Name the city in English.' })];
  const perfect = await submit({ ...input, models: ['sim::perfect-ish', `sim::${MODEL}`] });
  for (const { runId } of [first, better, perfect]) await untilRunCompleted(system.client, runId);
  await refreshed(created.id);

  const pinned = await system.client.put(`/api/experiments/${created.id}/baseline`, { eval_id: better.runId });
  expect(pinned).toMatchObject({ status: 200, body: { baseline_eval_id: better.runId, baseline_set_by: 'user' } });
  await refreshed(created.id);
  expect((await run(first.runId)).comparison).toMatchObject({ baseline_eval_id: better.runId, verdict: 'regressed' });
  expect(await run(better.runId)).toMatchObject({ delta: null, comparison: null });
  expect(await run(perfect.runId)).toMatchObject({ delta: null, differs: ['targets'] });
  expect((await experiment(created.id)).best).toMatchObject({ eval_id: better.runId, tied_with: [] });

  expect(await system.client.delete(`/api/tool-eval/history/${better.runId}`)).toMatchObject({ status: 204 });
  await refreshed(created.id);
  expect(await experiment(created.id)).toMatchObject({ baseline_eval_id: null, baseline_set_by: null, best: null });
  expect(await run(first.runId)).toMatchObject({ delta: null, comparison: null });

  expect(await system.client.delete(`/api/experiments/${created.id}`)).toMatchObject({ status: 204 });
  expect(await run(first.runId)).toMatchObject({ status: 'completed', experiment_id: null });
}, 120_000);
