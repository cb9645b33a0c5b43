/** SQL of parameters or columns, such as `$1`. */
interface ScoredCases {
  version: string;
  /** Left out: the cases as the run has them. */
  rescore?: { run: string; id: string } | undefined;
}

/**
 * SQL of the cases of a version, with the texts and tags that a run or its rescore is scored by. `judged` is false for
 * those that the version of the rescore does not have. `version_id` is the version that the text comes from.
 */
export const scoredCases = ({ version, rescore }: ScoredCases): string =>
  rescore
    ? `(SELECT o.position, o.case_id, o.category, coalesce(n.tags, o.tags) AS tags, coalesce(n.body, o.body) AS body,
         m.position IS NULL OR m.version_position IS NOT NULL AS judged,
         coalesce(n.version_id, o.version_id) AS version_id
       FROM suite_version_case o
         LEFT JOIN rescored_case m ON m.run_id = ${rescore.run} AND m.rescore_id = ${rescore.id}
           AND m.position = o.position
         LEFT JOIN suite_version_case n ON n.version_id = m.version_id AND n.position = m.version_position
       WHERE o.version_id = ${version})`
    : `(SELECT position, case_id, category, tags, body, true AS judged, version_id FROM suite_version_case
       WHERE version_id = ${version})`;

/** SQL of the id of the version whose tools score a run, or its rescore. */
export const scoredVersion = ({ version, rescore }: ScoredCases): string =>
  rescore ? `coalesce((SELECT suite_version_id FROM rescore WHERE id = ${rescore.id}), ${version})` : version;
