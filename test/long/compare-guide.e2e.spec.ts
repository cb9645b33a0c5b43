import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedItem, Comparison, Estimate } from '#lib/contracts/comparison';
import { pairedInterval } from '#lib/scoring/statistics/paired';
import { openGuideShell, replayGuide, type GuideShell } from '../guide.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

let system: TeamSystem;
let shell: GuideShell;
beforeAll(async () => {
  system = await joinSystem();
  shell = openGuideShell(system);
}, 150_000);
afterAll(() => shell.end());

it('the guided example prints what docs/compare.md shows', async () => {
  // Runs of an experiment are compared after their end.
  const { printed, promised } = await replayGuide('docs/compare.md', system, shell, (lines) =>
    lines.includes('experiments'),
  );
  expect(promised.length).toBeGreaterThan(6);
  expect(printed).toEqual(promised);
}, 600_000);

const idOf = async (variable: string): Promise<string> => (await shell.run(`echo $${variable}`)).trim();
async function compare(a: string, b: string, more = ''): Promise<Comparison> {
  const { status, body } = await system.client.get(`/api/compare?a=${a}&b=${b}${more}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as Comparison;
}

it.each([
  ['COPY', 'improved'],
  ['QUICK', 'regressed'],
  ['POLITE', 'same'],
  ['FEW', 'inconclusive'],
])('the API gives the documented answer for %s: %s', async (variable, verdict) => {
  const { all, targets } = await compare(await idOf('BASELINE'), await idOf(variable));
  expect([all.verdict, targets[0]!.estimate.verdict]).toEqual([verdict, verdict]);
  expect(all.text).toEqual(expect.any(String));
});

const OPPOSITE: Record<string, string> = { improved: 'regressed', regressed: 'improved' };
const flipped = (interval: readonly [number, number] | null) => interval && [-interval[1], -interval[0]];
const mirrorEstimate = (estimate: Estimate): object => ({
  ...estimate,
  samples: estimate.samples.toReversed(),
  mean_a: estimate.mean_b,
  mean_b: estimate.mean_a,
  difference: estimate.difference === null ? null : -estimate.difference,
  ci: flipped(estimate.ci),
  ci90: flipped(estimate.ci90),
  bounds: flipped(estimate.bounds),
  classic: estimate.classic && { ...estimate.classic, ci: flipped(estimate.classic.ci) },
  verdict: estimate.verdict && (OPPOSITE[estimate.verdict] ?? estimate.verdict),
});
const swapped = <Value>({ a, b }: { a: Value; b: Value }) => ({ a: b, b: a });
const mirrorOutcomes = ({ fixed, broken, better, worse, ...rest }: Comparison['outcomes']) => ({
  ...rest,
  fixed: broken,
  broken: fixed,
  better: worse,
  worse: better,
});

/** The comparison with a and b swapped. */
function mirror(comparison: Comparison): object {
  const { a, b, what_changed: changes, cases, all, targets, categories, tools, outcomes, confusion } = comparison;
  return {
    ...comparison,
    a: b,
    b: a,
    what_changed: changes.map((change) => ({ ...change, ...swapped(change) })),
    cases: { ...cases, only_a: cases.only_b, only_b: cases.only_a },
    all: mirrorEstimate(all),
    targets: targets.map((target) => ({
      ...target,
      ...swapped(target),
      estimate: mirrorEstimate(target.estimate),
      mcnemar: target.mcnemar && { ...target.mcnemar, fixed: target.mcnemar.broken, broken: target.mcnemar.fixed },
      newcombe: flipped(target.newcombe),
      outcomes: mirrorOutcomes(target.outcomes),
    })),
    categories: categories.map((part) => ({ ...part, estimate: mirrorEstimate(part.estimate) })),
    tools: tools.map((part) => ({ ...part, estimate: mirrorEstimate(part.estimate) })),
    outcomes: mirrorOutcomes(outcomes),
    confusion: confusion.map((part) => ({ ...part, ...swapped(part) })),
    cost: swapped(comparison.cost),
    latency_p50_ms: swapped(comparison.latency_p50_ms),
  };
}

/** Figures to 12 digits, without the sentences, and with lists sorted. */
const figures = (value: object): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, part: unknown) => {
      if (key === 'text' || key === 'notes') return undefined;
      if (typeof part === 'number') return Number(part.toPrecision(12)) + 0;
      return key === 'confusion' ? (part as object[]).map((one) => JSON.stringify(one)).sort() : part;
    }),
  );

it.each([
  ['BASELINE', 'COPY', ''],
  ['QUICK', 'COPY', '&measure=passed'],
  ['BASELINE', 'FEW', '&margin=0.1'],
])('swapping %s and %s mirrors every figure', async (a, b, more) => {
  const ids = [await idOf(a), await idOf(b)] as const;
  const forth = await compare(...ids, more);
  const back = await compare(ids[1], ids[0], more);
  expect(figures(back)).toEqual(figures(mirror(forth)));
});

it('20 cases with 10 samples give the interval of 20 cases', async () => {
  const suite = JSON.parse(readFileSync(join(shell.folder, 'orders.json'), 'utf8')) as { test_cases: object[] };
  const { body } = await system.client.post('/api/tool-eval/import', {
    ...suite,
    name: 'Twenty orders',
    test_cases: suite.test_cases.slice(0, 20),
  });
  const run = async (prompt: string | null): Promise<string> => {
    const submitted = await system.client.post('/api/tool-eval', {
      suite_id: body.suite_id,
      models: ['orders::prompt-sensitive:orders'],
      samples: 10,
      temperature: 1,
      system_prompt: prompt,
    });
    expect(submitted).toMatchObject({ status: 202 });
    return submitted.body.eval_id as string;
  };
  const [a, b] = [await run(null), await run('Copy the order number exactly.')];
  for (const id of [a, b]) await untilRunCompleted(system.client, id, 120_000);
  const { all } = await compare(a, b);
  expect(all).toMatchObject({ n_cases: 20, df: 21, samples: [10, 10] });
  const items = (await system.client.get(`/api/compare/items?a=${a}&b=${b}&limit=200`)).body.items as ComparedItem[];
  const differences = items.map((item) => item.b.score! - item.a.score!);
  expect(differences).toHaveLength(20);
  const { ci, se } = pairedInterval(differences);
  expect(all.se).toBeCloseTo(se, 9);
  expect(all.ci![0]).toBeCloseTo(ci[0], 9);
  expect(all.ci![1]).toBeCloseTo(ci[1], 9);
}, 300_000);
