import type { JobStatus } from '#lib/contracts/job-status';
import type { PageQuery } from '#lib/contracts/page';
import type { Reader } from '#lib/db/catalogue/marks';
import { isParentWithin } from '#lib/db/catalogue/named-suites';
import type { Pool, PoolClient } from '#lib/db/connection/pool';
import type { TeamScoped } from '#lib/db/team-isolation';

export interface TuneRow {
  id: string;
  job_id: string;
  name: string | null;
  status: JobStatus;
  step: string | null;
  input: string;
  state: string;
  suite_id: string | null;
  experiment_id: string | null;
  promoted: string | null;
  created_at: Date;
  finished_at: Date | null;
}

/**
 * @param json SQL of the request and of the findings, `input` and `state`
 * @param more columns and a table that has them
 */
export const selectTunes = (
  type: 'param_tune' | 'prompt_tune',
  json = 'o.input, o.state',
  more?: { columns: string; from: string },
): string => `
  SELECT o.id, o.job_id, o.name, j.status, o.step, ${json}, o.experiment_id, o.created_at, j.finished_at,
    (SELECT s.id FROM suite s WHERE s.id = (o.input::json #>> '{suite,id}')::uuid) AS suite_id,
    (SELECT r.id FROM run r WHERE r.orchestration_id = o.id AND r.step = 'promote') AS promoted
    ${more ? `, ${more.columns}` : ''}
  FROM orchestration o JOIN job j ON j.id = o.job_id ${more?.from ?? ''}
  WHERE o.team_id = $1 AND o.type = '${type}'`;

/** A page of a list, and the suites that its reader's token is limited to; null for all. */
export type TunesPage = PageQuery & Pick<Reader, 'suiteIds'>;

/** The tunes of a team, of one kind. */
export class TuneRows<Row extends TuneRow = TuneRow> implements TeamScoped {
  /** @param select SQL from `selectTunes`: for one tune, and for a list */
  constructor(
    readonly db: Pool | PoolClient,
    readonly teamId: string,
    readonly select: { one: string; list: string },
  ) {}

  async find(id: string): Promise<Row | undefined> {
    const { rows } = await this.db.query<Row>(`${this.select.one} AND o.id = $2`, [this.teamId, id]);
    return rows[0];
  }

  /** Newest first, with one row more than the page has. */
  async list({ limit, cursor, suiteIds }: TunesPage): Promise<Row[]> {
    const { rows } = await this.db.query<Row>(
      `${this.select.list} AND ($2::uuid IS NULL OR o.id < $2) AND ${isParentWithin('$4')}
       ORDER BY o.id DESC LIMIT $3`,
      [this.teamId, cursor ?? null, limit + 1, suiteIds],
    );
    return rows;
  }

  /** The tunes of an experiment that have ended, by the time they ended, then by id. */
  async listEnded(
    experimentId: string,
    { limit, after }: { limit: number; after: { endedAtMs: number; id: string } | undefined },
  ): Promise<Row[]> {
    const { rows } = await this.db.query<Row>(
      `${this.select.list} AND o.experiment_id = $2 AND j.finished_at IS NOT NULL
         AND ($3::timestamptz IS NULL OR (j.finished_at, o.id) > ($3, $4::uuid))
       ORDER BY j.finished_at, o.id LIMIT $5`,
      [this.teamId, experimentId, after ? new Date(after.endedAtMs) : null, after?.id ?? null, limit],
    );
    return rows;
  }
}

/** The leading fields of a tune. */
export const headOf = <Asked>(
  row: TuneRow,
  { asked, suite }: { asked: Asked; suite: { name: string; version: number } },
) => ({
  id: row.id,
  job_id: row.job_id,
  status: row.status,
  name: row.name,
  suite_id: row.suite_id,
  suite_name: suite.name,
  suite_version: suite.version,
  experiment_id: row.experiment_id,
  input: { ...asked, name: row.name },
  step: row.step ?? 'done',
});

/** When a tune was submitted, and when it ended. */
export const timesOf = ({ created_at: created, finished_at: finished }: TuneRow) => ({
  created_at: created.toISOString(),
  finished_at: finished?.toISOString() ?? null,
});
