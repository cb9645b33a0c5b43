import type { Page } from '#lib/contracts/page';
import type { Run } from '#lib/contracts/run';
import type { SuiteHead } from '#lib/contracts/suite';
import { toPage } from '../catalogue/page.js';
import { ON_PAGE, pageValues, type SuitesPage } from '../catalogue/suites.js';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { RunRepository } from './runs.js';

type LastRun = NonNullable<SuiteHead['last_run']>;

interface HeadRow {
  id: string;
  name: string;
  description: string;
  pass_threshold: number;
  version: number;
  created_at: Date;
  updated_at: Date;
  test_cases_count: number;
  tools_count: number;
  run_id: string | null;
}

/** The suites of a team with their latest results, without the texts of their tools. */
export class SuiteHeadRepository extends TeamScoped<Pool> {
  async list(page: SuitesPage): Promise<Page<SuiteHead>> {
    const { rows } = await this.db.query<HeadRow>(
      `SELECT s.id, s.name, s.description, s.pass_threshold, s.version, s.created_at, s.updated_at,
         (SELECT count(*)::int FROM suite_case c WHERE c.suite_id = s.id) AS test_cases_count,
         json_array_length(s.tools::json) AS tools_count, r.id AS run_id
       FROM (
         SELECT * FROM suite WHERE ${ON_PAGE} ORDER BY id DESC LIMIT $7
       ) s
       LEFT JOIN LATERAL (
         SELECT id FROM run WHERE suite_id = s.id AND team_id = $1 AND listed ORDER BY suite_id DESC, id DESC LIMIT 1
       ) r ON true
       ORDER BY s.id DESC`,
      pageValues(this.teamId, page),
    );
    const { items, next_cursor } = toPage(rows, page.limit);
    const ids = items.flatMap(({ run_id: id }) => (id === null ? [] : [id]));
    const runs = await new RunRepository(this.db, this.teamId).readMany(ids);
    return { items: items.map(({ run_id: id, ...row }) => toHead(row, runs.get(id ?? ''))), next_cursor };
  }
}

const toHead = (row: Omit<HeadRow, 'run_id'>, run: Run | undefined): SuiteHead => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_run: run ? lastRun(run) : null,
});

function lastRun({ id, status, created_at, finished_at, summaries, top: best, counts, against }: Run): LastRun {
  const [highest] = summaries.toSorted((one, other) => (other.overall ?? -1) - (one.overall ?? -1));
  const { settled, total } = counts;
  return {
    ...{ id, status, created_at, finished_at, best, against },
    counts: { settled, total },
    top: highest
      ? {
          target: highest.target,
          overall: highest.overall,
          overall_ci: highest.overall_ci,
          scored: highest.scored,
          errored: highest.errored,
        }
      : null,
  };
}
