// What a line costs `toolmark score`; beside another checkout's build, in turn, as ratios.
//   node bench/scoring/lines.mjs [other checkout] [lines] [pairs]
import { spawn } from 'node:child_process';
import { closeSync, createWriteStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [other, lines = '2000', pairs = '5'] = process.argv.slice(2);
const here = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'toolmark-lines-'));

const properties = (n) => ({
  city: { type: 'string', description: `The city ${n}` },
  days: { type: 'integer', minimum: 1 },
  units: { type: 'string', enum: ['c', 'f'], default: 'c' },
});
const tools = (of) =>
  Array.from({ length: 8 }, (_, n) => ({
    type: 'function',
    function: {
      name: `tool_${n}`,
      description: 'Does something.',
      parameters: { type: 'object', properties: properties(`${of} ${n}`), required: ['city'] },
    },
  }));
const same = tools('of all');
const args = (n) => ({ city: `City ${n}`, days: (n % 14) + 1 });
const expected = (n) => ({ prompt: 'p', expected_tool: `tool_${n % 8}`, expected_params: args(n) });
const reply = (n) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: `tool_${n % 8}`, arguments: JSON.stringify(args(n)) } }],
});
const house = (input) => ({ metric: 'toolmark.single_turn', input });
const KINDS = {
  'the house metric, the same 8 tools beside each case': (n) =>
    house({ case: expected(n), tools: same, reply: reply(n) }),
  'the house metric, the same 8 tools in each case': (n) =>
    house({ case: { ...expected(n), tools: same }, reply: reply(n) }),
  'the house metric, 8 other tools beside each case': (n) =>
    house({ case: expected(n), tools: tools(n), reply: reply(n) }),
  'the house metric, 8 other tools in each case': (n) =>
    house({ case: { ...expected(n), tools: tools(n) }, reply: reply(n) }),
  '`bfcl_ast`, the same 8 functions': (n) => ({
    metric: 'bfcl_ast',
    input: {
      category: 'multiple',
      functions: same.map((tool) => tool.function),
      model_output: [{ [`tool_${n % 8}`]: args(n) }],
      possible_answer: [
        { [`tool_${n % 8}`]: Object.fromEntries(Object.entries(args(n)).map(([key, value]) => [key, [value]])) },
      ],
    },
  }),
};

async function write(file, kind, count) {
  const out = createWriteStream(file);
  for (let n = 0; n < count; n++)
    if (!out.write(`${JSON.stringify({ id: n, ...kind(n) })}\n`)) await once(out, 'drain');
  await once(out.end(), 'close');
}

/** CPU milliseconds and peak megabytes of one run, by the operating system's count of the process. */
async function run(checkout, file) {
  const report = join(folder, 'usage');
  const out = openSync(join(folder, 'out.jsonl'), 'w');
  const preload =
    "data:text/javascript,import { writeFileSync } from 'node:fs'; process.on('exit', () => " +
    `writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())));`;
  const child = spawn(
    process.execPath,
    ['--import', preload, join(checkout, 'dist/apps/cli/main.js'), 'score', '--in', file],
    { stdio: ['ignore', out, 'inherit'] },
  );
  const [code] = await once(child, 'close');
  closeSync(out);
  if (code !== 0) throw new Error(`toolmark score of ${checkout} ended with ${code}.`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(report, 'utf8'));
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

try {
  row(
    'lines of',
    ...(other
      ? ['other, ms a line', 'this, ms a line', 'ratio', 'of the pairs', 'peak MB: other', 'this']
      : ['ms a line', 'peak MB']),
  );
  row(...Array(other ? 7 : 3).fill('---'));
  const measured = [
    ...Object.entries(KINDS).map(([what, kind]) => [what, kind, Number(lines)]),
    ['start-up, and one line', KINDS['the house metric, the same 8 tools beside each case'], 1],
  ];
  for (const [what, kind, count] of measured) {
    const file = join(folder, 'in.jsonl');
    await write(file, kind, count);
    const [theirs, ours] = [[], []];
    for (let pair = 0; pair < Number(pairs); pair++) {
      if (other) theirs.push(await run(resolve(other), file));
      ours.push(await run(here, file));
    }
    const cost = (runs) => (median(runs.map(({ cpuMs }) => cpuMs)) / count).toFixed(count === 1 ? 0 : 3);
    const peak = (runs) => Math.round(Math.max(...runs.map(({ peakMb }) => peakMb)));
    if (!other) {
      row(what, cost(ours), peak(ours));
      continue;
    }
    const ratios = ours.map(({ cpuMs }, pair) => cpuMs / theirs[pair].cpuMs);
    row(
      what,
      cost(theirs),
      cost(ours),
      median(ratios).toFixed(2),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      peak(theirs),
      peak(ours),
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
