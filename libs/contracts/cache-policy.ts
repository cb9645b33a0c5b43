import type { RunInput } from './run-input.js';

/**
 * The default cache mode of a run. At temperature 0 a model should give the same reply every time, so a stored reply
 * can replace it. With several samples or another temperature the run measures how much replies vary, and stored
 * replies would hide that.
 */
export const defaultCachePolicy = ({ temperature, samples }: Pick<RunInput, 'temperature' | 'samples'>) =>
  temperature === 0 && samples === 1 ? 'use' : 'off';
