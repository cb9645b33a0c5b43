import fc from '../../../test/fast-check.js';
import { parseDateTime } from './datetime.js';

const same = (a: string, b: string): boolean => {
  const [x, y] = [parseDateTime(a), parseDateTime(b)];
  return x !== undefined && x.key === y?.key;
};

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00+01:00'],
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00Z', '2026-03-01 10:00Z'],
  ['2026-03-01T10:00:00Z', '20260301T100000z'],
  ['2026-03-01T10:00:00Z', '2026-03-01t04:30:00-0530'],
  ['2026-03-01T10:00:00,50Z', '2026-03-01T10:00:00.5+00'],
  ['2026-03-01T00:30+01:00', '2026-02-28T23:30Z'],
  ['2026-12-31T24:00:00.0Z', '2027-01-01T00:00:00Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T05:29:60+05:30'],
  ['0000-03-01T00:00Z', '0000-02-29T24:00Z'],
  ['2026-03-01T10:00', '2026-03-01 10:00:00'],
  ['2026-03-01', '20260301'],
])('%s and %s are the same instant', (a, b) => {
  expect(same(a, b)).toBe(true);
});

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00'],
  ['2026-03-01T00:00:00', '2026-03-01'],
  ['2026-03-01T00:00:00Z', '2026-03-01'],
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.0000000001Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
  ['0050-01-01', '1950-01-01'],
])('%s and %s are not the same instant', (a, b) => {
  expect(parseDateTime(a) && parseDateTime(b)).toBeDefined();
  expect(same(a, b)).toBe(false);
});

test.each([
  '2026-02-30',
  '2026-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-03-00',
  '2026-03-01T25:00Z',
  '2026-03-01T24:00:01Z',
  '2026-03-01T10:60Z',
  '2026-03-01T10:00:61Z',
  '2026-03-01T10:00:60Z',
  '2026-03-01T23:59:60Z',
  '2016-12-31T23:59:60',
  '2026-03-01T10:00+24:00',
  '2026-03-01T10:00+01:60',
  '2026-03-01T10',
  '2026-03-01T100000Z',
  '20260301T10:00:00Z',
  '2026-3-1',
  '26-03-01',
  ' 2026-03-01',
  '2026-03-01 ',
  '2026-03-01T10:00:00.Z',
  '2026-03-01T10:00:00Z\n',
  '10:00',
  '1772359200',
  'March 1, 2026',
  'Sun Mar 01 2026',
  '٢٠٢٦-٠٣-٠١',
  '',
])('"%s" is not a date or time', (text) => {
  expect(parseDateTime(text)).toBeUndefined();
});

test('instants are equal exactly when JavaScript parses them to the same time', () => {
  const offset = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 30, 45));
  const two = (n: number): string => String(n).padStart(2, '0');
  const written = fc
    .tuple(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), offset)
    .map(([date, [sign, hours, minutes]]) => {
      const shift = (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000;
      const local = new Date(Math.floor(date.getTime() / 900_000) * 900_000 + shift).toISOString().slice(0, -1);
      return `${local}${sign}${two(hours)}:${two(minutes)}`;
    });
  fc.assert(
    fc.property(written, written, (a, b) => {
      expect(same(a, b)).toBe(Date.parse(a) === Date.parse(b));
      expect(same(a, new Date(a).toISOString())).toBe(true);
    }),
  );
});

test('a fraction of a million digits is parsed in linear time', () => {
  const digits = '0'.repeat(1_000_000);
  expect(same(`2026-03-01T10:00:00.${digits}Z`, '2026-03-01T10:00:00Z')).toBe(true);
  expect(same(`2026-03-01T10:00:00.${digits}1Z`, '2026-03-01T10:00:00Z')).toBe(false);
  expect(parseDateTime(`2026-03-01T10:00:00.${digits}x`)).toBeUndefined();
});
