/**
 * What all randomness in tests begins from, so that a failure can be repeated; scripts/test.mjs fixes it per commit
 * and prints it.
 */
export const seed = Number(process.env.TOOLMARK_TEST_SEED ?? 1);
