import { ProblemError } from '#lib/contracts/input/problem';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { Caller } from '#lib/db/catalogue/callers';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteVersionRepository } from '#lib/db/read/suite-versions';
import { readPinnedSuite } from '#lib/db/read/pinned-cases';
import type { SuiteThreads } from '../threads/suite-threads.js';
import { refuseOverCap } from './check-spending.js';

/** Every case that is compared by meaning contains this text, so Postgres can skip the others. */
const SEMANTIC_MODE = '"semantic"';

interface Rescored {
  runId: string;
  options: RescoreOptions;
  /** The version of the suite to score with; null for that of the run. */
  version: { suiteId: string; version: number } | null;
}

/**
 * Refuses scoring options that do not fit a case of the run, such as a pattern where the expected value is not one.
 * @throws ProblemError 422; 409 when it costs something and the team or the token has reached its monthly cap
 */
export async function checkRescore(
  { pool, suiteThreads }: { pool: Pool; suiteThreads: SuiteThreads },
  caller: Caller,
  { runId, options, version }: Rescored,
): Promise<void> {
  const { teamId } = caller;
  const hasOptions = options.param_scoring !== null || options.scoring_config !== null;
  if (!hasOptions && !version) return;
  const path = options.scoring_config ? '/scoring_config' : options.param_scoring ? '/param_scoring' : '/suite_version';
  const suite = version
    ? await readVersion(pool, teamId, version, hasOptions ? '' : SEMANTIC_MODE)
    : await readPinnedSuite(pool, teamId, runId);
  if (!suite) return;
  const task = { what: 'fit-cases' as const, tools: suite.tools, options: JSON.stringify(options) };
  let isAnySemantic = false;
  for await (const page of suite.pages) {
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
  await refuseOverCap(pool, caller, () => settings.embeddingCosts());
  if ((await settings.readEmbedding()).provider_key !== null) return;
  throw new ProblemError(422, 'Comparing by meaning ("semantic") needs an embedding model. An owner can set one.', [
    { path, message: 'needs an embedding model' },
  ]).as('no_embedding_model');
}

/** Undefined when the suite has no such version, which the submit says. @param text of the cases that are read */
async function readVersion(
  pool: Pool,
  teamId: string,
  { suiteId, version }: NonNullable<Rescored['version']>,
  text: string,
): Promise<{ tools: string; pages: ReturnType<SuiteVersionRepository['pages']> } | undefined> {
  const versions = new SuiteVersionRepository(pool, teamId);
  const found = await versions.read(suiteId, version).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  });
  return found && { tools: stringifyInSourceOrder(found.suite.tools), pages: versions.pages(found.place, text) };
}
