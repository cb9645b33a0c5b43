import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Submitted } from '#lib/client/api-client';
import type { Estimate } from '#lib/contracts/estimate';
import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import type { Ranking } from '#lib/contracts/ranking';
import type { Run } from '#lib/contracts/run';
import { client, estimateQuery, pathWith, readQuery, read } from '../../../api/client';
import { keys } from '../../../api/keys';

const HISTORY = '/api/tool-eval/history';
type Sent = { idempotencyKey: string };

export interface RunFilter {
  suite?: string;
  statuses?: readonly JobStatus[];
  model?: string;
  cursor?: string;
  limit?: number;
}

export const runsQuery = ({ suite, statuses = [], model, cursor, limit = 50 }: RunFilter) => {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(suite && { suite_id: suite }),
    ...(model && { model }),
    ...(cursor && { cursor }),
  });
  for (const status of statuses) query.append('status', status);
  return queryOptions({
    queryKey: [...keys.runLists, String(query)],
    queryFn: read<Page<Run>>(`${HISTORY}?${query}`),
    placeholderData: keepPreviousData,
  });
};

/** The newest run of a suite, if it has one. */
export const newestRunQuery = (suite: string) =>
  readQuery<Page<Run>>(keys.runLists, pathWith(HISTORY, { limit: 1, suite_id: suite }));

export const runQuery = (id: string) => readQuery<Run>(keys.run(id), `${HISTORY}/${id}`);

/** The run with its cost at today's prices. */
export const currentCostQuery = (id: string) =>
  readQuery<Run>([...keys.run(id), 'prices'], `${HISTORY}/${id}?prices=current`);

export const rankingQuery = (id: string) =>
  readQuery<Ranking>([...keys.run(id), 'ranking'], `${HISTORY}/${id}/ranking`);

/** @param body the text of a RunInput; undefined while there is nothing to estimate */
export const runEstimateQuery = (body: string | undefined) =>
  estimateQuery<Estimate>(keys.runs, '/api/tool-eval/estimate', body);

export const submitRun = (body: string, options: Sent) =>
  client.call<Submitted>('POST', '/api/tool-eval', body, options);
export const resumeRun = (id: string, options: Sent) =>
  client.call<Submitted>('POST', `${HISTORY}/${id}/resume`, {}, options);
export const deleteRun = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${HISTORY}/${id}`, undefined, options);

export interface Labels {
  id: string;
  name: string | null;
  note: string | null;
}
export const labelRun = ({ id, ...labels }: Labels, options: Sent) =>
  client.call<Run>('PATCH', `${HISTORY}/${id}`, labels, options);

/** The API's format name, its label, and the file extension. */
export const EXPORT_FORMATS = [
  ['json', 'JSON', 'json'],
  ['jsonl', 'JSON Lines', 'jsonl'],
  ['csv', 'CSV', 'csv'],
  ['csv&bom=true', 'CSV for Excel', 'csv'],
  ['junit', 'JUnit XML', 'xml'],
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number][0];
export const exportPath = (id: string, format: ExportFormat): string => `${HISTORY}/${id}/export?format=${format}`;
