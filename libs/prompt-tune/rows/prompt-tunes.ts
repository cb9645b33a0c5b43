import { noted, readNotes, type Note } from '#lib/contracts/note';
import type { Estimate } from '#lib/contracts/comparison';
import { notFound } from '#lib/contracts/input/problem';
import type { Page } from '#lib/contracts/page';
import { targetName } from '#lib/contracts/target-name';
import { jsonColumn } from '#lib/db/connection/json-column';
import { toPage } from '#lib/db/catalogue/page';
import { TeamScoped } from '#lib/db/team-isolation';
import { headOf, selectTunes, timesOf, TuneRows, type TuneRow, type TunesPage } from '#lib/tuning/rows/tune-rows';
import type { PromptTuneOutcome } from '#lib/tuning/contract';
import type {
  CandidatesQuery,
  PromptCandidate,
  PromptCandidateDetails,
  PromptTune,
  PromptTuneInput,
} from '../contract.js';

/** Texts by component. */
export type PromptTexts = Readonly<Record<string, string>>;

/** The request of a prompt tune. `Target` is the stored form of a model. */
export interface PromptTuneRequest<Target> {
  asked: PromptTuneInput;
  suite: { id: string; versionId: string; name: string; version: number };
  targets: Target[];
  meta: Target;
  /** The initial texts of the tuned components. */
  base: PromptTexts;
  /** The suite's texts: of the tuned components, and of those that the base replaces permanently. */
  own: PromptTexts;
  /** Texts that the base replaces in addition to those of the tuned components. */
  fixed: PromptTexts;
  /** Positions of the cases, in random order. `reflect` and `select` are the same in a small suite. */
  reflect: number[];
  select: number[];
  heldOut: number[];
  /** The maximum number of items measured by a reflective search. */
  maxEvaluations: number;
  planned: number;
  notes: string[];
  noteDetails?: Note[];
}

/** What the steps of a tune have found; empty at first. */
export interface PromptTuneState {
  /** How many generations or iterations were announced. */
  told?: number;
  evaluations?: number;
  candidates?: number;
  front?: number[];
  /** The best candidate, once the search has ended or was stopped. */
  found?: { best: number; texts: PromptTexts };
  /** The best candidate minus the base, on the held-out cases. */
  holdout?: Estimate;
  versionId?: string;
  /** Set at the end. */
  outcome?: PromptTuneOutcome | null;
  text?: string;
  notes?: string[];
  noteDetails?: Note[];
}

type StoredTune = PromptTuneRequest<{ providerKey: string; modelId: string }>;

interface PromptTuneRow extends TuneRow {
  meta_requests: number;
  meta_prompt_tokens: number;
  meta_completion_tokens: number;
  meta_cost: number | null;
}

const META = {
  columns: 'meta.*',
  from: `
    CROSS JOIN LATERAL (
      SELECT count(s.*)::int AS meta_requests, coalesce(sum(s.prompt_tokens), 0)::int AS meta_prompt_tokens,
        coalesce(sum(s.completion_tokens), 0)::int AS meta_completion_tokens, sum(s.cost_usd) AS meta_cost
      FROM run r JOIN result s ON s.run_id = r.id AND s.outcome = 'scored'
      WHERE r.orchestration_id = o.id AND r.suite_version_id = o.id
    ) meta`,
};
const SELECT = selectTunes('prompt_tune', 'o.input, o.state', META);
/** Without texts: a tune may have 200,000 characters of them, and a list has many tunes. */
const HEADS = `
  (SELECT json_object_agg(key, CASE WHEN key IN ('base', 'own', 'fixed') THEN '{}' ELSE value END)
    FROM json_each(o.input::json))::text AS input,
  (SELECT coalesce(json_object_agg(key, CASE key WHEN 'found' THEN json_build_object('best', value -> 'best')
    ELSE value END), '{}') FROM json_each(o.state::json))::text AS state`;
const SELECT_HEADS = selectTunes('prompt_tune', HEADS, META);

/** The prompt tunes of a team. */
export class PromptTuneRepository extends TeamScoped {
  readonly #tunes = new TuneRows<PromptTuneRow>(this.db, this.teamId, { one: SELECT, list: SELECT_HEADS });

  /** Newest first, without texts. */
  async list(page: TunesPage): Promise<Page<PromptTune>> {
    return toPage((await this.#tunes.list(page)).map(toTune), page.limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<PromptTune> {
    const row = await this.#tunes.find(id);
    if (!row) throw notFound('prompt tune', id);
    return toTune(row);
  }

  /** The tunes of an experiment that have ended, in that order. Without texts. */
  async listEnded(...of: Parameters<TuneRows['listEnded']>): Promise<PromptTune[]> {
    return (await this.#tunes.listEnded(...of)).map(toTune);
  }

  /** Oldest first. @throws ProblemError 404 for an unknown tune */
  async candidates(id: string, { state, limit, cursor }: CandidatesQuery): Promise<Page<PromptCandidate>> {
    await this.#stored(id);
    const { rows } = await this.db.query<CandidateRow>(
      selectCandidates('($3::text IS NULL OR c.state = $3) AND c.candidate > $4 ORDER BY c.candidate LIMIT $5'),
      [id, this.teamId, state ?? null, cursor === undefined ? -1 : Number(cursor), limit + 1],
    );
    const shown = rows.slice(0, limit);
    const next = (rows[0]?.found ?? 0) > shown.length ? String(shown.at(-1)!.candidate) : null;
    return { items: shown.map(toCandidate), next_cursor: next };
  }

  /** @throws ProblemError 404 */
  async candidate(id: string, candidate: number): Promise<PromptCandidateDetails> {
    const { base } = await this.#stored(id);
    const { rows } = await this.db.query<CandidateRow>(selectCandidates('c.candidate = $3'), [
      id,
      this.teamId,
      candidate,
    ]);
    const row = rows[0];
    if (!row) throw notFound('candidate', String(candidate));
    return {
      ...toCandidate(row),
      texts: { ...base, ...(await this.#changesUpTo(id, candidate)) },
      per_case: JSON.parse(row.per_case) as PromptCandidateDetails['per_case'],
    };
  }

  /**
   * The changes of a candidate and its ancestors, each relative to its first parent; the latest text of each component.
   */
  async #changesUpTo(id: string, candidate: number): Promise<PromptTexts> {
    const { rows } = await this.db.query<{ changed: string }>(
      `WITH RECURSIVE line AS (
         SELECT candidate, parents[1] AS parent, changed FROM prompt_candidate WHERE tune_id = $1 AND candidate = $2
         UNION ALL
         SELECT c.candidate, c.parents[1], c.changed
         FROM line JOIN prompt_candidate c ON c.tune_id = $1 AND c.candidate = line.parent
       )
       SELECT changed FROM line ORDER BY candidate`,
      [id, candidate],
    );
    return Object.assign({}, ...rows.map(({ changed }) => JSON.parse(changed) as PromptTexts)) as PromptTexts;
  }

  async #stored(id: string): Promise<StoredTune> {
    const { rows } = await this.db.query<{ input: string }>(
      `SELECT input FROM orchestration WHERE team_id = $1 AND id = $2 AND type = 'prompt_tune'`,
      [this.teamId, id],
    );
    if (!rows[0]) throw notFound('prompt tune', id);
    return jsonColumn<StoredTune>(rows[0].input);
  }
}

function toTune(row: PromptTuneRow): PromptTune {
  const stored = jsonColumn<StoredTune>(row.input);
  const found = jsonColumn<PromptTuneState>(row.state);
  const { targets, meta, reflect, select, heldOut, planned } = stored;
  return {
    ...headOf(row, stored),
    targets: targets.map(targetName),
    meta_target: targetName(meta),
    cases: {
      tuning: new Set([...reflect, ...select]).size,
      reflect: reflect.length,
      select: select.length,
      holdout: heldOut.length,
    },
    base: stored.base,
    planned_requests: planned,
    evaluations: found.evaluations ?? 0,
    candidates: found.candidates ?? 0,
    front: found.front ?? [],
    best: found.found?.best ?? null,
    texts: found.found?.texts ?? null,
    holdout: found.holdout ?? null,
    outcome: found.outcome ?? null,
    text: found.text ?? null,
    prompt_version_id: found.versionId ?? null,
    promoted_eval_id: row.promoted,
    meta: {
      requests: row.meta_requests,
      prompt_tokens: row.meta_prompt_tokens,
      completion_tokens: row.meta_completion_tokens,
      cost_usd: row.meta_cost,
    },
    ...noted([...readNotes(stored), ...readNotes(found)]),
    ...timesOf(row),
  };
}

interface CandidateRow {
  candidate: number;
  kind: PromptCandidate['kind'];
  iteration: number;
  parents: number[];
  changed: string;
  why: string | null;
  length: number;
  state: PromptCandidate['state'];
  reason: string | null;
  scores: string;
  per_case: string;
  meta: PromptCandidate['meta'];
  runs: PromptCandidate['runs'];
  /** How many were selected: more than are read when their texts are long. */
  found: number;
}

/** The maximum characters of a page of candidates, not counting the last one. */
const MAX_PAGE_CHARS = 2 ** 20;

/**
 * A candidate's runs have its number in their arm; the runs of a request to the meta model have its key.
 * @param chosen the SQL after WHERE; $1 is the tune, $2 the team
 */
const selectCandidates = (chosen: string): string => `
  WITH chosen AS (
    SELECT * FROM (
      SELECT c.*, count(*) OVER ()::int AS found,
        sum(length(c.changed)) OVER (ORDER BY c.candidate) - length(c.changed) AS before
      FROM (
        SELECT c.* FROM prompt_candidate c JOIN orchestration o ON o.id = c.tune_id AND o.team_id = $2
        WHERE c.tune_id = $1 AND ${chosen}
      ) c
    ) c WHERE before < ${MAX_PAGE_CHARS}
  ), runs_of AS (
    SELECT split_part(arm, '.', 1) AS number,
      json_agg(json_build_object('eval_id', id, 'part', step) ORDER BY id) AS runs
    FROM run WHERE orchestration_id = $1 AND suite_version_id <> $1
      AND split_part(arm, '.', 1) IN (SELECT candidate::text FROM chosen) GROUP BY 1
  ), asks AS (
    SELECT r.arm AS key, json_build_object('eval_id', (array_agg(r.id ORDER BY r.id DESC))[1],
      'prompt_tokens', coalesce(sum(s.prompt_tokens), 0), 'completion_tokens', coalesce(sum(s.completion_tokens), 0),
      'cost_usd', sum(s.cost_usd)) AS meta
    FROM run r LEFT JOIN result s ON s.run_id = r.id
    WHERE r.orchestration_id = $1 AND r.suite_version_id = $1 AND r.arm IN (SELECT ask FROM chosen) GROUP BY r.arm
  )
  SELECT c.candidate, c.kind, c.iteration, c.parents, c.changed, c.why, c.length, c.state, c.reason, c.scores,
    c.per_case, c.found, a.meta, coalesce(r.runs, '[]') AS runs
  FROM chosen c LEFT JOIN runs_of r ON r.number = c.candidate::text LEFT JOIN asks a ON a.key = c.ask
  ORDER BY c.candidate`;

const toCandidate = ({ per_case: _scores, found: _found, changed, scores, ...row }: CandidateRow): PromptCandidate => ({
  ...row,
  changed: JSON.parse(changed) as PromptTexts,
  scores: JSON.parse(scores) as PromptCandidate['scores'],
});
