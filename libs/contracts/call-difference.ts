import { z } from 'zod';
import { named } from './named.js';
import { ArgumentCheck } from './verdict.js';

const CUT = 'Long values are cut; "…" marks where.';

export const CallDifference = named('CallDifference', 'Where a reply first differs from what its case expects.', {
  kind: z
    .enum(['tool', 'missing_call', 'extra_call', 'argument', 'missing_argument', 'unreadable_arguments'])
    .describe(
      'What differs: the called tool; an expected call that was not made, or a call too many; the value of an ' +
        'argument, or an argument that is missing; or arguments that could not be read.',
    ),
  expected_tool: z.string().nullable().describe('The expected tool, or "a or b"; null where no call is expected.'),
  called_tool: z.string().nullable().describe('The called tool; null for no call.'),
  argument: z.string().nullable().describe('The argument, as a JSON Pointer; null where no argument differs.'),
  rule: ArgumentCheck.shape.rule.nullable().describe('What compared the argument; null where none differs.'),
  expected: z.unknown().optional().describe(`The expected value or matcher. ${CUT}`),
  called: z.unknown().optional().describe(`The value in the call; left out where it has none. ${CUT}`),
  more: z.int().describe('How many further calls and arguments differ.'),
});
export type CallDifference = z.infer<typeof CallDifference>;
