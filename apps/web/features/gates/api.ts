import type { Gate, GateAnswer, GateRun, GateSubmitted } from '#lib/gate/contract';
import type { Json } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import type { Sent } from '../../api/action';
import { client, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

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

export const deleteGate = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, options);

export const runGate = ({ id, input }: { id: string; input: Json }, options: Sent): Promise<GateSubmitted> =>
  client.call('POST', `${pathOf(id)}/run`, JSON.stringify(input), options);

export const refreshGates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.gates });
