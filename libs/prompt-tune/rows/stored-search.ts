import type { CaseInput } from '#lib/contracts/case';
import { newId } from '#lib/runtime/ids';
import { BatchColumns } from '#lib/db/connection/batch-columns';
import { insertRow } from '#lib/db/connection/insert-row';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import type { PromptCandidateDetails } from '../contract.js';
import type { PromptTuneRequest, PromptTexts } from './prompt-tunes.js';

/** The request of a prompt tune, as stored in its orchestration. */
export type StoredPromptTune = PromptTuneRequest<ResolvedTarget>;

/** A proposal of a meta model, with the result of its checks when it was read. */
export interface StoredProposal {
  texts: PromptTexts;
  why: string | null;
  fault: string | null;
}

/** A request to the meta model. */
export interface StoredAsk {
  key: string;
  /** The position of its case, in the version that has the id of the tune. */
  position: number;
  task: string;
  /** The components that it may write. */
  components: string[];
  /** Null until its reply was read. */
  proposals: StoredProposal[] | null;
  unreadable: string | null;
}

export async function readAsks(db: Pool | PoolClient, tuneId: string): Promise<Map<string, StoredAsk>> {
  const { rows } = await db.query<
    Omit<StoredAsk, 'components' | 'proposals'> & { components: string; proposals: string | null }
  >('SELECT key, position, task, components, proposals, unreadable FROM prompt_ask WHERE tune_id = $1', [tuneId]);
  return new Map(
    rows.map((row) => [
      row.key,
      {
        ...row,
        components: JSON.parse(row.components) as string[],
        proposals: row.proposals === null ? null : (JSON.parse(row.proposals) as StoredProposal[]),
      },
    ]),
  );
}

/** A request to the meta model that has not been made yet. */
export interface NewAsk extends Omit<StoredAsk, 'proposals' | 'unreadable'> {
  /** The request, as a case of a hidden suite. */
  input: CaseInput;
}

/**
 * Stores requests before the runs that make them. Their cases are in their own version, which has the id of the tune.
 */
export async function storeAsks(client: PoolClient, tuneId: string, asks: readonly NewAsk[]): Promise<void> {
  if (asks.length === 0) return;
  await client.query(
    `INSERT INTO suite_version (id, suite_id, version, name, description, system_prompt, tools, pass_threshold)
     VALUES ($1, $1, 1, 'Requests to the meta model', '', NULL, '[]', 1) ON CONFLICT DO NOTHING`,
    [tuneId],
  );
  for (const { key, position, task, components, input } of asks) {
    const body = JSON.stringify(input);
    await insertRow(client, 'suite_version_case', {
      version_id: tuneId,
      position,
      case_id: newId(),
      category: task,
      tags: [],
      body,
    });
    await insertRow(client, 'prompt_ask', {
      tune_id: tuneId,
      key,
      position,
      task,
      components: JSON.stringify(components),
    });
  }
  await client.query('UPDATE suite_version SET bytes = bytes + $2 WHERE id = $1', [
    tuneId,
    asks.reduce((sum, { input }) => sum + Buffer.byteLength(JSON.stringify(input)), 0),
  ]);
}

/** The parsed content of a reply. */
export type ReadAsk = Pick<StoredAsk, 'key' | 'proposals' | 'unreadable'>;

const READ = new BatchColumns<ReadAsk>({
  key: ['text', ({ key }) => key],
  proposals: ['text', ({ proposals }) => proposals && JSON.stringify(proposals)],
  unreadable: ['text', ({ unreadable }) => unreadable],
});

export async function storeReplies(client: PoolClient, tuneId: string, read: readonly ReadAsk[]): Promise<void> {
  if (read.length === 0) return;
  await client.query(
    `UPDATE prompt_ask a SET proposals = u.proposals, unreadable = u.unreadable
     FROM ${READ.unnest(2)} WHERE a.tune_id = $1 AND a.key = u.key`,
    [tuneId, ...READ.values(read)],
  );
}

/** The current state of a candidate. */
export interface CandidateRow extends Pick<
  PromptCandidateDetails,
  'candidate' | 'kind' | 'iteration' | 'parents' | 'why' | 'length' | 'state' | 'reason' | 'scores' | 'per_case'
> {
  /** The texts that differ from its first parent. */
  changed: PromptTexts;
  ask: string | null;
}

export interface StoredCandidate extends CandidateRow {
  /** A digest of the whole candidate, so that only changed ones are written. */
  digest: string;
}

const CANDIDATES = new BatchColumns<StoredCandidate>({
  candidate: ['int', (row) => row.candidate],
  kind: ['text', (row) => row.kind],
  iteration: ['int', (row) => row.iteration],
  // unnest cannot take arrays of arrays with different lengths.
  parents: ['text', (row) => `{${row.parents.join(',')}}`],
  changed: ['text', (row) => JSON.stringify(row.changed)],
  why: ['text', (row) => row.why],
  ask: ['text', (row) => row.ask],
  length: ['int', (row) => row.length],
  state: ['text', (row) => row.state],
  reason: ['text', (row) => row.reason],
  scores: ['text', (row) => JSON.stringify(row.scores)],
  per_case: ['text', (row) => JSON.stringify(row.per_case)],
  digest: ['text', (row) => row.digest],
});
const NAMES = CANDIDATES.names.split(', ');

/**
 * Updates the candidates of a tune to the current state. Unchanged ones are not written; those that no longer exist,
 * because a repeated request led elsewhere, are removed.
 */
export async function storeCandidates(
  client: PoolClient,
  tuneId: string,
  rows: readonly StoredCandidate[],
): Promise<void> {
  const { rows: stored } = await client.query<{ candidate: number; digest: string }>(
    'SELECT candidate, digest FROM prompt_candidate WHERE tune_id = $1',
    [tuneId],
  );
  const digests = new Map(stored.map(({ candidate, digest }) => [candidate, digest]));
  const changed = rows.filter(({ candidate, digest }) => digests.get(candidate) !== digest);
  await client.query('DELETE FROM prompt_candidate WHERE tune_id = $1 AND candidate >= $2', [tuneId, rows.length]);
  if (changed.length === 0) return;
  await client.query(
    `INSERT INTO prompt_candidate (tune_id, ${CANDIDATES.names})
     SELECT $1, ${NAMES.map((name) => (name === 'parents' ? 'parents::int[]' : name)).join(', ')}
     FROM ${CANDIDATES.unnest(2)}
     ON CONFLICT (tune_id, candidate) DO UPDATE SET ${NAMES.slice(1)
       .map((name) => `${name} = excluded.${name}`)
       .join(', ')}`,
    [tuneId, ...CANDIDATES.values(changed)],
  );
}

/** Stores the held-out means of the best candidate and the base. */
export async function storeHeldOutMeans(
  client: PoolClient,
  tuneId: string,
  means: ReadonlyMap<number, number | null>,
): Promise<void> {
  for (const [candidate, mean] of means)
    await client.query(
      `UPDATE prompt_candidate SET scores = (scores::jsonb || jsonb_build_object('holdout', $3::float8))::text
       WHERE tune_id = $1 AND candidate = $2`,
      [tuneId, candidate, mean],
    );
}
