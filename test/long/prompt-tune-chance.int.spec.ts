// Private stores: the test is the only worker.
import { createHash } from 'node:crypto';
import type { Outcome } from '#lib/db/testing/settled-run';
import { playsAll, seed as drawing } from '../seed.js';
import { openPromptTunes, type Author, type Skill } from '../prompt-tunes.js';

let tunes: Awaited<ReturnType<typeof openPromptTunes>>;
beforeAll(async () => void (tunes = await openPromptTunes()), 60_000);
afterAll(() => tunes.close());

/** A number in 0..1, derived from all its inputs. */
const luck = (...of: unknown[]): number =>
  createHash('sha256').update(JSON.stringify(of)).digest().readUInt32BE() / 2 ** 32;
/** Correct in 60 % of the cases whatever its texts are, but different ones with each text. */
const careless =
  (seed: number): Skill =>
  (texts, position, { step, samples = 1 }: any): Outcome => {
    const draws = Array.from({ length: samples }, (_, n) => Number(luck(seed, texts, position, step, n) < 0.6));
    return draws.reduce((sum, one) => sum + one, 0) / samples;
  };
const author: Author = ({ task, current_text: text, components }, { arm }) =>
  task === 'reflect'
    ? { text: `${text} ${arm}`, why: 'Luck.' }
    : {
        candidates: Array.from({ length: 8 }, (_, n) => ({
          texts: [{ component: 'system_prompt', text: `${components!.system_prompt} ${n}` }],
          why: 'Luck.',
        })),
      };

/** Number of seeds, and how many of them a commit plays. */
const [SEEDS, DRAWN] = [20, 4];

it.each(['quick', 'reflective'])(
  'texts that differ only by chance are not confirmed, however well they did where they were chosen (%s)',
  async (mode) => {
    const outcomes: (string | null)[] = [];
    let ahead = 0;
    // All in the soak; a commit draws the first seed. Neighbouring seeds share texts, so it takes distant ones.
    const played = playsAll ? SEEDS : DRAWN;
    for (let n = 0; n < played; n++) {
      const seed = 1 + ((drawing + (n * SEEDS) / played) % SEEDS);
      const tune = await tunes.aTune({ mode, seed, max_evals: 300 });
      const found = await tune.end(careless(seed), author);
      outcomes.push(found.outcome);
      ahead += Number(found.best !== 0);
    }
    // Most tunes found a lucky text; the held-out cases were not fooled.
    expect(ahead).toBeGreaterThan(playsAll ? SEEDS / 2 : 0);
    expect(outcomes.filter((outcome) => outcome !== 'not_confirmed').length).toBeLessThanOrEqual(1);
  },
  300_000,
);
