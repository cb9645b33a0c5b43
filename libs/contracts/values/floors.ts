import type { MeasuredFloor } from '../gate-floor.js';

/** Tolerance for an interval limit that falls just short of a threshold. */
const EPSILON = 1e-12;

export const isMissed = ({ ci, minimum }: MeasuredFloor): boolean => ci !== null && ci[1] < minimum - EPSILON;
/** What applies to no case is undecided, too: nothing shows that the floor is reached. */
export const isUndecided = ({ ci, minimum }: MeasuredFloor): boolean => ci === null || ci[0] < minimum - EPSILON;

/** A floor that is not missed may still be undecided. */
export const floorWord = (floor: MeasuredFloor): 'missed' | 'undecided' | 'reached' => {
  if (isMissed(floor)) return 'missed';
  return isUndecided(floor) ? 'undecided' : 'reached';
};
