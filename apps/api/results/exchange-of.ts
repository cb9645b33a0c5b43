import { describeTools } from '#lib/contracts/prompt-components';
import type { ResultWithExchange } from '#lib/contracts/result';
import type { Run, RunConfig } from '#lib/contracts/run';
import type { ResultDetails } from '#lib/db/read/results';
import { toRequestTools } from '#lib/providers/build-request';
import { restoreRequests } from '#lib/scoring/cases/stored-requests';
import { toolSetOf } from '#lib/scoring/cases/tool-set';

/**
 * Stored requests leave out the tools, which are those of the case with the descriptions of the run; a large exchange
 * is answered as it is stored.
 */
export function exchangeOf(
  { input, suiteTools, exchange }: ResultDetails,
  { config }: Pick<Run, 'config'>,
): ResultWithExchange['exchange'] {
  if (!exchange) return null;
  const { isLarge, requests, ...rest } = exchange;
  const described = describeTools(suiteTools, (config as Partial<RunConfig>).tool_overrides);
  const whole = isLarge ? requests : restoreRequests(requests, toRequestTools(toolSetOf(input, described)));
  return { requests: whole, ...rest };
}
