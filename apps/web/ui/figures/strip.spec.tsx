import { renderToStaticMarkup } from 'react-dom/server';
import { Strip, stripWords } from './strip';

const models = (n: number) =>
  Array.from({ length: n }, (_, index) => ({
    target: `sim::m${index}`,
    mean: index / n,
    ci: [0, 1] as const,
  }));

it('a strip names its models, the best first, and counts those that it does not name', () => {
  expect(stripWords([{ target: 'sim::a', mean: 0.5, ci: null }, ...models(2)])).toBe('a 50.0 %, m1 50.0 %, m0 0.0 %');
  expect(stripWords(models(60))).toMatch(/^m59 98.3 %, .* and 48 more$/);
});

it('a strip of many models has the intervals of the few highlighted ones only', () => {
  const linesOf = (html: string): number => html.split('<line').length - 1;
  const axis = linesOf(renderToStaticMarkup(<Strip models={[]} />));
  expect(linesOf(renderToStaticMarkup(<Strip models={models(3)} />)) - axis).toBe(3);
  const ofMany = (...highlighted: string[]): number =>
    linesOf(renderToStaticMarkup(<Strip models={models(60)} highlighted={new Set(highlighted)} />)) - axis;
  expect(ofMany('sim::m7')).toBe(1);
  expect(ofMany('sim::m7', 'sim::m8')).toBe(2);
  expect(ofMany(...models(20).map(({ target }) => target))).toBe(0);
});
