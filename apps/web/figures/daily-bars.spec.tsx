import { renderToStaticMarkup } from 'react-dom/server';
import { DailyBars, dailyText } from './daily-bars.js';

const days = [
  { day: '2026-03-01', costs: [1, 0.5] },
  { day: '2026-03-02', costs: [0, 0] },
  { day: '2026-03-03', costs: [0, 3] },
];

it.each([
  [days, '$4.50 in days of UTC. On 2 days; most on 2026-03-03: $3.00.'],
  [days.slice(0, 2), '$1.50 in days of UTC. All on 2026-03-01.'],
  [days.slice(1, 2), 'Nothing that was asked has a price.'],
  [[], 'Nothing that was asked has a price.'],
])('the bars of %j are said in words', (drawn, words) => {
  expect(dailyText(drawn)).toBe(words);
});

it('a bar has a part for each of what it is stacked by, and the table has every day; names are not obeyed', () => {
  const html = renderToStaticMarkup(
    <DailyBars label="Cost by day" series={['\u202e<b>' + 'x'.repeat(400), 'two']} days={days} />,
  );
  expect(html.match(/class="part series-\d" style="height:[\d.]+%"/g)).toEqual([
    'class="part series-0" style="height:33.33333333333333%"',
    'class="part series-1" style="height:16.666666666666664%"',
    'class="part series-1" style="height:100%"',
  ]);
  expect(html.match(/<th scope="row">/g)).toHaveLength(3);
  expect(html).toContain('&lt;U+202E&gt;&lt;b&gt;xx');
  expect(html).not.toMatch(/x{61}|\u202e|<b>/);
});

it('without any cost there is no empty frame', () => {
  expect(renderToStaticMarkup(<DailyBars label="l" series={['a', 'b']} days={[days[1]!]} />)).not.toContain(
    'class="days"',
  );
});

it('columns of the same name have a number', () => {
  const of = (cost: number) => [{ day: '2026-03-01', costs: [cost, cost, cost] }];
  const html = renderToStaticMarkup(<DailyBars label="l" series={['Twins', 'Twins', 'Cost']} days={of(1)} />);
  expect([...html.matchAll(/<th scope="col">([^<]*)/g)].map(([, name]) => name)).toEqual([
    ...['Day', 'Cost', 'Twins', 'Twins (2)', 'Cost (3)'],
  ]);
});
