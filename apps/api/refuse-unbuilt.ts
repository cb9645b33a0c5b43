import type { CaseInput, ScoringConfig } from '#lib/contracts/case';
import { ProblemError } from '#lib/contracts/problem';
import type { RunInput } from '#lib/contracts/run';
import type { Pool } from '#lib/db/pool';
import { selectedCases } from '#lib/db/suites';

/** Refuses what this version cannot do yet, by name, instead of doing something else. */
export async function refuseUnbuilt(pool: Pool, teamId: string, input: RunInput): Promise<void> {
  const refuse = (path: string, what: string): never => {
    throw new ProblemError(422, `${what} is not built yet. Leave it out.`, [{ path, message: 'is not built yet' }]);
  };
  if (input.budget !== null) refuse('/budget', 'A budget');
  if (input.cache !== 'off') refuse('/cache', 'The cache');
  if (input.metrics.length) refuse('/metrics', 'Scoring runs by further metrics');
  const wayOut = 'Change it, or leave such cases out with case_filter.';
  for (const { position, ...one } of await selectedCases(pool, teamId, input.suite_id, input.case_filter, ['"multi_turn":true', '"semantic"'])) {
    const name = one.name ? `Case ${position} ("${one.name}")` : `Case ${position}`;
    const unfit = (why: string): ProblemError => new ProblemError(422, `${name} ${why} ${wayOut}`, [{ path: '/suite_id', message: `${name} cannot be run yet` }]);
    if (one.multi_turn) throw unfit('is multi-turn, and conversations are not played yet.');
    if (isSemantic(one)) throw unfit('is scored semantically, which is not built yet.');
  }
}

const isSemantic = (input: CaseInput): boolean =>
  input.param_scoring === 'semantic' || [input, ...(input.expected_calls ?? [])].some(({ scoring_config: config }) => config && modesOf(config).includes('semantic'));

const modesOf = ({ mode, params }: ScoringConfig) => [mode, ...Object.values(params ?? {}).map((rule) => rule.mode)];
