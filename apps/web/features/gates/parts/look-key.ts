import type { GateAnswer } from '#lib/gate/contract';

/** Tells the data of one look from those of another: a check of a run that got more samples may be its first look. */
export const lookKey = ({ look, targets }: Pick<GateAnswer, 'look' | 'targets'>): string =>
  `look ${look.number}: ${targets.map(({ samples }) => samples.join()).join(' ')}`;
