import type { Run } from '#lib/contracts/run';
import type { Summary } from '#lib/contracts/summary';

/** The model of a run with the highest mean; undefined while no model has figures. */
export const topModel = ({ summaries }: Pick<Run, 'summaries'>): Summary | undefined =>
  summaries
    .filter(({ overall }) => overall !== null)
    .reduce<Summary | undefined>((top, one) => (!top || one.overall! > top.overall! ? one : top), undefined);
