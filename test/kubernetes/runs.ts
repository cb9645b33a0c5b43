import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { untilRunCompleted } from '../until-ended.js';
import type { Release } from './release.js';
import { MODELS } from './simulator.js';
import type { Visitor } from './visitor.js';

export const METRICS_PORT = 9464;

export interface Run {
  id: string;
  jobId: string;
  /** Of the simulator; no other run asks it. */
  model: string;
  items: number;
}
let names = 0;

/**
 * Submits a run with a provider, and so a lane, of its own.
 * @param model of the simulator
 */
export async function submit(
  { client }: Visitor,
  { items, model, limits }: { items: number; model: string; limits: object },
): Promise<Run> {
  const key = `lane-${++names}`;
  const only = `${model}:${key}`;
  const answers = [
    await client.post('/api/providers', {
      key,
      base_url: `http://${MODELS}/v1`,
      api_key: `sk-${key}-0123456789`,
      limits,
      models: [{ id: only }],
    }),
    await client.post('/api/tool-eval', {
      suite_id: await client.importSuite({ ...weatherSuite(items), name: `Weather ${key}` }),
      models: [`${key}::${only}`],
      cache: 'off',
    }),
  ];
  for (const { status, body } of answers) if (status > 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  const { eval_id: id, job_id: jobId } = answers[1]!.body;
  return { id, jobId, model: only, items };
}

export const settled = async ({ client }: Visitor, { id }: Run): Promise<number> =>
  (await client.get(`/api/tool-eval/history/${id}`)).body.counts.settled;

export const untilSettled = (visitor: Visitor, run: Run, count: number): Promise<number> =>
  until(async () => ((await settled(visitor, run)) >= count ? await settled(visitor, run) : 0), {
    what: `${count} results`,
    timeoutMs: 240_000,
    everyMs: 1000,
  });

export interface Asked {
  requests: number;
  /** Requests whose client did not wait for the answer. */
  abandoned: number;
  /** Answered with 200, so paid. */
  paid: number;
  /** Prompts that were sent more than once. */
  repeated: number;
}
/** What the simulator counted of the requests of a run. */
export async function asked(visitor: Visitor, { model }: Run): Promise<Asked> {
  const of = async (what: string): Promise<any> => {
    const url = `${visitor.urlOf(MODELS)}/control/${what}?model=${encodeURIComponent(model)}`;
    return ((await (await fetch(url)).json()) as any).models[model];
  };
  const { requests, abandoned, prompts } = await of('stats');
  const repeated = Object.values<number>(prompts).filter((times) => times > 1).length;
  return { requests, abandoned, paid: (await of('ledger')).requests, repeated };
}

/** Waits for the end of a run, and expects exactly one result of each item. */
export async function expectOneResultEach(visitor: Visitor, run: Run): Promise<void> {
  const { client } = visitor;
  const { counts } = await untilRunCompleted(client, run.id, 300_000);
  expect(counts).toMatchObject({ settled: run.items, errored: 0 });
  const cases = new Set<string>();
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await client.get(`/api/tool-eval/history/${run.id}/results?limit=200${query}`);
    for (const item of body.items) cases.add(item.case_id);
    count += body.items.length;
    cursor = body.next_cursor;
  }
  expect([count, cases.size]).toEqual([run.items, run.items]);
}

/** Adds up what all workers count from now on, also those that end meanwhile. */
export async function watchRedeliveries({ namespace }: Release): Promise<{ stop(): Promise<{ died: number }> }> {
  const counts = new Map<string, number>();
  const look = async (): Promise<void> => {
    for (const { metadata } of await namespace.pods('worker')) {
      const text = await namespace.metrics(metadata.name, METRICS_PORT).catch(() => ''); // It starts, or has ended.
      const lines = text.matchAll(/^toolmark_redeliveries_total\{.*reason="died".*\} (\d+)$/gm);
      if (text)
        counts.set(
          metadata.name,
          [...lines].reduce((sum, [, value]) => sum + Number(value), 0),
        );
    }
  };
  const sum = (): number => [...counts.values()].reduce((total, count) => total + count, 0);
  await look();
  const before = sum();
  let looking = Promise.resolve();
  const timer = setInterval(() => (looking = looking.then(look)), 2000);
  return {
    stop: async () => {
      clearInterval(timer);
      await looking.then(look);
      return { died: sum() - before };
    },
  };
}
