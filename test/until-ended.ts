import { isFinished } from '#lib/contracts/values/jobs';
import type { Client } from './client.js';
import { until } from './until.js';

/** Polls an object of the API until it has ended, and returns it. */
const pollFor =
  (route: string, isEnded: (body: any) => unknown) =>
  (client: Client, id: string, timeoutMs = 90_000): Promise<any> =>
    until(
      async () => {
        const { status, body } = await client.get(`${route}/${id}`);
        return status === 200 && isEnded(body) && body;
      },
      { what: `the end of ${route}/${id}`, timeoutMs },
    );

const isCompleted = ({ status }: any): boolean => status === 'completed';

export const untilRunCompleted = pollFor('/api/tool-eval/history', isCompleted);
/** In any state. A run that was stopped gets its summaries a little later. */
export const untilRunEnded = pollFor(
  '/api/tool-eval/history',
  ({ finished_at, summaries, targets }) => finished_at && summaries.length === targets.length,
);
export const untilJobCompleted = pollFor('/api/jobs', isCompleted);
/** In any state. */
export const untilJobEnded = pollFor('/api/jobs', ({ status }) => isFinished(status));
