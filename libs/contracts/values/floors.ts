/** A minimum, and the interval of what was measured; null without one. */
interface Measured {
  minimum: number;
  ci: readonly [number, number] | null;
}

/** Tolerance for an interval limit that falls just short of a threshold. */
const EPSILON = 1e-12;

export const isMissed = ({ ci, minimum }: Measured): boolean => ci !== null && ci[1] < minimum - EPSILON;
/** What applies to no case is undecided, too: nothing shows that the floor is reached. */
export const isUndecided = ({ ci, minimum }: Measured): boolean => ci === null || ci[0] < minimum - EPSILON;

/** A floor that is not missed may still be undecided. */
export const floorWord = (floor: Measured): 'missed' | 'undecided' | 'reached' => {
  if (isMissed(floor)) return 'missed';
  return isUndecided(floor) ? 'undecided' : 'reached';
};
