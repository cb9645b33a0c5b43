import { parseJson, toText } from '#lib/contracts/json/json';
import type { TuneSpace } from '#lib/param-tune/contract';
import { armsIn } from './arms.js';

const SPACE = `{
  "parameters": [{"name": "temperature", "values": [1, 0.50]}, {"name": "stop", "values": [null]}],
  "stages": [{"state": "finalist", "rung": "all", "tied": true, "adjusted": false},
    {"state": "waiting", "rung": null, "tied": false, "adjusted": true}],
  "models": [{"target": "p::m", "values": [[0], [1, 0], [null, 0]], "same_as": [null, null, 1], "stage": [0, 1, 1],
    "cases": [40, 0, 0], "samples": [80, 0, 0], "errored": [2, 0, 0], "mean": [0.5, null, null],
    "ci": [[0.4, 0.6], null, null], "cost_usd": [0.1, null, null], "latency_p50_ms": [900, null, null]}]
}`;

it('arms are read from the columns of a space, with their numbers as written', () => {
  const arms = armsIn(parseJson(SPACE) as unknown as TuneSpace);
  expect(arms.map(({ config }) => Object.entries(config).map(([name, value]) => `${name} ${toText(value)}`))).toEqual([
    ['temperature 1'],
    ['temperature 0.50', 'stop null'],
    ['stop null'],
  ]);
  expect(arms.map(({ arm, same_as: sameAs, state, adjusted }) => [arm, sameAs, state, adjusted])).toEqual([
    [0, null, 'finalist', false],
    [1, null, 'waiting', true],
    [2, 1, 'waiting', true],
  ]);
});
