import type { Home } from '#lib/contracts/home';
import type { ImportAnswer } from '#lib/contracts/import';
import type { View } from '#lib/contracts/kept';
import type { SpendingReport } from '#lib/contracts/spending';
import { FIRST_STEPS } from '#lib/contracts/values/kept';
import type { Sent } from '../../api/action';
import { client, readQuery } from '../../api/client';
import { keys } from '../../api/keys';

const REFRESH_MS = 10_000;

/** All of the first screen. Lanes change without an event: it is polled. */
export const homeQuery = { ...readQuery<Home>(keys.home, '/api/home'), refetchInterval: REFRESH_MS };

/** What the models cost this month. */
export const monthByModelQuery = readQuery<SpendingReport>(keys.spending, '/api/spending?by=model');

export const showFirstSteps = (isShown: boolean): Promise<View> =>
  client.call('PUT', '/api/me/views/home', { hidden: isShown ? [] : [FIRST_STEPS] });

export async function importExample(_: string, options: Sent): Promise<ImportAnswer> {
  const file = await client.text('/api/tool-eval/import/example');
  return client.call<ImportAnswer>('POST', '/api/tool-eval/import', file, options);
}
