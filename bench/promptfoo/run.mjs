// The same cases through promptfoo and through Toolmark, in turn, against the same simulator: requests per second and
// CPU time. promptfoo is not a dependency:
//   npm install --prefix <folder> promptfoo@0.121.20 && node bench/promptfoo/run.mjs <folder> [cases] [concurrency]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMs, importThousandCases, storeCpuMs, withSystem } from '../system.mjs';

const [, , installed, cases = '1000', concurrency = '100'] = process.argv;
if (!installed) throw new Error('Usage: node bench/promptfoo/run.mjs <folder in which promptfoo is installed>');
const { version } = JSON.parse(readFileSync(join(installed, 'node_modules/promptfoo/package.json'), 'utf8'));
const n = Math.round(Number(cases) / 1000) * 1000;
const folder = mkdtempSync(join(tmpdir(), 'toolmark-promptfoo-'));

await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: Number(concurrency) },
    models: [{ id: 'instant' }, { id: 'slow-500' }],
  });
  const suite_id = await importThousandCases(call);
  const { tools } = await call('GET', `/api/tool-suites/${suite_id}`);
  const worker = await start('worker');
  console.log(
    `${cpus().length} cores, ${cpus()[0].model.trim()}; ${n} cases, concurrency ${concurrency}; ` +
      `promptfoo ${version}, Toolmark with one worker and durable stores`,
  );
  const cpu = () => cpuMs(worker.pid) + cpuMs(api.pid) + storeCpuMs('redis-server') + storeCpuMs('postgres');
  const toolmark = async (model) => {
    const before = cpu();
    const { eval_id: evalId } = await call('POST', '/api/tool-eval', {
      suite_id,
      models: [`sim::${model}`],
      samples: n / 1000,
      cache: 'off',
    });
    const seconds = await finished(evalId);
    return { seconds, cpuS: (cpu() - before) / 1000 };
  };
  const measure = { promptfoo: (model) => promptfoo(simulator.url, model, tools), toolmark };
  for (const model of ['instant', 'slow-500']) {
    for (const tool of ['promptfoo', 'toolmark', 'promptfoo', 'toolmark']) {
      const { seconds, cpuS } = await measure[tool](model);
      console.log(
        `${model.padEnd(9)} ${tool.padEnd(10)} ${seconds.toFixed(1).padStart(7)} s  ` +
          `${String(Math.round(n / seconds)).padStart(6)} cases/s  ` +
          `${((cpuS * 1e6) / n).toFixed(0).padStart(7)} us CPU a case`,
      );
    }
  }
});
rmSync(folder, { recursive: true, force: true });

/**
 * The duration of the evaluation as promptfoo reports it, without start-up and writing; its CPU time from start to end.
 */
async function promptfoo(url, model, tools) {
  const config = join(folder, `${model}.json`);
  writeFileSync(config, JSON.stringify(promptfooConfig(url, model, tools)));
  const { text, cpuS } = await runPromptfoo(config);
  const { stats } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')).results;
  const { successes, failures, errors } = stats;
  if (successes + failures + errors !== n || errors)
    throw new Error(`promptfoo ended with ${JSON.stringify(stats)}\n${text.slice(-2000)}`);
  const seconds = (stats.evaluationDurationMs ?? stats.durationMs) / 1000;
  if (!(seconds > 0)) throw new Error(`promptfoo does not say how long it took: ${JSON.stringify(stats)}`);
  return { seconds, cpuS };
}

function promptfooConfig(url, model, tools) {
  return {
    prompts: ['{{prompt}}'],
    providers: [
      {
        id: `openai:chat:${model}`,
        config: {
          apiBaseUrl: `${url}/v1`,
          apiKey: 'none',
          tools,
          tool_choice: 'required',
          temperature: 0,
          max_tokens: 1024,
        },
      },
    ],
    tests: Array.from({ length: n }, (_, at) => ({
      vars: { prompt: `What is the weather in city ${at % 1000}?${at < 1000 ? '' : ` (${Math.floor(at / 1000)})`}` },
      assert: [
        { type: 'is-valid-openai-tools-call' },
        { type: 'javascript', value: 'output[0].function.name === "get_weather"' },
      ],
    })),
  };
}

/** bash's `time` includes the CPU time of promptfoo's child processes. */
async function runPromptfoo(config) {
  const program = join(installed, 'node_modules/promptfoo/dist/src/main.js');
  const quiet = ['--no-cache', '--no-table', '--no-progress-bar', '--no-share'];
  const args = ['eval', '-c', config, ...quiet, '-j', concurrency, '-o', join(folder, 'out.json')];
  const timed = ['bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', '-', process.execPath, program, ...args];
  const env = {
    ...process.env,
    PROMPTFOO_CONFIG_DIR: join(folder, 'home'),
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
    PROMPTFOO_DISABLE_SHARING: '1',
    DATABASE_URL: '',
    REDIS_URL: '',
  };
  const child = spawn('/usr/bin/env', timed, { env, cwd: folder });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  await new Promise((resolve) => child.once('exit', resolve));
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(text) ?? [];
  return { text, cpuS: Number(user) + Number(system) };
}
