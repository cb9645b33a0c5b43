/**
 * What a worker of this release can play, score and decide. A run, a rescore and a parent of runs store the level of
 * the release that submitted them, and no worker below it touches them: two releases beside each other would otherwise
 * score one run by two rules.
 *
 * Raise it together with `SCORING_VERSION`, and whenever the release before would play an item, count a run or make a
 * step of a gate, a tune or a judge otherwise than this one. 4: a parent that was resumed has its child runs resumed by
 * workers; those of level 3 would make its next step without them.
 */
export const WORKER_LEVEL = 4;

/** Of the workers that announce no level, and of what was submitted before there were levels. */
export const FIRST_WORKER_LEVEL = 1;
