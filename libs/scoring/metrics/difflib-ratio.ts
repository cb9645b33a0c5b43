import { z } from 'zod';
import { sequenceRatio } from '../arguments/sequence-ratio.js';
import { metric, NO_OPTIONS } from './metric.js';

export const difflibRatio = metric({
  id: 'difflib_ratio',
  reference: 'Python difflib.SequenceMatcher',
  version: '3.11',
  meaning: 'Ratcliff/Obershelp ratio of two strings, autojunk on.',
  options: NO_OPTIONS,
  input: z.strictObject({ a: z.string(), b: z.string() }),
  example: { input: { a: 'Paris', b: 'Paris, France' } },
  score: ({ a, b }) => ({ score: sequenceRatio(a, b) }),
  notInRuns:
    'It compares two strings, not calls. Use "toolmark score", or cases with {"scoring_config": ' +
    '{"mode": "fuzzy"}}, which compare by it.',
});
