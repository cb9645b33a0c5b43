import { z } from 'zod';
import { namedInput } from './named.js';
import { MAX_TOOLS } from './values/suites.js';
import { SCORING_MODES } from './values/verdicts.js';
import { jsonObject } from './tool.js';

export const ScoringMode = z
  .enum(SCORING_MODES)
  .describe(
    'How an expected value is compared with the one in the call. `exact` and `case_insensitive` are ' +
      'the same: strings ignore case, numbers are equal by value, and types must agree. `datetime` compares ' +
      'dates and times in ISO 8601 by the instant that they name.',
  );
export type ScoringMode = z.infer<typeof ScoringMode>;

const rule = {
  mode: ScoringMode.optional(),
  epsilon: z
    .number()
    .nonnegative()
    .optional()
    .describe('The largest distance that still counts as equal, for `numeric_tolerance`. Defaults to 0.01.'),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'The smallest similarity that still counts as equal. Defaults to 0.8 for `fuzzy` and 0.85 for `semantic`.',
    ),
};
const ParamRule = z.strictObject(rule);
export const ScoringConfig = namedInput('ScoringConfig', 'How expected arguments are compared with those of a call.', {
  ...rule,
  defaults: z
    .enum(['equal', 'strict'])
    .optional()
    .describe(
      'What an argument counts as when the call leaves it out: `equal` (the default) takes the ' +
        'default that the tool declares for it, `strict` counts it as missing.',
    ),
  params: z
    .record(z.string(), ParamRule)
    .optional()
    .describe('Rules for single arguments, by name. They take precedence over the general rules.'),
});
export type ScoringConfig = z.infer<typeof ScoringConfig>;

export const ExpectedCall = namedInput('ExpectedCall', 'One of several calls that a case expects.', {
  tool: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_TOOLS)])
    .describe('The name of the tool, or a list of acceptable ones.'),
  params: jsonObject
    .nullish()
    .describe(
      'The expected arguments: values or matchers (`{"$one_of": [...]}`, ...). If left out or null, ' +
        'arguments are not compared.',
    ),
  scoring_config: ScoringConfig.nullish().describe(
    'How the arguments of this call are compared. If left out or null, the rules of the case apply.',
  ),
});
export type ExpectedCall = z.infer<typeof ExpectedCall>;
