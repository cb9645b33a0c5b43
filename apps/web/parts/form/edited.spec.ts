import { parseJson } from '#lib/contracts/json/json';
import { edit, editUnread, valueAt, withValueAt, type Edited } from './edited.js';

const edited = (text: string, unread: Record<string, string> = {}): Edited => ({ value: parseJson(text), unread });
const text = ({ value }: Edited): string => JSON.stringify(value);

describe('an edited value', () => {
  it('keeps every number and field beside the edited place as it was written', () => {
    const before = edited('{"a":{"n":5.0,"big":12345678901234567890},"list":[1.10,{"x":1e2}],"b":1}');
    expect(text(edit(before, ['list', 1, 'y'], 'new'))).toBe(
      '{"a":{"n":5.0,"big":12345678901234567890},"list":[1.10,{"x":1e2,"y":"new"}],"b":1}',
    );
    expect(text(before)).toContain('"list":[1.10,{"x":1e2}]');
  });

  it('loses what is set to nothing: a key, or an item of a list', () => {
    const before = edited('{"a":1,"list":["x","y"]}');
    expect(text(edit(before, ['a'], undefined))).toBe('{"list":["x","y"]}');
    expect(text(edit(before, ['list', 0], undefined))).toBe('{"a":1,"list":["y"]}');
  });

  it('makes the objects on the way, and knows nothing of inherited keys', () => {
    expect(withValueAt(undefined, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    const odd = withValueAt({}, ['__proto__'], 1);
    expect(JSON.stringify(odd)).toBe('{"__proto__":1}');
  });

  it('remembers what cannot be read yet until something readable is typed there or above', () => {
    const before = editUnread(editUnread(edited('{"a":{"b":1}}'), ['a', 'b'], '{'), ['c'], 'x');
    expect(before.unread).toEqual({ '/a/b': '{', '/c': 'x' });
    expect(edit(before, ['a'], 2)).toEqual({ value: { a: 2 }, unread: { '/c': 'x' } });
    expect(edit(before, [], 3)).toEqual({ value: 3, unread: {} });
  });
});
