import type { JobStatus } from '#lib/contracts/job-status';
import type { Page } from '#lib/contracts/page';
import type { SuiteHead } from '#lib/contracts/suite';
import { toPage } from '../catalogue/page.js';
import { ON_PAGE, pageValues, type SuitesPage } from '../catalogue/suites.js';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';

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
  status: JobStatus;
  submitted_at: Date;
  finished_at: Date | null;
  top: LastRun['top'];
}

/** The suites of a team with their latest results, without the texts of their tools. */
export class SuiteHeadRepository extends TeamScoped<Pool> {
  async list(page: SuitesPage): Promise<Page<SuiteHead>> {
    const { rows } = await this.db.query<HeadRow>(
      `SELECT s.id, s.name, s.description, s.pass_threshold, s.version, s.created_at, s.updated_at,
         (SELECT count(*)::int FROM suite_case c WHERE c.suite_id = s.id) AS test_cases_count,
         json_array_length(s.tools::json) AS tools_count,
         r.id AS run_id, r.status, r.created_at AS submitted_at, r.finished_at, top.top
       FROM (
         SELECT * FROM suite WHERE ${ON_PAGE} ORDER BY id DESC LIMIT $7
       ) s
       LEFT JOIN LATERAL (
         SELECT * FROM run WHERE suite_id = s.id AND team_id = $1 AND listed ORDER BY suite_id DESC, id DESC LIMIT 1
       ) r ON true
       LEFT JOIN LATERAL (
         SELECT json_build_object('target', target, 'overall', summary -> 'overall',
           'overall_ci', summary -> 'overall_ci', 'scored', summary -> 'scored', 'errored', summary -> 'errored') AS top
         FROM (
           SELECT provider_key || '::' || model_id AS target, ordinal, summary::json AS summary FROM target
           WHERE run_id = r.id AND summary IS NOT NULL
         ) t
         ORDER BY (summary ->> 'overall')::float8 DESC NULLS LAST, ordinal LIMIT 1
       ) top ON true
       ORDER BY s.id DESC`,
      pageValues(this.teamId, page),
    );
    return toPage(rows.map(toHead), page.limit);
  }
}

function toHead({ run_id, status, submitted_at, finished_at, top, ...row }: HeadRow): SuiteHead {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_run:
      run_id === null
        ? null
        : {
            id: run_id,
            status,
            created_at: submitted_at.toISOString(),
            finished_at: finished_at?.toISOString() ?? null,
            top,
          },
  };
}
