import type { Lane, LaneWaiting } from '#lib/contracts/lane';
import { table } from './table.js';

const count = (n: number): string => n.toLocaleString('en');

/** "paused: 41 items wait" */
export function stateOfLane({ paused_at: pausedAt, backlog, now }: Lane): string {
  const wait = `${count(backlog)} ${backlog === 1 ? 'item waits' : 'items wait'}`;
  if (pausedAt !== null) return `paused: ${wait}`;
  if (!now) return 'unknown: Redis cannot be reached';
  if (now.breaker.state === 'open') return `provider down: ${wait}`;
  if (now.blocked_until !== null) return `blocked until ${now.blocked_until}: ${wait}`;
  return now.adaptive_factor < 1 ? `slowed to ${now.allowed_at_once} at once` : 'active';
}

/** Lanes under a heading. */
export function laneTable(lanes: readonly Lane[]): string[] {
  return table([
    ['lane', 'state', 'at once', 'waiting', 'last 15 min', 'providers'],
    ...lanes.map((lane) => {
      const { name, now, limits, backlog, providers } = lane;
      const inUse = now?.requests_in_flight ?? 0;
      return [
        name,
        stateOfLane(lane),
        now ? `${inUse} of ${now.allowed_at_once}` : `- of ${limits.max_concurrency}`,
        count(Math.max(0, backlog - inUse)),
        now ? `${count(now.results_by_minute.reduce((sum, n) => sum + n, 0))} results` : '-',
        providers.join(', ') || '-',
      ];
    }),
  ]);
}

/** Who waits on a lane. */
export function waitingLines({ items, jobs, jobs_count: all, people }: LaneWaiting): string[] {
  if (all === 0) return ['Nobody waits.'];
  return [
    `${count(items)} ${items === 1 ? 'item' : 'items'} of ${count(all)} ${all === 1 ? 'job' : 'jobs'}.`,
    '',
    ...table([
      ['person', 'jobs', 'items'],
      ...people.map(({ name, jobs: n, items: own }) => [name ?? 'gone', count(n), count(own)]),
    ]),
    '',
    ...table([
      ['job', 'type', 'name', 'person', 'items', 'since'],
      ...jobs.map((job) => [
        job.job_id,
        job.type,
        job.name ?? job.suite_name ?? '-',
        job.submitted_by ?? 'gone',
        count(job.items),
        job.since,
      ]),
    ]),
    ...(all > jobs.length ? [`and ${count(all - jobs.length)} more`] : []),
  ];
}
