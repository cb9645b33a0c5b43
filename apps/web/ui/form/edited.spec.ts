import { parseJson } from '#lib/contracts/json/json';
import { edit, editUnread, errorsAt, valueAt, withValueAt, type Edited } from './edited.js';

const edited = (text: string, unread: Record<string, string> = {}): Edited => ({ value: parseJson(text), unread });
const text = ({ value }: Edited): string => JSON.stringify(value);

describe('an edited value', () => {
  it('keeps all other numbers and fields as written', () => {
    const before = edited('{"a":{"n":5.0,"big":12345678901234567890},"list":[1.10,{"x":1e2}],"b":1}');
    expect(text(edit(before, ['list', 1, 'y'], 'new'))).toBe(
      '{"a":{"n":5.0,"big":12345678901234567890},"list":[1.10,{"x":1e2,"y":"new"}],"b":1}',
    );
    expect(text(before)).toContain('"list":[1.10,{"x":1e2}]');
  });

  it('loses a key or a list item that is set to undefined', () => {
    const before = edited('{"a":1,"list":["x","y"]}');
    expect(text(edit(before, ['a'], undefined))).toBe('{"list":["x","y"]}');
    expect(text(edit(before, ['list', 0], undefined))).toBe('{"a":1,"list":["y"]}');
  });

  it('creates missing objects on the path, and ignores inherited keys', () => {
    expect(withValueAt(undefined, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    const odd = withValueAt({}, ['__proto__'], 1);
    expect(JSON.stringify(odd)).toBe('{"__proto__":1}');
  });

  it('remembers invalid input until something valid is typed there or above', () => {
    const before = editUnread(editUnread(edited('{"a":{"b":1}}'), ['a', 'b'], '{'), ['c'], 'x');
    expect(before.unread).toEqual({ '/a/b': '{', '/c': 'x' });
    expect(edit(before, ['a'], 2)).toEqual({ value: { a: 2 }, unread: { '/c': 'x' } });
    expect(edit(before, [], 3)).toEqual({ value: 3, unread: {} });
  });
});

it('a field shows its own errors, not those of fields with the same name prefix', () => {
  const errors = [
    { path: '/expected_calls/1/params/x', message: 'is wrong' },
    { path: '/expected_calls/1/tool', message: 'is unknown' },
    { path: '', message: 'is not a case' },
    { path: '/expected', message: 'is unknown' },
  ];
  expect(errorsAt(errors, '/expected')).toEqual([{ path: '', message: 'is unknown' }]);
  expect(errorsAt(errors, '/expected_calls').map(({ path }) => path)).toEqual(['/1/params/x', '/1/tool']);
  expect(errorsAt(errors, '')).toHaveLength(errors.length);
});
