import { memoizeBounded } from '../memoize.js';

/** What a system prompt says of the order of calls. */
export interface Policy {
  /** By tool: the tools that are called before it. */
  before: Map<string, string[]>;
  /** By tool: the field of an earlier answer that must have one of these values. */
  onlyIf: Map<string, { field: string; values: string[] }>;
}

const NAMES = '[a-z_]+(?:(?:, | or | and )[a-z_]+)*';
const listed = (text: string): string[] => text.split(/, | or | and /);

/**
 * Reads sentences of the form "Before cancel_order or refund_order, call get_order." and "Call refund_order only if
 * status is delivered or lost."
 */
export const policyIn = memoizeBounded((system: string): Policy => {
  const policy: Policy = { before: new Map(), onlyIf: new Map() };
  for (const [, tools, first] of system.matchAll(new RegExp(`Before (${NAMES}), call ([a-z_]+)`, 'g')))
    for (const tool of listed(tools!)) policy.before.set(tool, [...(policy.before.get(tool) ?? []), first!]);
  for (const [, tool, field, values] of system.matchAll(
    new RegExp(`[Cc]all ([a-z_]+) only if ([a-z_]+) is (${NAMES})`, 'g'),
  ))
    policy.onlyIf.set(tool!, { field: field!, values: listed(values!) });
  return policy;
}, 100);
