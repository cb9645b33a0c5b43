import type { ConversationDefaults } from '#lib/contracts/conversation';
import { notFound } from '#lib/contracts/input/problem';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { JobStatus } from '#lib/contracts/job-status';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RecordedConfig, RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { inTransaction, type Pool } from '../connection/pool.js';
import { jsonColumn, nullableJsonColumn } from '../connection/json-column.js';
import { TeamScoped } from '../team-isolation.js';
import { readMeasuredCases, type MeasuredCase, type MeasuredTarget } from './case-measurements.js';
import { readCaseScores, type CaseScores } from './case-scores.js';
import { readConversationDefaults } from './conversation-defaults.js';
import { casesOf, owns, rescoreOf, versionsOf, type CasesOfRun } from './cases-of-run.js';
import { EXPECTED_TOOL } from './expected-tool.js';
import { mergeCases } from './merge-cases.js';
import { pinnedPages, type PinnedCase } from './pinned-cases.js';
import { readShownResults, type ShownResult } from './results.js';

/** Timeout of one statement. A target of a million results takes a few seconds. */
const STATEMENT_TIMEOUT_MS = 55_000;
/**
 * Timeout between two statements. A thread computes in between, without locks that others wait for, so this is longer
 * than for other transactions.
 */
const IDLE_TIMEOUT_MS = 120_000;
/** How often Postgres checks that the client of a running statement is still connected. */
const CONNECTION_CHECK_MS = 1000;

export interface ComparableTarget {
  ordinal: number;
  /** `provider_key::model_id` */
  name: string;
  params: JsonObject;
  systemPrompt: string | null;
}

/** A run in one generation: a resume starts the next. */
interface RunGeneration {
  id: string;
  generation: number;
}

/** A run, or a run that added samples to it. */
interface RunPart {
  /** Whether it has samples of every case of the run. */
  isWhole: boolean;
  from: Date;
  to: Date;
}

/** A run with all the data that a comparison reads, except cases and results. */
export interface ComparableRun {
  id: string;
  generation: number;
  status: JobStatus;
  suite: { id: string; name: string; version: number };
  versionId: string;
  systemPrompt: string | null;
  tools: Tool[];
  passThreshold: number;
  conversation: ConversationDefaults | null;
  /** Whether its version has cases that are conversations. */
  hasConversations: boolean;
  config: RunConfig | RecordedConfig;
  /** Samples per case, including those of completed extensions that cover every case. */
  samples: number;
  /** Completed runs that added samples to it; empty unless requested. */
  extensions: RunGeneration[];
  /** The run itself, and each extension. */
  parts: RunPart[];
  /** Positions of its cases, in order; empty: all of the version. */
  positions: number[];
  caseCount: number;
  targets: ComparableTarget[];
  /**
   * Scoring versions of its first and last verdict, which differ if a later release resumed it; empty if there is none.
   */
  scoringVersions: number[];
  /** Its warnings about requests that were sent differently than configured, as sentences. */
  sentOtherwise: string[];
  rescore: {
    id: string;
    status: JobStatus;
    options: RescoreOptions;
    /** Whether it scores with another version of the suite. */
    hasVersion: boolean;
  } | null;
  createdAt: Date;
}

/** A case in two versions of a suite. */
export interface CasePlaces {
  /** Position in the first run; null: only the second one has a case with this id. */
  a: number | null;
  b: number | null;
  caseId: string;
  /** Both have the case, with the same JSON, and a conversation takes the same from its suite. */
  identical: boolean;
}

/** What a comparison shows of a case of one run. */
export interface CaseHead {
  position: number;
  category: string | null;
  /** The expected tool, or the first of several expected ones; null for no call. */
  tool: string | null;
  /** The first tag that begins with the prefix of the clusters. */
  cluster: string | null;
}

interface RunRow {
  id: string;
  generation: number;
  status: JobStatus;
  suite_id: string;
  suite_name: string;
  suite_version: number;
  suite_version_id: string;
  system_prompt: string | null;
  tools: string;
  pass_threshold: number;
  conversation: string | null;
  has_conversations: boolean;
  config: string;
  samples: number;
  case_positions: number[];
  case_count: number;
  extensions: (RunGeneration & { samples: number; cases: number; from: string; to: string })[];
  targets: { ordinal: number; name: string; params: string; systemPrompt: string | null }[];
  scoring_versions: number[];
  sent_otherwise: string[];
  rescore_id: string | null;
  rescore_status: JobStatus | null;
  rescore_options: string | null;
  rescore_version: number | null;
  has_version: boolean | null;
  created_at: Date;
  started: Date;
  ended: Date;
}

export interface TaggedCase {
  position: number;
  caseId: string;
}

interface ReadOptions {
  rescoreId?: string | undefined;
  extended?: boolean | undefined;
}
/** The data source of results. */
type ReadRun = Pick<ComparableRun, 'id' | 'extensions'> & { rescore: { id: string } | null };
type Ordinal = Pick<ComparableTarget, 'ordinal'>;
type Place = Pick<MeasuredTarget, 'runId' | 'ordinal' | 'rescoreId'>;

/** The inputs of a comparison: while it is equal, so are the results of ended runs. */
export type RunState = Pick<ComparableRun, 'id' | 'generation' | 'status' | 'extensions'>;

/** Reads two runs of a team for a comparison. */
export class ComparableRunRepository extends TeamScoped {
  /**
   * Reads everything in one snapshot, so that a run resumed or deleted meanwhile is compared in its earlier state.
   * Postgres itself ends a statement that takes too long, or whose client has gone.
   */
  static inSnapshot<Made>(
    pool: Pool,
    teamId: string,
    work: (runs: ComparableRunRepository) => Promise<Made>,
  ): Promise<Made> {
    return inTransaction(pool, async (client) => {
      // Results are grouped in the order of their primary key. Sorting them would write their texts to temporary files.
      await client.query(
        `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL enable_sort = off;
         SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
         SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS};
         SET LOCAL client_connection_check_interval = ${CONNECTION_CHECK_MS}`,
      );
      return work(new ComparableRunRepository(client, teamId));
    });
  }

  /**
   * @param options.extended include the completed runs that added samples to it
   * @throws ProblemError 404 when the team has no such run, or the run no such rescore
   */
  async read(runId: string, { rescoreId, extended = false }: ReadOptions = {}): Promise<ComparableRun> {
    const { rows } = await this.db.query<RunRow>(
      `SELECT r.id, r.generation, r.status, r.suite_id, r.suite_name, r.suite_version, r.suite_version_id,
         v.system_prompt, v.tools, coalesce(scored.pass_threshold, v.pass_threshold) AS pass_threshold,
         CASE WHEN scored.id IS NULL THEN v.conversation ELSE scored.conversation END AS conversation,
         v.has_conversations, r.config,
         r.samples, r.case_positions, r.created_at,
         coalesce(r.started_at, r.created_at) AS started, coalesce(r.finished_at, r.created_at) AS ended,
         s.id AS rescore_id, j.status AS rescore_status, s.options AS rescore_options,
         s.scoring_version AS rescore_version, s.suite_version_id IS NOT NULL AS has_version,
         CASE WHEN cardinality(r.case_positions) > 0 THEN cardinality(r.case_positions)
           ELSE (SELECT count(*)::int FROM suite_version_case WHERE version_id = v.id) END AS case_count,
         (SELECT json_agg(json_build_object('ordinal', ordinal, 'name', provider_key || '::' || model_id,
             'params', params, 'systemPrompt', system_prompt) ORDER BY ordinal)
           FROM target WHERE run_id = r.id) AS targets,
         added.extensions, ARRAY(
           SELECT DISTINCT found.scoring_version FROM unnest(array_prepend(r.id, added.ids)) AS part (id), LATERAL (
             (SELECT scoring_version FROM result WHERE run_id = part.id ORDER BY generation, seq LIMIT 1) UNION
             (SELECT scoring_version FROM result WHERE run_id = part.id ORDER BY generation DESC, seq DESC LIMIT 1)
           ) found
         ) AS scoring_versions, ARRAY(
           SELECT message FROM run_warning WHERE run_id = r.id AND message IS NOT NULL
             AND code ~ '^(tool_choice|refused|thinking_off):' ORDER BY code LIMIT 100
         ) AS sent_otherwise
       FROM run r JOIN suite_version v ON v.id = r.suite_version_id ${joinExtensions('$4')}
         LEFT JOIN rescore s ON s.id = $3 AND s.run_id = r.id AND s.team_id = r.team_id
         LEFT JOIN job j ON j.id = s.job_id LEFT JOIN suite_version scored ON scored.id = s.suite_version_id
       WHERE r.id = $1 AND r.team_id = $2`,
      [runId, this.teamId, rescoreId ?? null, extended],
    );
    if (!rows[0]) throw notFound('run', runId);
    if (rescoreId !== undefined && rows[0].rescore_id === null) throw notFound('rescore', rescoreId);
    return toRun(rows[0]);
  }

  /**
   * The generation and status of runs, in the order of their ids, with the completed runs that added samples to them if
   * `extended`.
   * @throws ProblemError 404
   */
  async readGenerations(ids: readonly string[], extended = false): Promise<RunState[]> {
    const { rows } = await this.db.query<RunState>(
      `SELECT r.id, r.generation, r.status, added.extensions FROM run r ${joinExtensions('$3')}
       WHERE r.id = ANY ($1) AND r.team_id = $2`,
      [ids, this.teamId, extended],
    );
    return ids.map((id) => {
      const found = rows.find((row) => row.id === id);
      if (!found) throw notFound('run', id);
      return { ...found, extensions: found.extensions.map(toGeneration) };
    });
  }

  /** The cases of two runs side by side, without their texts. */
  async pairCases(a: CasesOfRun, b: CasesOfRun): Promise<CasePlaces[]> {
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const team = parameter(this.teamId);
    const cases = (run: CasesOfRun): string => {
      const positions = parameter(run.positions);
      return `(SELECT position, case_id, body, version_id FROM ${casesOf(run, parameter)} c
        WHERE judged AND (cardinality(${positions}::int[]) = 0 OR position = ANY (${positions})))`;
    };
    const versions = [a, b].flatMap((run) => versionsOf(run, parameter)).join();
    const { rows } = await this.db.query<CasePlaces>(
      `WITH begun AS MATERIALIZED (SELECT id, md5(conversation) AS hash FROM suite_version WHERE id IN (${versions}))
       SELECT a.position AS a, b.position AS b, case_id AS "caseId", coalesce(a.body = b.body, false)
         AND (strpos(a.body, '"conversation":{') = 0 OR at_a.hash IS NOT DISTINCT FROM at_b.hash) AS identical
       FROM ${cases(a)} a FULL JOIN ${cases(b)} b USING (case_id)
         LEFT JOIN begun at_a ON at_a.id = a.version_id LEFT JOIN begun at_b ON at_b.id = b.version_id
       WHERE ${owns(team, parameter(a.versionId))} AND ${owns(team, parameter(b.versionId))}
       ORDER BY b.position, a.position`,
      values,
    );
    return rows;
  }

  /** The JSON of cases, page by page. @param positions in order, at least one */
  readCases(run: CasesOfRun, positions: readonly number[]): AsyncGenerator<PinnedCase[]> {
    return pinnedPages(this.db, run.versionId, positions, rescoreOf(run));
  }

  /** What the conversations of a version have in common. */
  readDefaults(versionId: string): Promise<ConversationDefaults | null> {
    return readConversationDefaults(this.db, versionId);
  }

  /** The heads of all cases of the run's version. @param clusterPrefix prefix of the tag that names a cluster */
  async readHeads(run: CasesOfRun, clusterPrefix?: string): Promise<CaseHead[]> {
    const values: unknown[] = [clusterPrefix ?? null, this.teamId];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const { rows } = await this.db.query<CaseHead>(
      `SELECT c.position, c.category,
         ${EXPECTED_TOOL} AS tool,
         (SELECT tag FROM unnest(c.tags) WITH ORDINALITY AS t (tag, n) WHERE starts_with(tag, $1) ORDER BY n LIMIT 1)
           AS cluster
       FROM ${casesOf(run, parameter)} c WHERE ${owns('$2', parameter(run.versionId))} ORDER BY c.position`,
      values,
    );
    for (const row of rows) if (row.tool?.startsWith('[')) row.tool = acceptable(row.tool);
    return rows;
  }

  /** Positions and ids of the run's cases that have one of these tags, in order. */
  async readTagged({ versionId, positions }: ComparableRun, tags: readonly string[]): Promise<TaggedCase[]> {
    const { rows } = await this.db.query<TaggedCase>(
      `SELECT position, case_id AS "caseId" FROM suite_version_case
       WHERE version_id = $1 AND tags && $2 AND (cardinality($3::int[]) = 0 OR position = ANY ($3))
         AND ${owns('$4', '$1')} ORDER BY position`,
      [versionId, tags, positions, this.teamId],
    );
    return rows;
  }

  /** A target's results in each case, in the run and its extensions: one row per case, in their order. */
  async measure(run: ReadRun, target: Ordinal, what: Omit<MeasuredTarget, keyof Place>): Promise<MeasuredCase[]> {
    return mergeCases(await this.measureParts(run, target, what));
  }

  /** The same separately: in the run itself, and in each extension. */
  async measureParts(
    run: ReadRun,
    { ordinal }: Ordinal,
    what: Omit<MeasuredTarget, keyof Place>,
  ): Promise<MeasuredCase[][]> {
    const place = { ordinal, rescoreId: run.rescore?.id };
    const cases: MeasuredCase[][] = [];
    for (const { id: runId } of [run, ...run.extensions])
      cases.push(await readMeasuredCases(this.db, this.teamId, { runId, ...place, ...what }));
    return cases;
  }

  /** A target's score in each case of the run itself. */
  score({ id: runId }: Pick<ComparableRun, 'id'>, { ordinal }: Ordinal): Promise<CaseScores> {
    return readCaseScores(this.db, this.teamId, { runId, ordinal });
  }

  /** The result that a comparison shows for each of these cases, by position. */
  readShown(run: ReadRun, { ordinal }: Ordinal, positions: readonly number[]): Promise<Map<number, ShownResult>> {
    const runIds = [run, ...run.extensions].map(({ id }) => id);
    return readShownResults(this.db, this.teamId, { runIds, ordinal, rescoreId: run.rescore?.id }, positions);
  }
}

/** SQL: `added` has the completed extensions of the run `r`, in the order of their samples, if `asked` is true. */
const joinExtensions = (asked: string): string => `CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(e.id), '{}') AS ids, coalesce(json_agg(json_build_object('id', e.id,
      'generation', e.generation, 'samples', e.samples, 'cases', cardinality(e.case_positions),
      'from', coalesce(e.started_at, e.created_at), 'to', coalesce(e.finished_at, e.created_at))
      ORDER BY e.first_sample, e.id), '[]') AS extensions
    FROM run e WHERE ${asked} AND e.extends_run_id = r.id AND e.team_id = r.team_id AND e.status = 'completed'
  ) added`;

const toGeneration = ({ id, generation }: RunGeneration): RunGeneration => ({ id, generation });

/** Whether an extension has samples of every case. */
const isWhole = ({ cases }: RunRow['extensions'][number], { case_count: all }: RunRow): boolean =>
  cases === 0 || cases === all;

/** Number of samples that extensions added to every case. */
const addedSamples = (row: RunRow): number =>
  row.extensions.reduce((sum, one) => sum + (isWhole(one, row) ? one.samples : 0), 0);

const partsOf = (row: RunRow): RunPart[] => [
  { isWhole: true, from: row.started, to: row.ended },
  ...row.extensions.map((one) => ({ isWhole: isWhole(one, row), from: new Date(one.from), to: new Date(one.to) })),
];

/** Several acceptable tools count as one expectation. */
function acceptable(json: string): string | null {
  const names = parseJson(json) as string[];
  return names.length ? names.join(' or ') : null;
}

function toRun(row: RunRow): ComparableRun {
  const samples = row.samples + addedSamples(row);
  return {
    id: row.id,
    generation: row.generation,
    status: row.status,
    suite: { id: row.suite_id, name: row.suite_name, version: row.suite_version },
    versionId: row.suite_version_id,
    systemPrompt: row.system_prompt,
    tools: jsonColumn<Tool[]>(row.tools),
    passThreshold: row.pass_threshold,
    hasConversations: row.has_conversations,
    conversation: nullableJsonColumn<ConversationDefaults>(row.conversation),
    config: { ...jsonColumn<RunConfig | RecordedConfig>(row.config), samples },
    samples,
    extensions: row.extensions.map(toGeneration),
    parts: partsOf(row),
    positions: row.case_positions,
    caseCount: row.case_count,
    targets: row.targets.map((target) => ({ ...target, params: jsonColumn<JsonObject>(target.params) })),
    scoringVersions: row.rescore_version === null ? row.scoring_versions : [row.rescore_version],
    sentOtherwise: row.sent_otherwise,
    rescore:
      row.rescore_id === null
        ? null
        : {
            id: row.rescore_id,
            status: row.rescore_status!,
            options: jsonColumn<RescoreOptions>(row.rescore_options!),
            hasVersion: row.has_version!,
          },
    createdAt: row.created_at,
  };
}
