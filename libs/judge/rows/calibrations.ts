import { notFound, ProblemError } from '#lib/contracts/input/problem';
import type { LabelName } from '#lib/contracts/label';
import type { Pool } from '#lib/db/connection/pool';
import { TeamScoped } from '#lib/db/team-isolation';
import type { StoredReport } from './judge-reports.js';
import { LABEL_OF, SAME_RESULT, TELLS } from './labelled.js';

/** Results of a report that were drawn for labelling and share the same verdict and label. */
export interface DrawnRow {
  fingerprint: string;
  reportId: string;
  judged: LabelName;
  /** The most frequent label, the stricter one on a tie; null without labels. */
  label: LabelName | null;
  probability: number;
  results: number;
}

/** A judge, as used by one of its reports. */
export interface CalibratedJudge {
  reportId: string;
  judge: string;
  fingerprint: string;
  instructions: string;
}

const MAX_NAMED = 20;
/** How well the judges of a team agree with human labels. */
export class CalibrationRepository extends TeamScoped<Pool> {
  /**
   * The drawn results of the reports of these judges, by fingerprint. A result judged in several reports counts only in
   * the newest one.
   */
  async drawn(fingerprints: readonly string[]): Promise<Map<string, DrawnRow[]>> {
    const { rows } = await this.db.query<DrawnRow>(
      `SELECT p.fingerprint, j.report_id AS "reportId", j.verdict AS judged, said.label,
         j.draw_probability AS probability, count(*)::int AS results
       FROM judge_report p JOIN judgement j ON j.report_id = p.id
         LEFT JOIN LATERAL ${LABEL_OF('j', 'p.team_id')} said ON true
       WHERE p.team_id = $1 AND p.fingerprint = ANY ($2) AND p.baseline_id IS NULL
         AND j.draw_probability IS NOT NULL AND ${TELLS('j')} AND NOT EXISTS (
           SELECT 1 FROM judgement newer JOIN judge_report q ON q.id = newer.report_id
           WHERE ${SAME_RESULT('newer', 'j')} AND newer.report_id > j.report_id AND ${TELLS('newer')}
             AND q.team_id = p.team_id AND q.fingerprint = p.fingerprint AND q.baseline_id IS NULL
         )
       GROUP BY p.fingerprint, j.report_id, j.verdict, said.label, j.draw_probability`,
      [this.teamId, fingerprints],
    );
    const groups = new Map<string, DrawnRow[]>(fingerprints.map((fingerprint) => [fingerprint, []]));
    for (const row of rows) groups.get(row.fingerprint)!.push(row);
    return groups;
  }

  /** The number of reports with this fingerprint, and how many of the judged results have labels. */
  async counts(fingerprint: string): Promise<{ reports: number; labelled: number }> {
    const { rows } = await this.db.query<{ reports: number; labelled: number }>(
      `WITH report AS (
         SELECT id, run_id FROM judge_report WHERE team_id = $1 AND fingerprint = $2 AND baseline_id IS NULL
       )
       SELECT (SELECT count(*) FROM report)::int AS reports, (SELECT count(*) FROM (
         SELECT DISTINCT run_id, target, case_position, sample FROM label l
         WHERE l.team_id = $1 AND l.run_id IN (SELECT run_id FROM report) AND EXISTS (
           SELECT 1 FROM judgement j JOIN report p ON p.id = j.report_id
           WHERE ${SAME_RESULT('j', 'l')} AND j.state = 'judged'
         )
       ) labelled)::int AS labelled`,
      [this.teamId, fingerprint],
    );
    return rows[0]!;
  }

  /**
   * A judge, as used by its newest report; undefined without reports.
   * @param name `provider_key::model_id`, or only the id of the model
   * @param runId only reports on this run
   * @throws ProblemError 422 when several judges have the name
   */
  async findJudge(name: string, runId?: string): Promise<CalibratedJudge | undefined> {
    const found = await this.#judges(
      `SELECT DISTINCT ON (p.judge) p.id FROM judge_report p
       WHERE p.team_id = $1 AND (p.judge = $2 OR substr(p.judge, strpos(p.judge, '::') + 2) = $2)
         AND p.baseline_id IS NULL AND ($3::uuid IS NULL OR p.run_id = $3)
       ORDER BY p.judge, p.id DESC LIMIT ${MAX_NAMED}`,
      [this.teamId, name, runId ?? null],
    );
    const exact = found.find(({ judge }) => judge === name);
    if (exact || found.length < 2) return exact ?? found[0];
    const names = found.map(({ judge }) => judge).sort();
    throw new ProblemError(422, `Several judges are called "${name}": ${names.join(', ')}. Use one of these names.`, [
      { path: '/judge', message: `may be ${names.join(' or ')}` },
    ]);
  }

  /** @throws ProblemError 404 when the team has no such run */
  async checkRun(runId: string): Promise<void> {
    const { rowCount } = await this.db.query('SELECT 1 FROM run WHERE id = $1 AND team_id = $2', [runId, this.teamId]);
    if (!rowCount) throw notFound('run', runId);
  }

  /** The judge of a report. @throws ProblemError 404 */
  async judgeOf(reportId: string): Promise<CalibratedJudge> {
    const [judge] = await this.#judges('SELECT id FROM judge_report WHERE team_id = $1 AND id = $2', [
      this.teamId,
      reportId,
    ]);
    if (!judge) throw notFound('report', reportId);
    return judge;
  }

  /** @param reports SQL of the ids of reports of the team */
  async #judges(reports: string, values: unknown[]): Promise<CalibratedJudge[]> {
    const { rows } = await this.db.query<Omit<CalibratedJudge, 'instructions'> & { input: string }>(
      `SELECT p.id AS "reportId", p.judge, p.fingerprint, o.input FROM (${reports}) found
         JOIN judge_report p ON p.id = found.id JOIN orchestration o ON o.id = p.id`,
      values,
    );
    return rows.map(({ input, ...judge }) => ({
      ...judge,
      instructions: (JSON.parse(input) as StoredReport).asked.instructions ?? '',
    }));
  }
}
