import { errorsAt, errorsByField } from './field-errors.js';

const errors = [
  { path: '/expected_params/city/$regex', message: 'is not a pattern' },
  { path: '/expected_calls/1/params/x', message: 'is wrong' },
  { path: '/expected_calls/1/tool', message: 'is unknown' },
  { path: '', message: 'is not a case' },
  { path: '/expected', message: 'is unknown' },
];

it('an error belongs to the innermost field that contains its path', () => {
  const found = errorsByField(errors, ['/expected_params', '/expected_calls', '/expected_calls/1/params']);
  expect(
    Object.fromEntries([...found].map(([field, some]) => [field ?? 'none', some.map(({ path }) => path)])),
  ).toEqual({
    '/expected_params': ['/city/$regex'],
    '/expected_calls/1/params': ['/x'],
    '/expected_calls': ['/1/tool'],
    none: ['', '/expected'],
  });
});

it('a field shows its own errors, not those of fields with the same name prefix', () => {
  expect(errorsAt(errors, '/expected')).toEqual([{ path: '', message: 'is unknown' }]);
  expect(errorsAt(errors, '/expected_calls').map(({ path }) => path)).toEqual(['/1/params/x', '/1/tool']);
  expect(errorsAt(errors, '')).toHaveLength(errors.length);
});
