import { renderToStaticMarkup } from 'react-dom/server';
import { DailyBars, dailyBarsText } from './daily-bars.js';

const days = [
  { day: '2026-03-01', costs: [1, 0.5] },
  { day: '2026-03-02', costs: [0, 0] },
  { day: '2026-03-03', costs: [0, 3] },
];

it.each([
  [days, '$4.50 in total, by UTC day. On 2 days; most on 2026-03-03: $3.00.'],
  [days.slice(0, 2), '$1.50 in total, by UTC day. All on 2026-03-01.'],
  [days.slice(1, 2), 'No request has a price.'],
  [[], 'No request has a price.'],
])('the caption describes the bars of %j', (drawn, words) => {
  expect(dailyBarsText(drawn)).toBe(words);
});

it('a bar has a part for each series, the table has every day, and names are escaped and shortened', () => {
  const html = renderToStaticMarkup(
    <DailyBars label="Cost by day" series={['\u202e<b>' + 'x'.repeat(400), 'two']} days={days} />,
  );
  expect(html.match(/class="part series\d" style="height:[\d.]+%"/g)).toEqual([
    'class="part series0" style="height:33.33333333333333%"',
    'class="part series1" style="height:16.666666666666664%"',
    'class="part series1" style="height:100%"',
  ]);
  expect(html.match(/<th scope="row">/g)).toHaveLength(3);
  expect(html).toContain('&lt;U+202E&gt;&lt;b&gt;xx');
  expect(html).not.toMatch(/x{61}|\u202e|<b>/);
});

it('no frame is drawn without any cost', () => {
  expect(renderToStaticMarkup(<DailyBars label="l" series={['a', 'b']} days={[days[1]!]} />)).not.toContain(
    'class="days"',
  );
});

it('columns with the same name are numbered', () => {
  const of = (cost: number) => [{ day: '2026-03-01', costs: [cost, cost, cost] }];
  const html = renderToStaticMarkup(<DailyBars label="l" series={['Twins', 'Twins', 'Cost']} days={of(1)} />);
  expect([...html.matchAll(/<th scope="col">([^<]*)/g)].map(([, name]) => name)).toEqual([
    ...['Day', 'Cost', 'Twins', 'Twins (2)', 'Cost (3)'],
  ]);
});
