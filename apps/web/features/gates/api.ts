import type { Gate, GateAnswer, GateRun, GateRunEstimate, GateSubmitted } from '#lib/gate/contract';
import type { GateSensitivity } from '#lib/contracts/gate-outlook';
import type { Json } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { newIdempotencyKey, type Sent } from '../../api/action';
import { client, estimateQuery, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import type { CompareSearch } from '../compare/address';
import { comparedItemsQuery } from '../compare/api';
import { lookKey } from './parts/look-key';

const ROUTE = '/api/gates';
const PAGE = 50;
const pathOf = (id: string): string => `${ROUTE}/${encodeURIComponent(id)}`;

export const gatesQuery = (after: string | undefined) =>
  readQuery<Page<Gate>>([...keys.gates, 'list'], pathWith(ROUTE, { limit: PAGE, cursor: after }));

export const gateQuery = (id: string) => readQuery<Gate>(keys.gate(id), pathOf(id));

export const gateRunsQuery = (id: string, after: string | undefined) =>
  readQuery<Page<GateRun>>(keys.gate(id), pathWith(`${pathOf(id)}/runs`, { limit: PAGE, cursor: after }));

export const gateRunQuery = (id: string, gateRunId: string) =>
  readQuery<GateRun>(keys.gate(id), `${pathOf(id)}/runs/${encodeURIComponent(gateRunId)}`);

/** The gate's decision on a run as it stands. Calls no model. */
export const checkQuery = (id: string, runId: string) =>
  readQuery<GateAnswer>(keys.gate(id), pathWith(`${pathOf(id)}/check`, { eval_id: runId }));

export const createGate = (input: Json, options: Sent): Promise<Gate> =>
  client.call('POST', ROUTE, JSON.stringify(input), options);

export const changeGate = ({ id, change }: { id: string; change: Json }, options: Sent): Promise<Gate> =>
  client.call('PUT', pathOf(id), JSON.stringify(change), options);

export const deleteGate = (id: string): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, { idempotencyKey: newIdempotencyKey() });

export const runGate = (id: string, body: string, options: Sent): Promise<GateSubmitted> =>
  client.call('POST', `${pathOf(id)}/run`, body, options);

/** What a gate run takes. */
export const gateRunEstimateQuery = (id: string, body: string | undefined) =>
  estimateQuery<GateRunEstimate>(keys.gate(id), `${pathOf(id)}/run/estimate`, body);

/** What rules that are not stored yet would show. */
export const sensitivityQuery = (body: string | undefined) =>
  estimateQuery<GateSensitivity>(keys.gates, `${ROUTE}/sensitivity`, body);

/** The cases that an answer calls broken. Each look reads them again: it has more samples than the last. */
export function brokenCasesQuery(
  answer: Pick<GateAnswer, 'look' | 'targets'>,
  runs: [string, string],
  of: CompareSearch,
) {
  const query = comparedItemsQuery(...runs, of);
  return { ...query, queryKey: [...query.queryKey, lookKey(answer)] };
}

export const refreshGates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.gates });
