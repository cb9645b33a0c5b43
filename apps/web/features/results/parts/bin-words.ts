import { inPercent } from '../filter-words';
import { duration } from '../../../ui/time';

type Bin = { from: number; to: number };

/** A bin of a latency histogram as a filter in the address. */
export const latencyRange = ({ from, to }: Bin): string => `${Math.round(from)}-${Math.round(to)}`;

/** "0.5 s to 1 s" */
export const latencyWords = ({ from, to }: Bin): string =>
  from === to ? duration(from) : `${duration(from)} to ${duration(to)}`;

export const scoreRange = ({ from, to }: Bin): string => `${from}-${to}`;

/** "40 to 50 %"; the end values, 0 and 1, have their own bins. */
export const scoreWords = ({ from, to }: Bin): string =>
  from === to ? `${inPercent(from)} %` : `${inPercent(from)} to ${inPercent(to)} %`;
