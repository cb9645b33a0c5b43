import { inPercent } from '../address/results';
import { duration } from './time';

type Bin = { from: number; to: number };

/** A bin of a latency histogram as the filter of an address has it. */
export const latencyRange = ({ from, to }: Bin): string => `${Math.round(from)}-${Math.round(to)}`;

/** "0.5 s to 1 s" */
export const latencyWords = ({ from, to }: Bin): string =>
  from === to ? duration(from) : `${duration(from)} to ${duration(to)}`;

export const scoreRange = ({ from, to }: Bin): string => `${from}-${to}`;

/** "40 to 50 %"; the ends, 0 and 1, are bins of their own. */
export const scoreWords = ({ from, to }: Bin): string =>
  from === to ? `${inPercent(from)} %` : `${inPercent(from)} to ${inPercent(to)} %`;
