import { notFound } from '#lib/contracts/input/problem';
import { insertRow } from '#lib/db/connection/insert-row';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import { note, noted, readNotes, type Note } from '#lib/contracts/note';
import type { GateAnswer } from '../contract.js';
import type { GateLast } from '#lib/contracts/gate-outlook';

/** What a gate looks at: a version of its rules, and two runs of the team. */
export interface LookedAt {
  gateId: string;
  version: number;
  runId: string;
  /** Null when the gate has no baseline: there is nothing to look at. */
  baselineId: string | null;
}

export interface GateLook {
  /** Identifies the state of the measured data. */
  data: string;
  answer: GateAnswer;
}

/** The answer with one more note, before the others. */
export const notedFirst = (answer: GateAnswer, first: Note): GateAnswer => ({
  ...answer,
  ...noted([first, ...notesOfAnswer(answer)]),
});

/** Answers of an earlier release have texts alone. */
export const notesOfAnswer = ({ notes, note_details: noteDetails }: GateAnswer): Note[] =>
  readNotes({ notes, noteDetails });

/** The maximum number of looks, and the two-sided level of each. */
export type LookPlan = Pick<GateAnswer['look'], 'planned' | 'alpha'>;

/** The looks so far, in order. */
export async function readLooks(db: Pool | PoolClient, teamId: string, of: LookedAt): Promise<GateLook[]> {
  const { rows } = await db.query<{ data: string; answer: string }>(
    `SELECT l.data, l.answer FROM gate g JOIN gate_look l ON l.gate_id = g.id
     WHERE g.team_id = $1 AND g.id = $2 AND l.gate_version = $3 AND l.run_id = $4 AND l.baseline_run_id = $5
     ORDER BY l.look`,
    [teamId, of.gateId, of.version, of.runId, of.baselineId],
  );
  return rows.map(({ data, answer }) => ({ data, answer: JSON.parse(answer) as GateAnswer }));
}

/** The stored answer that applies to this state of the data: its own, or the last one once all looks are used up. */
export function standingAnswer(looks: readonly GateLook[], data: string, planned: number): GateAnswer | undefined {
  const same = looks.find((look) => look.data === data);
  if (same) return same.answer;
  const last = looks.at(-1);
  if (!last || looks.length < planned) return undefined;
  return notedFirst(
    last.answer,
    note('looks_used_up', `The data have changed since the last of ${planned} planned looks. Its answer stands.`, {
      planned,
    }),
  );
}

/**
 * Stores the measurement as the next look, unless an answer applies already, or nothing could be measured. Concurrent
 * callers of one gate are serialised, so that those who measured the same data get the same answer. It locks the gate
 * row, after runs and jobs.
 * @returns the answer that counts
 * @throws ProblemError 404 when the gate is gone
 */
export async function storeLook(
  client: PoolClient,
  teamId: string,
  of: LookedAt,
  measured: { data: string; answer: Omit<GateAnswer, 'look'> },
  plan: LookPlan,
): Promise<GateAnswer> {
  const { data, answer } = measured;
  const { rowCount } = await client.query('SELECT 1 FROM gate WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE', [
    of.gateId,
    teamId,
  ]);
  if (rowCount === 0) throw notFound('gate', of.gateId);
  const looks = await readLooks(client, teamId, of);
  const standing = standingAnswer(looks, data, plan.planned);
  if (standing) return standing;
  if (answer.result === 'not_measured') return withLook(answer, 0, plan);
  const look = looks.length + 1;
  const stored = withLook(answer, look, plan);
  await insertRow(client, 'gate_look', {
    gate_id: of.gateId,
    gate_version: of.version,
    run_id: of.runId,
    baseline_run_id: of.baselineId,
    look,
    data,
    answer: JSON.stringify(stored),
  });
  await keepLast(client, teamId, of, stored);
  return stored;
}

/** Characters of the sentence that a list shows. */
const MAX_LAST_TEXT = 300;

/** Keeps what a list of gates shows of the newest answer. Asked twice about the same answer, it writes the same. */
export async function keepLast(
  db: Pool | PoolClient,
  teamId: string,
  { gateId, version, gateRunId }: Pick<LookedAt, 'gateId' | 'version'> & { gateRunId?: string },
  { eval_id, result, text, targets }: GateAnswer,
): Promise<void> {
  const losses = targets
    .flatMap(({ target, result: own, difference, ci }) =>
      difference === null ? [] : [{ target, result: own, difference, ci }],
    )
    .sort((a, b) => Number(b.result === 'fail') - Number(a.result === 'fail') || a.difference - b.difference);
  const last: Omit<GateLast, 'at'> = {
    result,
    text: text.slice(0, MAX_LAST_TEXT),
    version,
    eval_id,
    gate_run_id: gateRunId ?? null,
    worst: losses[0] ?? null,
  };
  await db.query(
    `UPDATE gate SET last_answer = $3, last_answer_at = now()
     WHERE id = $1 AND team_id = $2 AND last_answer IS DISTINCT FROM $3`,
    [gateId, teamId, JSON.stringify(last)],
  );
}

/** @param number 0 when nothing was measured */
export const withLook = (answer: Omit<GateAnswer, 'look'>, number: number, plan: LookPlan): GateAnswer => ({
  ...answer,
  look: { number, ...plan, final: number >= plan.planned },
});
