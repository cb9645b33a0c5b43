// The first run: loads the examples, runs one of them against simulated models, and prints a leaderboard.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const MODELS = ['perfect-ish', 'careless-arguments', 'flaky-20', 'wrong-tool', 'json-in-name', 'text-only'];

/** @returns a function that calls the API at `url`; a refusal throws the API's message */
export function apiClient(url, token) {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    throw Object.assign(new Error(`${method} ${path} answered ${response.status}: ${text}`), {
      status: response.status,
      text,
    });
  };
}

const isEmpty = async (call, path) => (await call('GET', `${path}?limit=1`)).items.length === 0;

/** Whether the database is unused. */
export const isUntouched = async (call) =>
  (await isEmpty(call, '/api/providers')) &&
  (await isEmpty(call, '/api/tool-suites')) &&
  (await isEmpty(call, '/api/tool-eval/history'));

const findProvider = (call, key) =>
  call('GET', `/api/providers/${key}`).catch((error) => {
    if (error.status === 404) return undefined;
    throw error;
  });

export async function registerSimulator(call, simulatorUrl) {
  const { data } = await (await fetch(`${simulatorUrl}/v1/models`)).json();
  await call('POST', '/api/providers', {
    key: 'simulator',
    name: 'Simulator',
    kind: 'openai',
    base_url: `${simulatorUrl}/v1`,
    limits: { max_concurrency: 16 },
    models: data.map(({ id }) => ({ id })),
  });
}

/** Updates the simulator's address, since its port may have changed since the last start. */
export async function followSimulator(call, simulatorUrl) {
  const provider = await findProvider(call, 'simulator');
  const url = `${simulatorUrl}/v1`;
  const isOurs = provider && /^http:\/\/127\.0\.0\.1:\d+\/v1$/.test(provider.base_url);
  if (isOurs && provider.base_url !== url) await call('PATCH', '/api/providers/simulator', { base_url: url });
}

/**
 * Registers OpenAI with the models that the endpoint lists, unless there is a provider `openai`. Says what was wrong
 * with the given address, which needs not keep the rest from starting.
 */
export async function registerOpenai(call, { apiKey, baseUrl = 'https://api.openai.com/v1' }, say) {
  if (await findProvider(call, 'openai')) return;
  try {
    await call('POST', '/api/providers', {
      key: 'openai',
      name: 'OpenAI',
      kind: 'openai',
      base_url: baseUrl,
      api_key: apiKey,
    });
  } catch (error) {
    if (error.status !== 422) throw error;
    const [{ message } = error] = JSON.parse(error.text).errors ?? [];
    return say(`The provider "openai" (OPENAI_BASE_URL) was not registered: ${baseUrl} ${message}`);
  }
  try {
    const { models } = await call('GET', '/api/providers/openai/discover');
    await call('PATCH', '/api/providers/openai', { models: models.map(({ id }) => ({ id })) });
    say(`Registered the provider "openai" (${baseUrl}) with ${models.length} models.`);
  } catch (error) {
    say(
      `Registered the provider "openai" (${baseUrl}), but its models could not be listed; add them ` +
        `with PATCH /api/providers/openai. ${error.message}`,
    );
  }
}

/** Imports every suite of `folder`. Returns them, largest first. */
export async function importExamples(call, folder) {
  const suites = [];
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const example = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const { suite_id: id } = await call('POST', '/api/tool-eval/import', example);
    suites.push({ id, name: example.name, cases: example.test_cases.length, tools: example.tools.length });
  }
  return suites.sort((a, b) => b.cases - a.cases);
}

/** Runs the suite, shows its progress, and returns the finished run; undefined once `isStopping` is true. */
export async function runDemo(call, suite, { say, out, isStopping }) {
  const models = MODELS.map((model) => `simulator::${model}`);
  say(
    `Running "${suite.name}" (${suite.cases} cases, ${suite.tools} tools) against ${models.length} simulated models:`,
  );
  const { job_id: jobId, eval_id: evalId } = await call('POST', '/api/tool-eval', {
    suite_id: suite.id,
    models,
    model_order: 'parallel',
  });
  const bar = out.isTTY ? barOnTerminal(out) : barInLines(say);
  for (;;) {
    const job = await call('GET', `/api/jobs/${jobId}`);
    bar.show(job.progress);
    if (job.finished_at !== null) break;
    if (isStopping()) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  bar.end();
  const run = await call('GET', `/api/tool-eval/history/${evalId}`);
  if (run.status !== 'completed') throw new Error(`The demo run ended as ${run.status}.`);
  return run;
}

const progressText = ({ done, total, errored, eta_s: etaS }) =>
  `${done}/${total}${errored > 0 ? `, ${errored} errored` : ''}${etaS > 0 ? `, ${Math.ceil(etaS)} s left` : ''}`;

function barOnTerminal(out) {
  const width = 40;
  return {
    show(progress) {
      const filled = Math.round((width * progress.done) / Math.max(1, progress.total));
      out.write(
        `\r\x1b[2K  \x1b[32m${'█'.repeat(filled)}\x1b[90m${'░'.repeat(width - filled)}\x1b[0m ` +
          `${progressText(progress)}`,
      );
    },
    end: () => void out.write('\n'),
  };
}

/** Prints a line for each tenth, because a bar cannot be redrawn in a file or a pipe. */
function barInLines(say) {
  let shown = -1;
  return {
    show(progress) {
      const tenth = Math.floor((10 * progress.done) / Math.max(1, progress.total));
      if (tenth === shown) return;
      shown = tenth;
      say(`  ${String(10 * tenth).padStart(3)} %  ${progressText(progress)}`);
    },
    end() {},
  };
}

const MAX_SUITES = 5;
/** The text as one word of a POSIX shell. */
export const quoted = (text) => (/^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * Lists the suites, with a command and a request that run the newest usable one when copied. `toolmark` (the command
 * line), `url` and `token` are shell words.
 */
export async function nextSteps(call, { toolmark, url, token }) {
  const { items, next_cursor: more } = await call('GET', `/api/tool-suites?limit=${MAX_SUITES}`);
  if (items.length === 0) return ['No suites yet. Import one:', `  ${toolmark} suites import examples/weather.json`];
  const suites = items.map(
    ({ id, name, test_cases_count: cases, tools }) =>
      `  ${id}  ${visible(name)} (${cases} cases, ${tools.length} tools)`,
  );
  const listed = ['Suites:', ...suites, ...(more ? [`  and more: ${toolmark} suites list`] : [])];
  const suite = await firstToRun(call, items);
  const models = await modelsToAsk(call);
  if (!suite) return listed;
  if (models.length === 0)
    return [...listed, `No models yet: POST ${url}/api/providers adds some. README.md shows how.`];
  return [
    ...listed,
    'Run one, and watch it:',
    `  ${toolmark} run ${suite.id} --models ${models.join(',')} --watch`,
    'The same over HTTP:',
    `  curl -sS -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d ` +
      `'${JSON.stringify({ suite_id: suite.id, models })}' ${url}/api/tool-eval`,
  ];
}

async function firstToRun(call, suites) {
  for (const suite of suites) {
    const {
      items: [first],
    } = await call('GET', `/api/tool-suites/${suite.id}/cases?limit=1`);
    if (first && !first.draft) return suite;
  }
  return undefined;
}

/** Two models of the simulator, or else of any provider, whose names need no shell quoting. */
async function modelsToAsk(call) {
  const { items } = await call('GET', '/api/providers?limit=200');
  const all = items
    .flatMap(({ key, models }) => models.map(({ id }) => `${key}::${id}`))
    .filter((name) => /^[\w./:@-]+$/.test(name));
  const simulated = MODELS.map((model) => `simulator::${model}`).filter((name) => all.includes(name));
  return (simulated.length > 0 ? simulated : all).slice(0, 2);
}

/** Names are chosen by users, and a terminal would obey control characters in them. */
const visible = (name) => name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');

const percent = (share) => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);

/** The run's summaries as a table, best first. */
export function leaderboard(run, colours) {
  const bold = (text) => (colours ? `\x1b[1m${text}\x1b[0m` : text);
  const summaries = [...run.summaries].sort((a, b) => (b.overall ?? -1) - (a.overall ?? -1));
  const hasOtherToolChoice = ({ tool_choice_used: used }) =>
    Object.keys(used).some((choice) => choice !== run.config.tool_choice);
  const marks = summaries.some(hasOtherToolChoice)
    ? [`* asked with another tool_choice than "${run.config.tool_choice}"`]
    : [];
  const interval = '95 % interval: the t interval over cases after adding two pseudo-cases, 0 and 1';
  const rows = summaries.map((summary, index) => [
    String(index + 1),
    summary.target.replace(/^simulator::/, '') + (hasOtherToolChoice(summary) ? ' *' : ''),
    percent(summary.overall),
    summary.overall_ci ? `${percent(summary.overall_ci[0])} .. ${percent(summary.overall_ci[1])}` : '-',
    percent(summary.tool_accuracy),
    percent(summary.param_accuracy),
    `${summary.passed}/${summary.scored}`,
    String(summary.errored),
    summary.latency_ms.p50 === null ? '-' : `${Math.round(summary.latency_ms.p50)} ms`,
  ]);
  const head = ['#', 'model', 'overall', '95 % interval', 'tool', 'arguments', 'passed', 'errored', 'p50'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const isText = (column) => column === 1;
  const line = (cells) =>
    cells
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ');
  return [bold(line(head)), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line), interval, ...marks]
    .map((text) => `  ${text}`)
    .join('\n');
}
