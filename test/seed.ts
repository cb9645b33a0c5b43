/** The seed of all randomness in tests, for reproducing failures. scripts/test.mjs sets and prints it. */
export const seed = Number(process.env.TOOLMARK_TEST_SEED ?? 1);

/** Whether everything is played, as in `npm run test:soak`; otherwise a commit plays parts drawn by its seed. */
export const playsAll = process.env.TOOLMARK_TEST_ALL === '1';

/** Which of this many parts this commit plays. */
export const drawn = (parts: number): number => seed % parts;

/** All of these, or the one that this commit plays. */
export const played = <Of>(all: readonly Of[]): readonly Of[] => (playsAll ? all : [all[drawn(all.length)]!]);

/** Adds the command that reproduces it to a failure. */
export async function repeatable<Found>(play: () => Promise<Found>): Promise<Found> {
  try {
    return await play();
  } catch (error) {
    const { testPath = '' } = expect.getState();
    const variables = `TOOLMARK_TEST_SEED=${seed}${playsAll ? ' TOOLMARK_TEST_ALL=1' : ''}`;
    (error as Error).message +=
      `\nAgain: ${variables} npm run test:long -- ${testPath.replace(`${process.cwd()}/`, '')}`;
    throw error;
  }
}
