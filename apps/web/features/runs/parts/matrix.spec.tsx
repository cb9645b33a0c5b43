import { renderToStaticMarkup } from 'react-dom/server';
import { cellText, cellVerdict, Matrix } from './matrix.js';

it.each([
  [{ scored: 1, passed: 1, errored: 0, mean: 1 }, 'passed', 'passed'],
  [{ scored: 1, passed: 0, errored: 0, mean: 0 }, 'failed', 'failed'],
  [{ scored: 1, passed: 0, errored: 0, mean: 0.6 }, 'partial', 'partial'],
  [{ scored: 0, passed: 0, errored: 1, mean: null }, 'errored', 'errored'],
  [{ scored: 5, passed: 3, errored: 0, mean: 0.7 }, 'partial', '3 of 5 passed'],
  [{ scored: 4, passed: 0, errored: 1, mean: 0 }, 'failed', '0 of 4 passed, 1 errored'],
  [{ scored: 0, passed: 0, errored: 2, mean: null }, 'errored', '2 errored'],
  [{ scored: 0, passed: 0, errored: 0, mean: null }, 'errored', 'not run'],
])('a cell has a shape and a word: %#', (cell, verdict, words) => {
  expect([cellVerdict(cell), cellText(cell)]).toEqual([verdict, words]);
});

it('a cell links to the results of its case and model, unless nothing was run', () => {
  const html = renderToStaticMarkup(
    <Matrix
      targets={['a', 'b']}
      cases={[
        {
          case_id: 'c1',
          position: 4,
          case_name: null,
          prompt: 'What is the weather?',
          category: null,
          cells: [
            { scored: 2, passed: 1, errored: 0, mean: 0.5 },
            { scored: 0, passed: 0, errored: 0, mean: null },
          ],
        },
      ]}
      link={({ case: caseId, model = [] }, content, label) => (
        <a href={`#${[caseId, ...model].join(' ')}`} aria-label={label}>
          {content}
        </a>
      )}
    />,
  );
  expect([...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual(['#c1', '#c1 a']);
  expect(html).toContain('aria-label="1 of 2 passed: What is the weather?, a"');
  expect(html).toContain('not run');
  expect(html).toContain('<td class="number muted">5</td>');
});
