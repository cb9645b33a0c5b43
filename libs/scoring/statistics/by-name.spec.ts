import { readFileSync } from 'node:fs';
import { STATISTICS } from './by-name.js';

interface Line {
  id: string;
  reference: string;
  function: string;
  input: object;
  expected: unknown;
}
const lines = readFileSync(new URL('../vectors/statistics.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

describe.each(Object.entries(STATISTICS))('%s', (name, statistic) => {
  const mine = lines.filter((line) => line.function === name);

  it('agrees with the references', () => {
    expect(mine).not.toEqual([]);
    const wrong = mine.flatMap(({ id, input, expected }) => {
      const answer = statistic(input);
      return agrees(name, expected, answer) ? [] : [{ id, expected, answer }];
    });
    expect(wrong).toEqual([]);
  });
});

it('knows every function of the reference values', () => {
  expect(Object.keys(STATISTICS).sort()).toEqual([...new Set(lines.map((line) => line.function))].sort());
});

// The t quantiles of SciPy 1.10.1 come from a root finder that stops within 1e-8. distributions.spec.ts holds them to
// 1e-13 of the true values.
const RELATIVE = { normal_quantile: 1e-10, t_quantile: 1e-8 } as Record<string, number>;

function agrees(name: string, expected: unknown, answer: unknown): boolean {
  if (typeof expected === 'number' && typeof answer === 'number')
    return Math.abs(answer - expected) <= (RELATIVE[name] ? RELATIVE[name] * Math.abs(expected) : 1e-9);
  if (typeof expected !== 'object' || expected === null) return answer === expected;
  if (typeof answer !== 'object' || answer === null) return false;
  const keys = Object.keys(expected);
  return (
    keys.join() === Object.keys(answer).join() &&
    keys.every((key) => agrees(name, expected[key as never], answer[key as never]))
  );
}
