import { THOUGHT, type Host } from './host.js';

/** Together. No reports of refusals were found, so it refuses nothing. */
export const together: Host = {
  about: 'Together: refuses no known setting; a seed in the choice, an index in each call.',
  sends: () => ({ message: { reasoning: THOUGHT }, call: { index: 0 }, choice: { seed: 1, logprobs: null } }),
};
