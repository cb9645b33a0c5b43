/** Samples per held-out case in the confirmation. */
export const CONFIRMING_SAMPLES = 3;
/** How many arms are confirmed in addition to the recommended one and the base. */
export const OTHERS_CONFIRMED = 2;

/** The maximum number of items that the confirmation takes per model: requests, for cases of one request. */
export const confirmationItems = (heldOut: number): number => heldOut * (2 + OTHERS_CONFIRMED) * CONFIRMING_SAMPLES;
