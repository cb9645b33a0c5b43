import { suggestNames, likelyName, nearestNames } from './nearest-names.js';

const models = ['perfect', 'careless', 'instant', 'slow', 'flaky'];

test.each([
  ['instnat', 'instant'],
  ['INSTANT', 'instant'],
  ['flacky', 'flaky'],
  ['perfct', 'perfect'],
])('"%s" is nearest to "%s"', (written, meant) => {
  expect(nearestNames(written, models)[0]).toBe(meant);
});

test('swapping two neighbours is one edit', () => {
  expect(nearestNames('ab', ['bb', 'ba'])).toEqual(['bb', 'ba']);
  expect(nearestNames('abc', ['xyc', 'acb'])[0]).toBe('acb');
});

test('an unknown name is answered with the known ones', () => {
  expect(suggestNames('instnat', models, 'its models')).toMatch(
    /^Nearest of its models, 5 in all: instant, [a-z]+, [a-z]+\.$/,
  );
  expect(suggestNames('sloow', ['fast', 'slow'], 'its models')).toBe('Its models: slow, fast.');
  expect(suggestNames('slow', [], 'its models')).toBe('Its models: none yet.');
});

test('a misspelt name matches a known one if two thirds of it are right', () => {
  expect(likelyName('ctiy', ['city', 'days'])).toBe('city');
  expect(likelyName('CITY', ['city'])).toBe('city');
  expect(likelyName('location', ['city', 'days'])).toBeUndefined();
  expect(likelyName('a', ['b'])).toBeUndefined();
  expect(likelyName('a', [])).toBeUndefined();
});

test('only the beginning of a long name is compared', () => {
  expect(nearestNames('a'.repeat(5_000_000), ['b', 'a'.repeat(300)])).toEqual(['a'.repeat(300), 'b']);
});

test('a name that is part of another one is close to it', () => {
  expect(nearestNames('ragas', ['bfcl_ast', 'ragas_tool_call_f1', 'rages'])).toEqual([
    'ragas_tool_call_f1',
    'rages',
    'bfcl_ast',
  ]);
});

test('names with the same beginning are close', () => {
  expect(nearestNames('ragas_f1', ['bfcl_ast', 'toolmark.single_turn', 'ragas_tool_call_f1'])[0]).toBe(
    'ragas_tool_call_f1',
  );
});
