/** The seed of all randomness in tests, so that failures can be repeated. scripts/test.mjs sets it and prints it. */
export const seed = Number(process.env.TOOLMARK_TEST_SEED ?? 1);
