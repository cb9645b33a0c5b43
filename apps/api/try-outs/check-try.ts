import { ProblemError } from '#lib/contracts/input/problem';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import type { TryInput } from '#lib/contracts/try';
import type { Caller } from '#lib/db/catalogue/callers';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';
import type { TriedSuite } from '#lib/db/engine/try-outs';
import { refuseOverCap } from '../runs/check-spending.js';
import { findSuite } from '../runs/find-suite.js';
import type { SuiteValidator } from '../suites/suite-validator.js';
import { isSemantic } from '../threads/is-semantic.js';

const NO_SUITE: TriedSuite = {
  name: 'No suite',
  tools: [],
  system_prompt: null,
  pass_threshold: 1,
  conversation: null,
};

/** The tools and settings that a try-out uses: its own, and those of its suite for the rest. */
export async function suiteOfTry(pool: Pool, teamId: string, input: TryInput): Promise<TriedSuite> {
  const { suite_id: suiteId, tools, base_prompt: prompt, pass_threshold: threshold, conversation } = input;
  if (suiteId === null && !tools && !input.case.tools)
    throw new ProblemError(422, 'Name a suite with the tools, or give tools.', [
      { path: '/tools', message: 'are required without suite_id' },
    ]);
  const suite = suiteId === null ? NO_SUITE : await findSuite(pool, teamId, suiteId);
  return {
    name: suite.name,
    tools: tools ?? suite.tools,
    system_prompt: prompt ?? suite.system_prompt,
    pass_threshold: threshold ?? suite.pass_threshold,
    conversation: conversation === undefined ? suite.conversation : conversation,
  };
}

/**
 * Checks tools and case like those of a suite when they are stored.
 * @returns warnings
 * @throws ProblemError 422
 */
export async function checkTriedCase(
  validator: SuiteValidator,
  teamId: string,
  { case: tried, tools: own, conversation }: TryInput,
  suite: TriedSuite,
): Promise<string[]> {
  if (own) await validator.checkTools(teamId, own);
  if (own || conversation) await validator.checkConversation(teamId, suite);
  const given = [...(own ?? []), ...(tried.tools ?? [])];
  return [...conversionWarnings(given), ...(await validator.checkNewCases(teamId, [tried], suite, () => '/case'))];
}

/** @throws ProblemError 422 when the case needs an embedding model and there is none, 409 over a monthly cap */
export async function checkTryCosts(
  pool: Pool,
  caller: Caller,
  { case: tried }: TryInput,
  targets: readonly ResolvedTarget[],
): Promise<void> {
  const settings = new SettingsRepository(pool, caller.teamId);
  if (isSemantic(tried) && (await settings.readEmbedding()).provider_key === null)
    throw new ProblemError(
      422,
      'The case is compared by meaning ("semantic"), and the team has no embedding model. An owner can set one; or ' +
        'compare the case in another way (such as "fuzzy").',
      [{ path: '/case', message: 'cannot be tried yet: it is compared by meaning' }],
    ).as('no_embedding_model');
  await refuseOverCap(
    pool,
    caller,
    async () => targets.some(({ priced }) => priced) || (isSemantic(tried) && (await settings.embeddingCosts())),
  );
}
