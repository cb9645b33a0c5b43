// How long it takes to replay the longest prompt search, as every step of a tune does, and how long it blocks its
// thread between two pauses: a thousand iterations, about half of them accepted.
//   node bench/tuner/repeat-search.mjs
import { setImmediate } from 'node:timers/promises';
import { beginSearch } from '#lib/prompt-tune/begin-search';
import { keyOf, replay } from '#lib/prompt-tune/search';
import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { table } from '../statistics/tables.mjs';

const CASES = Array.from({ length: 20 }, (_, position) => position);
const SETTINGS = {
  mode: 'reflective',
  reflect: CASES,
  select: CASES,
  seed: 1,
  samples: 1,
  models: 1,
  variants: 8,
  population: 6,
  generations: 3,
  selectionRatio: 0.4,
  minibatch: 1,
  maxEvaluations: 20_000,
};

/** A system prompt and tool descriptions with this total length. */
const textsOf = (components, characters) =>
  Object.fromEntries(
    Array.from({ length: components }, (_, n) => [
      n === 0 ? 'system_prompt' : `tools/tool_${n}/description`,
      'word '.repeat(characters / components / 5),
    ]),
  );

/** Scores are random, and every text is new. */
function answers() {
  const random = seededRandom(1);
  const stored = new Map();
  const answerTo = (command) => {
    if (command.do === 'measure') return new Map(command.cases.map((position) => [position, random()]));
    const [component] = command.components;
    const text = `${command.parents[0].texts[component].slice(0, 2000)} ${stored.size}`;
    return { proposals: [{ texts: { [component]: text }, why: 'It helps.', fault: null }], unreadable: null };
  };
  return (command) => {
    const key = keyOf(command);
    const answer = stored.get(key) ?? answerTo(command);
    stored.set(key, answer);
    return answer;
  };
}

async function timesOf(components, characters) {
  const settings = { ...SETTINGS, base: textsOf(components, characters) };
  const answerOf = answers();
  await replay(beginSearch, settings, answerOf, () => setImmediate());
  const began = performance.now();
  let [from, longest] = [began, 0];
  const { journal } = await replay(beginSearch, settings, answerOf, async () => {
    longest = Math.max(longest, performance.now() - from);
    await setImmediate();
    from = performance.now();
  });
  return { iterations: journal.generations.length, candidates: journal.candidates.length, took: from - began, longest };
}

const rows = [];
for (const [components, characters] of [
  [5, 5_000],
  [50, 50_000],
  [200, 200_000],
]) {
  const { iterations, candidates, took, longest } = await timesOf(components, characters);
  const ms = (time) => `${time.toFixed(0)} ms`;
  rows.push([components, characters, iterations, candidates, ms(took), ms(longest)]);
}
table(
  'Repeating a search for prompts',
  ['texts', 'characters', 'iterations', 'candidates', 'time', 'longest piece'],
  rows,
);
