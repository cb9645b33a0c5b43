import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { isNumber, isObject, unwrapAllNumbers, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { scoreMetric } from './metrics.js';

const own = new URL('./vectors/', import.meta.url).pathname;
// The text of a public data set that is not part of this repository. It is checked if it is present next to the
// repository.
const outside = new URL('../../../shared/vectors/bfcl-ast.jsonl', import.meta.url).pathname;
const files = readdirSync(own)
  .filter((name) => name !== 'statistics.jsonl') // statistics/by-name.spec.ts reads it
  .map((name) => own + name)
  .concat(existsSync(outside) ? [outside] : []);

describe.each(files)('%s', (file) => {
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as JsonObject);

  test('every line scores as in its reference', () => {
    const wrong = lines.flatMap((line) => {
      const outcome = scoreMetric(line.metric as string, line.options, line.input);
      const expected = unwrapAllNumbers(line.expected) as JsonObject;
      const agrees = Object.entries(expected).every(([key, value]) =>
        close(value, (outcome as Record<string, unknown>)[key]),
      );
      return agrees ? [] : [{ id: line.id, expected, outcome }];
    });
    expect(wrong).toEqual([]);
  });
});

const close = (expected: Json, actual: unknown): boolean =>
  isNumber(expected) && isNumber(actual)
    ? Math.abs(Number(expected) - Number(actual)) <= 1e-9
    : isObject(expected) || Array.isArray(expected)
      ? JSON.stringify(expected) === JSON.stringify(actual)
      : expected === actual;
