import { z } from 'zod';
import { unwrapAllNumbers } from '#lib/contracts/json/json';
import { passAtK, passHatK } from '../statistics/pass-at-k.js';
import { metric, NO_OPTIONS } from './metric.js';

export const passHatKMetric = metric({
  id: 'pass_hat_k',
  reference: 'tau2-bench pass^k',
  version: 'a2c0247',
  meaning: 'Chance that k drawn trials all succeed.',
  options: NO_OPTIONS,
  input: z.preprocess(
    unwrapAllNumbers,
    z.union([
      z.strictObject({ trials: z.int().min(0).max(1_000_000), successes: z.int().min(0), k: z.int().min(0) }),
      z.strictObject({ reward: z.number() }),
    ]),
  ),
  example: { input: { trials: 4, successes: 3, k: 2 } },
  score: (input) => {
    if ('reward' in input) {
      const successful = input.reward >= 1 - 1e-6 && input.reward <= 1 + 1e-6;
      return { score: Number(successful), successful };
    }
    const { trials, successes, k } = input;
    if (successes > trials) throw new Error(`${successes} successes of ${trials} trials.`);
    const pass_hat_k = passHatK(trials, successes, k);
    return { score: pass_hat_k, pass_hat_k, pass_at_k: passAtK(trials, successes, k) };
  },
  fields: { trials: ['trials', 'num_trials'], successes: ['successes', 'success_count'] },
  notInRuns: 'It counts over the samples of a case. Every summary has it, as pass_hat_k: run with "samples" above 1.',
});
