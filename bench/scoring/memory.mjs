// Peak memory of `toolmark score` over files of different lengths, which must not differ.
//   node bench/scoring/memory.mjs [lines ...]
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sizes = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'toolmark-score-'));
const cli = new URL('../../dist/apps/cli/main.js', import.meta.url).pathname;

const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
];
const call = (n) => ({ name: 'weather', arguments: { city: `City ${n}`, days: n % 14 } });
const kinds = [
  (n) => ({
    metric: 'toolmark.single_turn',
    input: {
      case: { expected_tool: 'weather', expected_params: { city: `City ${n}`, days: { $approx: n % 14 } } },
      tools,
      reply: { tool_calls: [{ function: { name: 'weather', arguments: JSON.stringify(call(n).arguments) } }] },
    },
  }),
  (n) => ({ metric: 'ragas_tool_call_f1', input: { called: [call(n), call(n + 1)], expected: [call(n)] } }),
  (n) => ({
    metric: 'axion_tool_correctness',
    options: { check_parameters: true, parameter_matching_strategy: 'fuzzy' },
    input: { called: [call(n)], expected: [call(n + 1)] },
  }),
  // A different pattern and tool on each line: the compile caches must be bounded.
  (n) => ({
    metric: 'toolmark.single_turn',
    input: {
      case: { expected_tool: `tool_${n}`, expected_params: { q: { $regex: `^q${n}$` } } },
      tools: [
        {
          type: 'function',
          function: {
            name: `tool_${n}`,
            parameters: { type: 'object', properties: { q: { type: 'string', maxLength: n } } },
          },
        },
      ],
      reply: { tool_calls: [{ function: { name: `tool_${n}`, arguments: `{"q":"q${n}"}` } }] },
    },
  }),
];

async function write(file, lines) {
  const out = createWriteStream(file);
  // Compiling a schema per line is slow, and one per hundred lines exceeds the cache.
  for (let n = 0; n < lines; n++) {
    const text = JSON.stringify({ id: n, ...kinds[n % 100 === 99 ? 3 : n % 3](n) });
    if (!out.write(`${text}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

async function measure(args, stdin, lines) {
  const child = spawn(process.execPath, [cli, 'score', ...args], {
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'inherit'],
  });
  stdin?.pipe(child.stdin);
  let scored = 0;
  child.stdout.on('data', (chunk) => (scored += chunk.toString().split('\n').length - 1));
  const started = performance.now();
  let peakMb = 0;
  const watch = setInterval(() => {
    const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    if (kb) peakMb = Math.round(kb / 1024);
  }, 50);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(`toolmark score ended with ${code}`);
  if (!args.includes('--out') && scored !== lines) throw new Error(`${scored} scores of ${lines} lines`);
  return { peakMb, seconds: (performance.now() - started) / 1000 };
}

console.log('| lines | size | how | peak memory | lines/s |\n| --- | --- | --- | --- | --- |');
try {
  for (const lines of sizes.length ? sizes : [100_000, 1_000_000]) {
    const file = join(folder, 'in.jsonl');
    await write(file, lines);
    const size = `${Math.round(statSync(file).size / 1e6)} MB`;
    for (const [how, args, stdin] of [
      ['files', ['--in', file, '--out', join(folder, 'out.jsonl')]],
      ['pipes', [], () => createReadStream(file)],
    ]) {
      const { peakMb, seconds } = await measure(args, stdin?.(), lines);
      console.log(
        `| ${lines.toLocaleString('en')} | ${size} | ${how} | ${peakMb} MB | ` +
          `${Math.round(lines / seconds).toLocaleString('en')} |`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
