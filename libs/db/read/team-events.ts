import type { LogEventName } from '#lib/contracts/values/jobs';
import { SUITES_OF_JOB } from '../catalogue/named-suites.js';
import type { Pool } from '../connection/pool.js';

/** An event whose data is still text, so that unreadable data of one team does not fail the read for the others. */
export interface TeamEvent {
  job_id: string;
  team_id: string;
  seq: number;
  at: Date;
  name: LogEventName;
  data: string;
  /** The suites of the job; null when they are not asked for. */
  suites: (string | null)[] | null;
}

/** More than a reader can follow. The rest comes when the first ones have left the window. */
const MAX_EVENTS_PER_TEAM = 1000;

/**
 * The events with these names of these teams in the last seconds by the clock of Postgres, in order, without those of
 * child runs. The limit applies per team, so a busy team does not displace the events of another.
 */
export async function readTeamEvents(
  pool: Pool,
  teamIds: readonly string[],
  lastSeconds: number,
  names: readonly LogEventName[],
  withSuites: boolean,
): Promise<TeamEvent[]> {
  const { rows } = await pool.query<TeamEvent>(
    `SELECT job_id, team_id, seq, at, name, data, of_job.suites FROM (
       SELECT e.job_id, j.team_id, e.seq, e.at, e.name, e.data,
         row_number() OVER (PARTITION BY j.team_id ORDER BY e.at, e.job_id, e.seq) AS place
       FROM job_event e JOIN job j ON j.id = e.job_id
       WHERE e.at > now() - make_interval(secs => $2) AND e.name = ANY ($3) AND j.team_id = ANY ($1)
         AND j.parent_id IS NULL
     ) event LEFT JOIN LATERAL (
       SELECT coalesce(array_agg(s.suite_id), '{}') AS suites FROM job j CROSS JOIN LATERAL (${SUITES_OF_JOB}) s
       WHERE j.id = event.job_id
     ) of_job ON $5
     WHERE place <= $4 ORDER BY at, job_id, seq`,
    [teamIds, lastSeconds, names, MAX_EVENTS_PER_TEAM, withSuites],
  );
  return rows;
}
