/** SQL: the judgement `j` says whether a result is ok. */
export const TELLS = (j: string): string =>
  `${j}.state = 'judged' AND ${j}.verdict IN ('correct', 'acceptable', 'wrong')`;
/** SQL: two rows refer to the same result. */
export const SAME_RESULT = (a: string, b: string): string =>
  ['run_id', 'target', 'case_position', 'sample'].map((column) => `${a}.${column} = ${b}.${column}`).join(' AND ');

/** SQL of a subquery: the label of people of the result `row`: the most frequent one, the stricter on a tie. */
export const LABEL_OF = (row: string, team: string): string => `(
  SELECT l.label FROM label l WHERE ${SAME_RESULT('l', row)} AND l.team_id = ${team} GROUP BY l.label
  ORDER BY count(*) DESC, array_position('{wrong,acceptable,correct}'::text[], l.label) LIMIT 1
)`;
