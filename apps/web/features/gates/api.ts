import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Gate, GateAnswer, GateRun, GateSubmitted } from '#lib/gate/contract';
import type { Json } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { client, readQuery, read } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

type Sent = { idempotencyKey: string };
const ROUTE = '/api/gates';
const PAGE = 50;
const pathOf = (id: string): string => `${ROUTE}/${encodeURIComponent(id)}`;
const pageQuery = (after: string | undefined) =>
  new URLSearchParams({ limit: String(PAGE), ...(after && { cursor: after }) });

export const gatesQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: [...keys.gates, 'list', after],
    queryFn: read<Page<Gate>>(`${ROUTE}?${pageQuery(after)}`),
    placeholderData: keepPreviousData,
  });

export const gateQuery = (id: string) => readQuery<Gate>([...keys.gate(id), 'rules'], pathOf(id));

export const gateRunsQuery = (id: string, after: string | undefined) =>
  queryOptions({
    queryKey: [...keys.gate(id), 'runs', after],
    queryFn: read<Page<GateRun>>(`${pathOf(id)}/runs?${pageQuery(after)}`),
    placeholderData: keepPreviousData,
  });

export const gateRunQuery = (id: string, gateRunId: string) =>
  readQuery<GateRun>([...keys.gate(id), 'run', gateRunId], `${pathOf(id)}/runs/${encodeURIComponent(gateRunId)}`);

/** The gate's decision on a run as it stands. Calls no model. */
export const checkQuery = (id: string, runId: string) =>
  readQuery<GateAnswer>([...keys.gate(id), 'check', runId], `${pathOf(id)}/check?eval_id=${encodeURIComponent(runId)}`);

export const createGate = (input: Json, options: Sent): Promise<Gate> =>
  client.call('POST', ROUTE, JSON.stringify(input), options);

export const changeGate = ({ id, change }: { id: string; change: Json }, options: Sent): Promise<Gate> =>
  client.call('PUT', pathOf(id), JSON.stringify(change), options);

export const deleteGate = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, options);

export const runGate = ({ id, input }: { id: string; input: Json }, options: Sent): Promise<GateSubmitted> =>
  client.call('POST', `${pathOf(id)}/run`, JSON.stringify(input), options);

export const refreshGates = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.gates });
