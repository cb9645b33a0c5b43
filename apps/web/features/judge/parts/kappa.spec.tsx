import { renderToStaticMarkup } from 'react-dom/server';
import { KappaFigure } from './kappa.js';

it.each<[string, [number, number] | null, boolean]>([
  ['above chance level', [0.2, 0.9], false],
  ['that contains chance level', [-0.1, 0.9], true],
  ['that is unknown', null, true],
])('the dot of an agreement with an interval %s is hollow or not', (_what, interval, isHollow) => {
  const html = renderToStaticMarkup(<KappaFigure label="x" kappa={0.5} interval={interval} />);
  expect(html.includes('dot hollow')).toBe(isHollow);
  expect(html).toContain('0.50');
});

it('an interval is cut at the end of the scale', () => {
  const html = renderToStaticMarkup(<KappaFigure label="x" kappa={0.9} interval={[0.6, 1.3]} />);
  expect(html).toContain('x2="97%"');
});
