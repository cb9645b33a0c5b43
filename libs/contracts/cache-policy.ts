import type { RunInput } from './run.js';

/**
 * When the cache is used, for a run that does not say. At temperature 0 a model is asked for the same reply every
 * time, so a stored one stands for it. With several samples or another temperature the run measures how much
 * replies vary, which stored ones would hide.
 */
export const defaultCachePolicy = ({ temperature, samples }: Pick<RunInput, 'temperature' | 'samples'>) =>
  temperature === 0 && samples === 1 ? 'use' : 'off';
