// Prints how promptfoo resolves a configuration and grades replies: node resolve.mjs <node_modules> < [{config, tools,
// replies}] in JSON lines. Configurations are resolved by its command line, and replies graded by its library, because
// the library accepts a trace from memory.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

const [, , modules] = process.argv;
const promptfoo = join(modules, 'promptfoo/dist/src');
const folder = mkdtempSync(join(tmpdir(), 'toolmark-promptfoo-'));
// Keeps everything on this machine.
Object.assign(process.env, {
  PROMPTFOO_CONFIG_DIR: join(folder, 'home'),
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: 'true',
});
const { assertions } = await import(join(promptfoo, 'index.js'));
const CONCURRENCY = 2;

let count = 0;
/** The rows that the command line creates from a configuration, or undefined if it refuses it. */
async function resolve(config) {
  const [file, out] = ['yaml', 'json'].map((extension) => join(folder, `${count}.${extension}`));
  count++;
  writeFileSync(file, JSON.stringify(config));
  const args = ['eval', '-c', file, '--no-cache', '--no-write', '--no-progress-bar', '--no-table', '-o', out];
  await new Promise((done) =>
    execFile(process.execPath, [join(promptfoo, 'main.js'), ...args], { cwd: folder, timeout: 120_000 }, done),
  );
  try {
    const { results } = JSON.parse(readFileSync(out, 'utf8')).results;
    return results.toSorted((a, b) => a.testIdx - b.testIdx || a.promptIdx - b.promptIdx);
  } catch {
    return undefined;
  }
}

/** Whether all assertions of a row hold for a reply: "+" or "-", or "!" if promptfoo refuses one. */
async function grade({ vars, testCase }, tools, calls) {
  const spans = calls.map(({ name, args }, index) => ({
    spanId: `s${index}`,
    name: `tool ${name}`,
    startTime: index,
    endTime: index + 0.5,
    attributes: { 'tool.name': name, 'tool.arguments': JSON.stringify(args) },
  }));
  const output = calls.map(({ name, args }, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const all = (testCase.assert ?? []).flatMap((one) => (one.type === 'assert-set' ? one.assert : [one]));
  try {
    for (const assertion of all) {
      const { pass } = await assertions.runAssertion({
        assertion,
        vars,
        test: { ...testCase, vars },
        provider: { id: () => 'echo', config: { tools } },
        providerResponse: { output: output.length > 0 ? output : 'No.' },
        traceId: 't',
        traceData: { traceId: 't', evaluationId: 'e', testCaseId: 'c', spans },
      });
      if (!pass) return '-';
    }
    return '+';
  } catch {
    return '!';
  }
}

async function answer(line) {
  const { config, tools, replies } = JSON.parse(line);
  const rows = await resolve(config);
  if (!rows) return null;
  const resolved = [];
  for (const row of rows) {
    const grades = [];
    // The command line fills in variables within variables, but not in the rows that it prints.
    const isNested = Object.values(row.vars).some((value) => typeof value === 'string' && value.includes('{{'));
    for (const reply of replies) grades.push(isNested ? '?' : await grade(row, tools, reply));
    resolved.push({ prompt: row.prompt.raw, grades: grades.join('') });
  }
  return resolved;
}

const lines = [];
for await (const line of createInterface({ input: process.stdin })) lines.push(line);
const answers = [];
let next = 0;
const work = async () => {
  for (let index = next++; index < lines.length; index = next++) answers[index] = await answer(lines[index]);
};
// The first one runs alone, since it creates promptfoo's data folder.
if (lines.length > 0) answers[next] = await answer(lines[next++]);
await Promise.all(Array.from({ length: CONCURRENCY }, work));
for (const one of answers) process.stdout.write(`${JSON.stringify(one)}\n`);
rmSync(folder, { recursive: true, force: true });
process.exit(0);
