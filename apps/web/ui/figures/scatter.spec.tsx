import { renderToStaticMarkup } from 'react-dom/server';
import { cutInMiddle } from './cut';
import { placeLabels, textWidth } from './label-places';
import { Scatter, type ScatterMark } from './scatter';

const mark = (name: string, x: number, y: number, more: Partial<ScatterMark> = {}): ScatterMark => ({
  key: name,
  name,
  x,
  y,
  interval: [y - 0.02, y + 0.02],
  words: `${name}: ${y}`,
  card: name,
  ...more,
});
const drawn = (...marks: ScatterMark[]): string =>
  renderToStaticMarkup(
    <Scatter marks={marks} xTitle={['cheaper', 'dollars']} xWords={String} zeroWords="free" open={() => {}} />,
  );
const namesIn = (html: string): string[] => [...html.matchAll(/<title>([^<]*)/g)].map(([, name]) => name!);

describe('A picture of cost against score', () => {
  it('names the marks that no cheaper one reaches, and says each to a screen reader', () => {
    const html = drawn(mark('small', 1, 0.5), mark('poor', 2, 0.4), mark('large', 9, 0.9));
    expect(namesIn(html).sort()).toEqual(['large', 'small']);
    expect(html).toContain('aria-label="poor: 0.4"');
    expect(html.match(/tabindex="0"/g)).toHaveLength(1);
  });

  it('has a band for what is free, whether or not anything else has a price', () => {
    for (const html of [
      drawn(mark('local', 0, 0.5), mark('a', 0.001, 0.6), mark('b', 90, 0.7)),
      drawn(mark('local', 0, 0.5)),
    ]) {
      expect(html).toContain('free');
      expect(html).not.toMatch(/NaN|Infinity/);
    }
  });

  it('joins a mark with the same model in another run', () => {
    expect(drawn(mark('a', 1, 0.5, { to: 'b' }), mark('b', 2, 0.7)).match(/class="link"/g)).toHaveLength(1);
  });

  it('of sixty marks has the intervals of those alone that it names', () => {
    const many = Array.from({ length: 60 }, (_, n) => mark(`m${n}`, n + 1, n === 59 ? 0.9 : 0.5 - n / 1000));
    expect(drawn(...many).match(/class="bar"/g)).toHaveLength(2);
  });
});

describe('The place of a label', () => {
  const within = { left: 0, top: 0, width: 400, height: 200 };

  it('is above to the left, and elsewhere at the edge or where another stands', () => {
    const places = placeLabels(
      [
        { x: 200, y: 100, text: 'first' },
        { x: 202, y: 102, text: 'second' },
        { x: 3, y: 60, text: 'at the edge' },
      ],
      within,
    );
    expect(places.map((place) => place?.anchor)).toEqual(['end', 'start', 'start']);
  });

  it('is nowhere without room', () => {
    const marks = Array.from({ length: 20 }, () => ({ x: 200, y: 100, text: 'the same place' }));
    const places = placeLabels(marks, within);
    expect(places[0]).not.toBeNull();
    expect(places.at(-1)).toBeNull();
  });

  it('has room for wide letters', () => {
    expect(textWidth('模型')).toBeGreaterThan(textWidth('ab'));
  });
});

it.each([
  ['short', 10, 'short'],
  ['accounts/models/llama-70b', 11, 'accou…a-70b'],
])('%s in %d letters is %s', (text, length, cut) => {
  expect(cutInMiddle(text, length)).toBe(cut);
});
