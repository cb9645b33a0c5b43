/**
 * The level of a worker's release: what it can play, score and decide. A run, a rescore and a parent of runs store the
 * level of the release that submitted them, and workers below it do not touch them: otherwise two releases running side
 * by side would score one run by two rules.
 * Raise it together with `SCORING_VERSION`, and whenever the previous release would play an item, count a run or
 * execute a step of a gate, a tune or a judge differently from this one. 4: a parent that was resumed has its child
 * runs resumed by workers; those of level 3 would make its next step without them. 5: a gate does not count added
 * samples that differ from those they join. 6: a rescore may score with another version of the suite. 7: a token may
 * have a monthly cap, which those of level 6 would not see. 8: a provider may have headers, a client
 * certificate or a key by reference, without which those of level 7 would ask it.
 * 9: a case may be a conversation, which those of level 8 can neither play nor score.
 */
export const WORKER_LEVEL = 9;

/**
 * The level that a run, a rescore or a parent needs when it is submitted or resumed. Work of a token with a cap needs
 * 7 (`prisma/functions/level-of-capped.sql`), that of a team with such a provider 8 (`level-of-access.sql`), and a run
 * with conversations 9 (`level-of-conversation.sql`); all
 * other work stays open to workers of the release before.
 */
export const SUBMIT_LEVEL = 6;

/** The level of workers that announce none, and of jobs submitted before levels existed. */
export const FIRST_WORKER_LEVEL = 1;
