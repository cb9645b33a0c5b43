import { scoredCases } from './for-workers/scored-cases.js';

/** Whose cases are read: those of a run or of its rescore, or without an id those of a version. */
export interface CasesOfRun {
  versionId: string;
  /** Of its cases; empty for all. */
  positions: readonly number[];
  id?: string;
  rescore?: { id: string; hasVersion: boolean } | null;
}

/** SQL: the team has a run that pins the version, or a rescore that scores with it. */
export const owns = (team: string, version: string): string =>
  `(EXISTS (SELECT 1 FROM run WHERE suite_version_id = ${version} AND team_id = ${team})
    OR EXISTS (SELECT 1 FROM rescore WHERE suite_version_id = ${version} AND team_id = ${team}))`;

export const rescoreOf = ({ id, rescore }: CasesOfRun): { runId: string; id: string } | undefined =>
  id !== undefined && rescore?.hasVersion ? { runId: id, id: rescore.id } : undefined;

/** SQL of the ids of the versions that its cases come from. */
export function versionsOf(run: CasesOfRun, parameter: (value: unknown) => string): string[] {
  const rescore = rescoreOf(run);
  const version = `${parameter(run.versionId)}::uuid`;
  return rescore ? [version, `(SELECT suite_version_id FROM rescore WHERE id = ${parameter(rescore.id)})`] : [version];
}

/** SQL of the cases by which a run, or its rescore, is scored. */
export function casesOf(run: CasesOfRun, parameter: (value: unknown) => string): string {
  const rescore = rescoreOf(run);
  return scoredCases({
    version: parameter(run.versionId),
    rescore: rescore && { run: parameter(rescore.runId), id: parameter(rescore.id) },
  });
}
