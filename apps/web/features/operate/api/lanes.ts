import type { Lane } from '#lib/contracts/lane';
import type { Page } from '#lib/contracts/page';
import { client, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

type Sent = { idempotencyKey: string };
/** Polling interval while lanes are visible. */
export const LANES_REFRESH_MS = 3000;

/** Lanes that a provider uses or that have work. */
export const lanesQuery = readQuery<Page<Lane>>(keys.lanes, '/api/lanes');

export interface Pause {
  id: string;
  isPaused: boolean;
}
export const pauseLane = ({ id, isPaused }: Pause, options: Sent) =>
  client.call<Lane>('POST', `/api/lanes/${id}/${isPaused ? 'pause' : 'resume'}`, undefined, options);
