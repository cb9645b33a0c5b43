import { ProblemError } from '#lib/contracts/input/problem';
import type { RescoreOptions } from '#lib/contracts/rescore';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import { readPinnedSuite } from '#lib/db/read/pinned-cases';
import type { SuiteThreads } from '../threads/suite-threads.js';
import { refuseOverCap } from './check-spending.js';

/**
 * Refuses scoring options that do not fit a case of the run, such as a pattern where the expected value is not one.
 * @throws ProblemError 422; 409 when it costs something and the team has reached its monthly cap
 */
export async function checkRescore(
  { pool, suiteThreads }: { pool: Pool; suiteThreads: SuiteThreads },
  teamId: string,
  runId: string,
  options: RescoreOptions,
): Promise<void> {
  if (!options.param_scoring && !options.scoring_config) return;
  const path = options.scoring_config ? '/scoring_config' : '/param_scoring';
  const run = await readPinnedSuite(pool, teamId, runId);
  if (!run) return;
  const task = { what: 'fit-cases' as const, tools: run.tools, options: JSON.stringify(options) };
  let isAnySemantic = false;
  for await (const page of run.pages) {
    const fitted = await suiteThreads.run(teamId, { ...task, cases: page.map(({ body }) => body) });
    const [misfit] = fitted.errors;
    if (misfit) {
      const { position } = page[misfit.index]!;
      throw new ProblemError(422, `Case ${position} cannot be scored this way: ${misfit.message}`, [
        { path, message: `does not fit case ${position}` },
      ]);
    }
    isAnySemantic ||= fitted.isSemantic;
  }
  if (!isAnySemantic) return;
  const settings = new SettingsRepository(pool, teamId);
  await refuseOverCap(settings, () => settings.embeddingCosts());
  if ((await settings.readEmbedding()).provider_key !== null) return;
  throw new ProblemError(422, 'Comparing by meaning ("semantic") needs an embedding model. An owner can set one.', [
    { path, message: 'needs an embedding model' },
  ]).as('no_embedding_model');
}
