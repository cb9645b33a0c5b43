import type { Tool } from '#lib/contracts/tool';
import { hasRules } from '#lib/providers/hosts/host-rules';
import type { ToolHost } from '#lib/providers/hosts/tool-warnings';
import type { SuiteThreads } from './suite-threads.js';

/** Maximum number of cases, evenly spread, whose tools are checked against their hosts. */
const MAX_CASES = 200;

/**
 * Warnings about tools that hosts refuse, or receive in a changed form.
 * @param of.cases JSON of cases; if there are any, only the tools offered to them are checked
 */
export async function hostWarnings(
  suiteThreads: SuiteThreads,
  teamId: string,
  { tools, hosts, cases = [] }: { tools: readonly Tool[]; hosts: readonly ToolHost[]; cases?: readonly string[] },
): Promise<string[]> {
  const known = hosts.filter(({ kind, baseUrl }) => hasRules(kind, baseUrl));
  if (known.length === 0) return [];
  const step = Math.ceil(cases.length / MAX_CASES);
  return suiteThreads.run(teamId, {
    what: 'warn-of-hosts',
    tools: JSON.stringify(tools),
    hosts: known,
    ...(cases.length > 0 && { cases: cases.filter((_case, index) => index % step === 0) }),
  });
}
