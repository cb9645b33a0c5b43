/** Samples of each held-out case that confirm what was found. */
export const CONFIRMING_SAMPLES = 3;
/** The most arms that are confirmed beside the recommended one and the base. */
export const OTHERS_CONFIRMED = 2;

/** The most items that confirming takes for a model: requests, where each case takes one. */
export const confirmationItems = (heldOut: number): number => heldOut * (2 + OTHERS_CONFIRMED) * CONFIRMING_SAMPLES;
