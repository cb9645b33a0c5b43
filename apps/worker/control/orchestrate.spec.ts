import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import { newId } from '#lib/runtime/ids';
import { Orchestrator, type NextStep } from './orchestrate.js';

const never = new AbortController().signal;
const id = newId();

/** Makes steps of one orchestration, whose leases last or do not. `told` has what its jobs were told. */
function aWorker(next: NextStep, { keepsLeases = true } = {}) {
  const told: unknown[] = [];
  let asleep: unknown[] = [];
  const orchestration = { id, type: 'gate', step: 'first', resuming: false, input: '{}', state: '{}' };
  const query = async (
    asked: string | { text: string; values?: unknown[] },
    values: unknown[] = [],
  ): Promise<object> => {
    const text = typeof asked === 'string' ? asked : asked.text;
    if (text.startsWith('UPDATE job')) told.push(values[0]);
    if (text.startsWith('UPDATE lease')) return { rowCount: Number(keepsLeases) };
    if (typeof asked !== 'string') asleep = asked.values ?? [];
    return { rowCount: 1, rows: text.includes('FROM orchestration WHERE') ? [orchestration] : [] };
  };
  const connect = async (): Promise<never> => {
    told.push('the end');
    throw new Error('No transactions here');
  };
  const orchestrator = new Orchestrator({
    pool: { query, connect } as unknown as Pool,
    redis: { publish: async () => 0 } as unknown as Redis,
    nextSteps: { gate: next },
    onChildren: () => {},
    onMoreToDo: () => {},
  });
  const fail = async (jobId: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n++)
      await expect(orchestrator.advance({ orchestrationId: id, teamId: newId(), jobId }, never)).rejects.toThrow();
  };
  /** Jobs whose next step is not looked for now. */
  const leftAlone = async (): Promise<unknown> => (await orchestrator.toAdvance(), asleep[0]);
  return { fail, told, leftAlone };
}

it('failures of a step before a resume do not count against the job after it', async () => {
  const [first, resumed] = [newId(), newId()];
  const { fail, told, leftAlone } = aWorker(() => Promise.reject(new Error('It took too long')));
  await fail(first, 9);
  expect(await leftAlone()).toEqual([first]);
  expect(told).toEqual(new Array(7).fill(first));
  await fail(resumed, 2);
  expect(told).toHaveLength(7);
  await fail(resumed, 1);
  expect(told.at(-1)).toBe(resumed);
});

it('a step that another process has taken over is no failure of its job', async () => {
  const untilStopped: NextStep = (_orchestration, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { fail, leftAlone } = aWorker(untilStopped, { keepsLeases: false });
  await fail(newId(), 1);
  expect(await leftAlone()).toEqual([]);
});
