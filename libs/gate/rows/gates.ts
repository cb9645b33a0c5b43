import { isDeepStrictEqual } from 'node:util';
import type { Page } from '#lib/contracts/page';
import { notFound, ProblemError } from '#lib/contracts/input/problem';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '#lib/db/connection/insert-row';
import type { PoolClient } from '#lib/db/connection/pool';
import { takeTurn } from '#lib/db/connection/take-turn';
import { TeamScoped } from '#lib/db/team-isolation';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import type { Reader } from '#lib/db/catalogue/marks';
import { isOfSuites } from '#lib/db/catalogue/named-suites';
import { toPage } from '#lib/db/catalogue/page';
import { takeBaseline } from '#lib/db/catalogue/take-baseline';
import type { GateBaseline, GateInput, GateRules, GatesQuery } from '../contract.js';
import type { GateLast } from '#lib/contracts/gate-outlook';

export interface StoredGate {
  id: string;
  name: string;
  version: number;
  suiteId: string;
  /** Null when the suite was deleted. */
  suiteName: string | null;
  baseline: GateBaseline;
  /** The current baseline run; null for none. */
  baselineId: string | null;
  rules: GateRules;
  /** Null before its first answer. */
  last: GateLast | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The fields of a gate that a user may change. */
export type GateFields = Pick<StoredGate, 'name' | 'baseline' | 'rules'>;

type GateRow = Omit<StoredGate, 'baseline' | 'rules' | 'last'> & {
  last: string | null;
  lastAt: Date | null;
  baselineRunId: string | null;
  experimentId: string | null;
  rules: string;
};

const SELECT = `
  SELECT g.id, g.name, g.version, g.suite_id AS "suiteId", s.name AS "suiteName",
    g.baseline_run_id AS "baselineRunId", g.experiment_id AS "experimentId", r.id AS "baselineId", g.rules,
    g.last_answer AS last, g.last_answer_at AS "lastAt",    g.created_at AS "createdAt", g.updated_at AS "updatedAt"
  FROM gate g LEFT JOIN suite s ON s.id = g.suite_id AND s.team_id = g.team_id
    LEFT JOIN experiment e ON e.id = g.experiment_id AND e.team_id = g.team_id
    LEFT JOIN run r ON r.id = coalesce(g.baseline_run_id, e.baseline_run_id) AND r.team_id = g.team_id
  WHERE g.team_id = $1`;

/** The gates of a team. Their answers are in `gate-looks.ts`. */
export class GateRepository extends TeamScoped {
  async list({ limit, cursor, name, suiteIds }: GatesQuery & Pick<Reader, 'suiteIds'>): Promise<Page<StoredGate>> {
    const { rows } = await this.db.query<GateRow>(
      `${SELECT} AND ($2::uuid IS NULL OR g.id < $2) AND ($3::text IS NULL OR g.name = $3)
         AND ${isOfSuites('g.suite_id', '$5')}
       ORDER BY g.id DESC LIMIT $4`,
      [this.teamId, cursor ?? null, name ?? null, limit + 1, suiteIds],
    );
    return toPage(rows.map(toGate), limit);
  }

  /** @throws ProblemError 404 */
  async read(id: string): Promise<StoredGate> {
    const { rows } = await this.db.query<GateRow>(`${SELECT} AND g.id = $2`, [this.teamId, id]);
    if (!rows[0]) throw notFound('gate', id);
    return toGate(rows[0]);
  }

  /**
   * @returns the id
   * @throws ProblemError 422 when its baseline does not fit, 409 when another gate has its name
   */
  async create({ suite_id: suiteId, name, baseline, ...rules }: GateInput): Promise<string> {
    const id = newId();
    await this.#takeBaseline(suiteId, { baseline, rules });
    await this.#refuseTaken(name, id);
    await insertRow(this.db, 'gate', {
      id,
      team_id: this.teamId,
      name,
      suite_id: suiteId,
      ...toColumns({ baseline, rules }),
    });
    return id;
  }

  /**
   * Updates a gate that was read before. Another baseline or other rules create its next version.
   * @returns it before and after
   * @throws ProblemError as `create`, and 409 when it was changed concurrently
   */
  async update(gate: StoredGate, fields: GateFields): Promise<{ before: GateFacts; after: GateFacts }> {
    const { name, rules } = fields;
    const [columns, before] = [toColumns(fields), toColumns(gate)];
    const isNext = !isDeepStrictEqual(columns, before);
    if (!isNext && name === gate.name) return { before: gateFacts(gate), after: gateFacts(gate) };
    if (!isDeepStrictEqual({ ...columns, rules: rules.measure }, { ...before, rules: gate.rules.measure }))
      await this.#takeBaseline(gate.suiteId, fields);
    if (name !== gate.name) await this.#refuseTaken(name, gate.id);
    const { rows } = await this.db.query<{ name: string }>(
      `UPDATE gate g SET name = $4, version = version + $5, baseline_run_id = $6, experiment_id = $7, rules = $8,
         updated_at = now()
       FROM (SELECT id, name FROM gate WHERE id = $1 AND team_id = $2 FOR NO KEY UPDATE) earlier
       WHERE g.id = earlier.id AND g.version = $3 RETURNING earlier.name`,
      [gate.id, this.teamId, gate.version, name, isNext ? 1 : 0, ...Object.values(columns)],
    );
    if (!rows[0])
      throw new ProblemError(409, 'The gate was changed or deleted in the meantime. Read it and try again.').as(
        'changed_meanwhile',
      );
    return {
      before: gateFacts({ ...gate, name: rows[0].name }),
      after: gateFacts({ ...gate, ...fields, version: gate.version + (isNext ? 1 : 0) }),
    };
  }

  /** Deletes the gate with its looks. @returns what it was @throws ProblemError 404 */
  async delete(id: string): Promise<Pick<GateFacts, 'name' | 'suite_id' | 'version'>> {
    const { rows } = await this.db.query<Pick<GateFacts, 'name' | 'suite_id' | 'version'>>(
      'DELETE FROM gate WHERE id = $1 AND team_id = $2 RETURNING name, suite_id, version',
      [id, this.teamId],
    );
    if (!rows[0]) throw notFound('gate', id);
    return rows[0];
  }

  async #takeBaseline(suiteId: string, { baseline, rules }: Pick<GateFields, 'baseline' | 'rules'>): Promise<void> {
    if ('eval_id' in baseline) {
      const use = { runId: baseline.eval_id, suiteId, measure: rules.measure, path: '/baseline/eval_id' };
      await takeBaseline(this.db, this.teamId, use);
    } else {
      const of = { id: baseline.experiment_id, suiteId, path: '/baseline/experiment_id' };
      await new ExperimentRepository(this.db, this.teamId).findOfSuite(of);
    }
  }

  /** Serialises callers that take a name in a team. @throws ProblemError 409 */
  async #refuseTaken(name: string, id: string): Promise<void> {
    await takeTurn(this.db as PoolClient, 'gate names', this.teamId);
    const { rows } = await this.db.query<{ id: string }>(
      'SELECT id FROM gate WHERE team_id = $1 AND name = $2 AND id <> $3',
      [this.teamId, name, id],
    );
    if (rows[0])
      throw new ProblemError(409, `There is a gate "${name}" already. Change it or use another name.`).as(
        'name_taken',
        {
          what: 'gate',
          name,
          id: rows[0].id,
        },
      );
  }
}

/** What the audit says of a gate. */
const gateFacts = ({ name, suiteId, version, baseline, rules }: Omit<StoredGate, 'id'>) => ({
  name,
  suite_id: suiteId,
  version,
  baseline,
  ...rules,
});
type GateFacts = ReturnType<typeof gateFacts>;

const toColumns = ({ baseline, rules }: Pick<GateFields, 'baseline' | 'rules'>) => ({
  baseline_run_id: 'eval_id' in baseline ? baseline.eval_id.toLowerCase() : null,
  experiment_id: 'eval_id' in baseline ? null : baseline.experiment_id.toLowerCase(),
  rules: JSON.stringify(rules),
});

const toGate = ({ baselineRunId, experimentId, rules, last, lastAt, ...row }: GateRow): StoredGate => ({
  ...row,
  baseline: baselineRunId === null ? { experiment_id: experimentId! } : { eval_id: baselineRunId },
  rules: JSON.parse(rules) as GateRules,
  last: last === null ? null : { ...(JSON.parse(last) as Omit<GateLast, 'at'>), at: lastAt!.toISOString() },
});
