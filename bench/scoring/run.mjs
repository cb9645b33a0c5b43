// Verdicts per second of CPU time on one core, for the house metric and every compatible one, and the slowest single
// inputs.
//   node bench/scoring/run.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { parseJson } from '#lib/contracts/json/json';
import { pairInAnyOrder } from '#lib/scoring/house/pair-calls';
import { METRICS, scoreMetric } from '#lib/scoring/metrics';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { prepareCase } from '#lib/scoring/house/score-case';
import { sequenceRatio } from '#lib/scoring/arguments/sequence-ratio';

/** CPU microseconds of one round, excluding other work on the machine; the best of several, after warming up. */
function costUs(round) {
  const timed = (rounds) => {
    const start = process.cpuUsage();
    for (let n = 0; n < rounds; n++) round();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  round(); // The cost of loading and compiling on first use is not part of a round.
  let rounds = 1;
  while (timed(rounds) < 100_000) rounds *= 2;
  return Math.min(...Array.from({ length: 4 }, () => timed(rounds))) / rounds;
}
const perSecond = (us) => Math.round(1e6 / us).toLocaleString('en');
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

const properties = {
  city: { type: 'string' },
  days: { type: 'integer' },
  units: { type: 'string', enum: ['c', 'f'], default: 'c' },
};
const tools = Array.from({ length: 8 }, (_, n) => ({
  type: 'function',
  function: { name: `tool_${n}`, parameters: { type: 'object', properties, required: ['city'] } },
}));
const argumentsOf = (n) => ({ city: `City ${n}`, days: n, units: 'c' });
const messageOf = (count) => ({
  role: 'assistant',
  content: null,
  tool_calls: Array.from({ length: count }, (_, n) => ({
    id: `call_${n}`,
    type: 'function',
    function: { name: `tool_${n % 8}`, arguments: JSON.stringify(argumentsOf(count - 1 - n)) },
  })),
});
const caseOf = (count) =>
  count === 1
    ? { prompt: 'p', expected_tool: 'tool_0', expected_params: argumentsOf(0) }
    : {
        prompt: 'p',
        expected_calls: Array.from({ length: count }, (_, n) => ({ tool: `tool_${n % 8}`, params: argumentsOf(n) })),
      };

console.log('House verdicts a second on one core, with reading the reply:\n');
row('calls expected and made', 'verdicts/s');
row('---', '---');
for (const count of [1, 5, 20]) {
  const scorer = prepareCase(caseOf(count), tools, 1);
  const message = messageOf(count);
  row(count, perSecond(costUs(() => scorer.score(parseReply(message, tools)))));
}

console.log('\nEvery metric as `toolmark score` runs it (input validated each time), over its vectors:\n');
row('metric', 'scores/s');
row('---', '---');
const folder = new URL('../../libs/scoring/vectors/', import.meta.url);
const lines = readdirSync(folder)
  .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n'))
  .map(parseJson);
const called = Array.from({ length: 5 }, (_, n) => ({ [`tool_${n}`]: argumentsOf(n) }));
const bfcl = {
  metric: 'bfcl_ast',
  input: {
    category: 'parallel_multiple',
    model_output: called,
    functions: tools.map((tool) => ({
      name: tool.function.name,
      parameters: { type: 'dict', properties, required: ['city'] },
    })),
    possible_answer: called.map((call) =>
      Object.fromEntries(
        Object.entries(call).map(([name, args]) => [
          name,
          Object.fromEntries(Object.entries(args).map(([key, value]) => [key, [value]])),
        ]),
      ),
    ),
  },
};
const house = [
  { metric: 'toolmark.single_turn', input: { case: caseOf(1), tools, reply: messageOf(1) } },
  {
    metric: 'toolmark.multi_turn',
    input: {
      case: { ...caseOf(1), multi_turn: true, expected_tool: 'tool_4', expected_params: argumentsOf(0) },
      tools,
      rounds: [{ reply: messageOf(2) }, { reply: messageOf(5) }],
    },
  },
];
for (const { id } of METRICS) {
  const mine = [...lines, bfcl, ...house].filter((line) => line.metric === id);
  const us = costUs(() => {
    for (const line of mine) scoreMetric(id, line.options, line.input);
  });
  row(`\`${id}\``, mine.length ? perSecond(us / mine.length) : '-');
}

console.log('\nThe slowest single things:\n');
row('what', 'ms');
row('---', '---');
let state = 42;
const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
const milliseconds = (us) => (us / 1000).toFixed(us < 1000 ? 3 : 1);
for (const size of [20, 100]) {
  const weights = Array.from({ length: size }, () => Array.from({ length: size }, () => 0.6 + 0.4 * random()));
  row(`optimal pairing, ${size} by ${size}`, milliseconds(costUs(() => pairInAnyOrder(weights))));
}
const wide = Array.from({ length: 100 }, () => Array.from({ length: 10_000 }, () => 0.6 + 0.4 * random()));
row('optimal pairing, 100 by 10,000', milliseconds(costUs(() => pairInAnyOrder(wide))));

// Words by Zipf's law, so that letter and word frequencies are about those of English.
const WORDS = (
  'the of and a to in is you that it he was for on are as with his they at be this have from or one ' +
  'had by word but not what all were we when ' +
  'your can said there use an each which she do how their if will up other about out many then them ' +
  'these so some her would make like him into time has look two more ' +
  'write go see number no way could people my than first water been call who oil its now find long ' +
  'down day did get come made may part'
).split(' ');
const english = () => {
  let text = '';
  while (text.length < 10_000)
    text += `${WORDS[Math.floor(WORDS.length ** random()) - 1]}${random() < 0.08 ? '. ' : ' '}`;
  return text.slice(0, 10_000);
};
const [a, b] = [english(), english()];
const edited = [...a].map((letter) => (random() < 0.05 ? 'x' : letter)).join('');
const chinese = () =>
  Array.from({ length: 10_000 }, () => String.fromCodePoint(0x4e00 + Math.floor(3000 ** random()))).join('');
const page = readFileSync(new URL('../../docs/scoring.md', import.meta.url), 'utf8').repeat(3);
row('difflib, two English texts of 10,000 characters', milliseconds(costUs(() => sequenceRatio(a, b))));
row('difflib, one of them edited in 5 % of its characters', milliseconds(costUs(() => sequenceRatio(a, edited))));
row(
  'difflib, two parts of a page of this documentation, 10,000 each',
  milliseconds(costUs(() => sequenceRatio(page.slice(0, 10_000), page.slice(4_000, 14_000)))),
);
row('difflib, two Chinese texts of 10,000 characters', milliseconds(costUs(() => sequenceRatio(chinese(), chinese()))));
row(
  'difflib, 10,000 equal characters in both',
  milliseconds(costUs(() => sequenceRatio('a'.repeat(10_000), 'a'.repeat(10_000)))),
);
const evil = prepareCase(
  { prompt: 'p', expected_tool: 'tool_0', expected_params: { city: '^(a+)+$' }, param_scoring: 'regex' },
  tools,
  1,
);
const long = parseReply(
  { tool_calls: [{ function: { name: 'tool_0', arguments: JSON.stringify({ city: `${'a'.repeat(100_000)}b` }) } }] },
  tools,
);
row('`^(a+)+$` on an argument of 100 kB', milliseconds(costUs(() => evil.score(long))));
