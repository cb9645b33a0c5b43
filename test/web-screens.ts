import type { Page } from 'playwright-core';
import { weatherSuite, type Client } from './client.js';
import { untilJobEnded, untilRunCompleted } from './until-ended.js';
import type { OpenOptions, Tab, TeamWeb, Theme } from './web.js';
import { ACCESS, fillAccess } from './access-screens.js';
import { rawTexts } from './raw-texts.js';
import { playsAll } from './seed.js';
import { until } from './until.js';

/** Ids of the objects created by `fillRun`. */
export interface FilledRun {
  suiteId: string;
  caseId: string;
  runId: string;
  /** A result that did not pass. */
  resultId: string;
  experimentId: string;
}

/** Ids of the objects created by `fillTeam`, which the screens show. */
export interface Filled extends FilledRun {
  tuneId: string;
  promptTuneId: string;
  promptId: string;
  reportId: string;
  /** The next run of the same suite. */
  laterRunId: string;
  gateId: string;
  gateRunId: string;
}

/** Texts that a person, a model or a provider can write into a suite and its replies. */
export interface Texts {
  name: string;
  tool: string;
  prompt: string;
  reply: string;
  error: string;
}
const PLAIN: Texts = {
  name: 'Weather',
  tool: 'get_weather',
  prompt: 'What is the weather in Paris?',
  reply: 'Sunny.',
  error: 'The model is loading.',
};

/** Maximum word length: longer ones take a browser seconds to lay out. */
const LONG = playsAll ? 100_000 : 30_000;

/** Markup, marks that change text direction, endless words, and terminal control codes. */
export const HOSTILE: Texts = {
  name: `<img src=x onerror="top.owned=1"> \u202egnp.exe\u2066 </script><script>top.owned=1</script>`,
  tool: 'A'.repeat(64),
  prompt: `<script>top.owned=1</script>\u202e${'W'.repeat(LONG / 2 - 1000)}\u001b[31m\u0007\u2028{{7*7}}`,
  reply: `<iframe srcdoc="<script>top.owned=1</script>"></iframe>\u001b]8;;http://x\u0007${'R'.repeat(LONG)}`,
  error: `<b onclick=alert(1)>\u202eprovider\u001b[2J ${'E'.repeat(LONG)}`,
};

const MODELS = ['perfect-ish', 'careless-arguments', 'scripted:odd', 'scripted:broken'];
const TARGETS = MODELS.map((id) => `sim::${id}`);

/** A provider with models, a suite, and a completed run in an experiment, with a wrong result and an errored one. */
export async function fillRun(web: TeamWeb, texts: Texts = PLAIN): Promise<FilledRun> {
  const { client, simulator } = web;
  await client.post('/api/providers', {
    key: 'sim',
    name: 'Simulator',
    base_url: `${simulator.url}/v1`,
    models: [...MODELS, 'meta:screens', 'judge:screens'].map((id) => ({
      id,
      input_cost_per_mtok: 1,
      output_cost_per_mtok: 4,
    })),
  });
  await web.script('odd', { replies: [wrongReply(texts)] });
  await web.script('broken', { replies: [{ status: 400, body: { error: { message: texts.error } } }] });
  const { body: imported } = await client.post('/api/tool-eval/import', suiteOf(texts));
  const suiteId: string = imported.suite_id;
  const experimentId = await experimentOf(client, suiteId, texts);
  const { body: run } = await client.post('/api/tool-eval', {
    suite_id: suiteId,
    models: TARGETS,
    metrics: [{ id: 'ragas_tool_call_f1', as: 'f1' }],
    name: texts.name.slice(0, 200),
    note: texts.prompt.slice(0, 2000),
    experiment_id: experimentId,
  });
  const runId: string = run.eval_id;
  await untilRunCompleted(client, runId);
  const { body: failures } = await client.get(
    `/api/tool-eval/history/${runId}/results?${new URLSearchParams({ model: 'sim::scripted:odd' })}`,
  );
  const { body: cases } = await client.get(`/api/tool-suites/${suiteId}/cases?limit=1`);
  return { suiteId, caseId: cases.items[0].id, runId, resultId: failures.items[0].id, experimentId };
}

/** The objects of `fillRun`, and tunes, a prompt version, a report and a gate run. */
export async function fillTeam(web: TeamWeb, texts: Texts = PLAIN): Promise<Filled> {
  const { client } = web;
  const filled = await fillRun(web, texts);
  const { suiteId, runId, experimentId } = filled;
  const tuneId = await tuneOf(client, suiteId, texts);
  const promptTuneId = await promptTuneOf(web, suiteId, texts);
  const promptId = await promptOf(client, suiteId, texts);
  const reportId = await reportOf(web, runId, texts);
  await fillAccess(client, texts.name);
  const gate = await gateOf(client, { suiteId, experimentId, models: TARGETS }, texts);
  return { ...filled, tuneId, promptTuneId, promptId, reportId, ...gate };
}

function suiteOf(texts: Texts): object {
  const suite = weatherSuite(6);
  return {
    ...suite,
    name: texts.name.slice(0, 200),
    description: texts.prompt.slice(0, 9000),
    system_prompt: texts.prompt,
    tools: suite.tools.map((tool) => ({
      ...tool,
      function: { ...tool.function, name: texts.tool, description: texts.prompt.slice(0, 19_000) },
    })),
    test_cases: suite.test_cases.map((one, n) => ({
      ...one,
      name: `${texts.name.slice(0, 150)} ${n}`,
      category: texts.name.slice(0, 150),
      tags: [texts.name.slice(0, 90)],
      prompt: `${texts.prompt} (${n})`,
      expected_tool: texts.tool,
    })),
  };
}

/** A finished tune of two models, one of which never answers. */
async function tuneOf(client: Client, suiteId: string, { name, prompt }: Texts): Promise<string> {
  const { body: submitted } = await client.post('/api/tool-eval/param-tune', {
    suite_id: suiteId,
    models: ['sim::careless-arguments', 'sim::scripted:broken'],
    search_space: { temperature: [0, 0.5, 1], [name.slice(0, 150)]: [prompt.slice(0, 900)] },
    mode: 'grid',
    holdout: 0,
  });
  await untilTuned(client, submitted.tune_id);
  return submitted.tune_id;
}

/** A finished prompt tune. The meta model's output is hostile, too. */
async function promptTuneOf({ client, simulator }: TeamWeb, suiteId: string, { error }: Texts): Promise<string> {
  const rules = [{ when: null, append: error.slice(0, 600) }];
  await fetch(`${simulator.url}/control/meta/screens`, { method: 'POST', body: JSON.stringify({ rules }) });
  const { body } = await client.post('/api/tool-eval/prompt-tune', {
    suite_id: suiteId,
    models: ['sim::careless-arguments'],
    meta_model: 'sim::meta:screens',
    mode: 'evolutionary',
    population: 2,
    generations: 2,
    holdout: 0,
  });
  await untilTuned(client, body.tune_id, 'prompt-tune');
  return body.tune_id;
}

async function experimentOf(client: Client, suiteId: string, { name, prompt }: Texts): Promise<string> {
  const input = { name: name.slice(0, 200), suite_id: suiteId, description: prompt.slice(0, 2000) };
  return (await client.post('/api/experiments', input)).body.id;
}

/** A gate against the baseline of an experiment, a finished gate run, and the run that it created. */
async function gateOf(
  client: Client,
  { suiteId, experimentId, models }: { suiteId: string; experimentId: string; models: string[] },
  { name }: Texts,
): Promise<Pick<Filled, 'gateId' | 'gateRunId' | 'laterRunId'>> {
  const baseline = { experiment_id: experimentId };
  const tags = [name.slice(0, 90)];
  const input = { name: name.slice(0, 100), suite_id: suiteId, baseline, critical_tags: tags, looks: 2 };
  const { id: gateId } = (await client.post('/api/gates', input)).body;
  const { body: run } = await client.post('/api/tool-eval', {
    suite_id: suiteId,
    models,
    temperature: 0.5,
    experiment_id: experimentId,
  });
  await untilRunCompleted(client, run.eval_id);
  const { body } = await client.post(`/api/gates/${gateId}/run`, { eval_id: run.eval_id });
  await untilJobEnded(client, body.job_id);
  return { gateId, gateRunId: body.gate_run_id, laterRunId: run.eval_id };
}

/** A finished report of the default judge, and a person's label. The judge's output is hostile, too. */
async function reportOf(
  { client, simulator }: TeamWeb,
  runId: string,
  { name, prompt, error }: Texts,
): Promise<string> {
  const rule = {
    when: 'city',
    verdict: 'acceptable',
    expectation_at_fault: true,
    expectation_note: error.slice(0, 600),
  };
  await fetch(`${simulator.url}/control/judge/screens`, {
    method: 'POST',
    body: JSON.stringify({ style: 'right', table: [rule] }),
  });
  await client.put('/api/settings/judge', { judge: 'sim::judge:screens', instructions: prompt.slice(0, 9000) });
  const { body } = await client.post('/api/judge', { eval_id: runId });
  await until(async () => (await client.get(`/api/judge/reports/${body.report_id}`)).body.status === 'completed', {
    what: `report ${body.report_id} to end`,
    timeoutMs: 90_000,
  });
  const { items } = (await client.get('/api/judge/label-queue?limit=1')).body;
  await client.put(`/api/tool-eval/history/${runId}/results/${items[0].result.id}/label`, {
    label: 'wrong',
    note: name.slice(0, 200),
  });
  return body.report_id;
}

/** A prompt version derived from another one. */
async function promptOf(client: Client, suiteId: string, { name, prompt, error }: Texts): Promise<string> {
  const keep = async (text: string, parent: string | null): Promise<string> => {
    const components = { system_prompt: text.slice(0, 50_000) };
    const input = { suite_id: suiteId, components, label: name.slice(0, 200), tags: ['kept'], parent_id: parent };
    return (await client.post('/api/prompt-versions', input)).body.id;
  };
  return keep(error, await keep(`${prompt.slice(0, 40_000)} And be brief.`, null));
}

export async function untilTuned(client: Client, tuneId: string, kind = 'param-tune'): Promise<void> {
  const tune = () => client.get(`/api/tool-eval/${kind}/history/${tuneId}`);
  await until(async () => (await tune()).body.status === 'completed', {
    what: `tune ${tuneId} to end`,
    timeoutMs: 90_000,
  });
}

const wrongReply = ({ tool, reply }: Texts): object => ({
  role: 'assistant',
  content: `<think>${reply}</think>${reply}`,
  tool_calls: [
    {
      id: 'c',
      type: 'function',
      function: { name: tool, arguments: JSON.stringify({ city: reply, [reply.slice(0, 90)]: [reply] }) },
    },
  ],
});

/** What is the same whatever a team has. */
const OPERATING: [name: string, path: string][] = [
  ['jobs', '/jobs?status=all'],
  ['lanes', '/operate/lanes'],
  ['providers', '/operate/providers'],
  ['new provider', '/operate/providers/new'],
  ['provider', '/operate/providers/sim'],
  ['spending', '/operate/spending'],
  ['embedding', '/settings/embedding'],
  ['cache', '/settings/cache'],
  ['limits', '/settings/limits'],
  ['default judge', '/settings/judge'],
];

/** Every screen that needs a session, by name. */
export const screensOf = (filled: Filled): [name: string, path: string][] => {
  const { suiteId, caseId, runId, resultId, tuneId, promptTuneId, promptId, reportId } = filled;
  const { laterRunId, experimentId, gateId, gateRunId } = filled;
  return [
    ['home', '/'],
    ['runs', '/runs'],
    ['new run', `/runs/new?suite=${suiteId}`],
    ['run', `/runs/${runId}`],
    ['results', `/runs/${runId}/results`],
    ['result', `/runs/${runId}/results/${resultId}`],
    ['tunes', '/tunes'],
    ['tunes of prompts', '/tunes?kind=prompts'],
    ['new tune of prompts', `/tunes/new-prompt?from=${promptTuneId}`],
    ['tune of prompts', `/tunes/prompts/${promptTuneId}`],
    ['prompt versions', '/prompts'],
    ['new prompt version', `/prompts/new?suite=${suiteId}&from=${promptId}`],
    ['prompt version', `/prompts/${promptId}`],
    ['new run with a prompt version', `/runs/new?suite=${suiteId}&prompt=${promptId}`],
    ['judge', '/judge'],
    ['new report', `/judge/new?eval=${runId}`],
    ['report', `/judge/reports/${reportId}`],
    ['labels', '/judge/labels'],
    ['calibration', '/judge/calibration'],
    ['new tune', `/tunes/new?from=${tuneId}`],
    ['tune', `/tunes/${tuneId}`],
    ['suites', '/suites'],
    ['suite', `/suites/${suiteId}`],
    ['tools of a suite', `/suites/${suiteId}/tools`],
    ['settings of a suite', `/suites/${suiteId}/settings`],
    ['trend of a suite', `/suites/${suiteId}/trend`],
    ['versions of a suite', `/suites/${suiteId}/versions`],
    ['new case', `/suites/${suiteId}/cases/new`],
    ['case', `/suites/${suiteId}/cases/${caseId}`],
    ['suite version', `/suites/${suiteId}/versions/1`],
    ['MCP sync', `/suites/${suiteId}/mcp`],
    ['import', '/import'],
    ['failures', `/runs/${runId}/failures`],
    ['matrix', `/runs/${runId}/matrix`],
    ['compare', `/compare?${new URLSearchParams({ runs: JSON.stringify([runId, laterRunId]) })}`],
    ['experiments', '/experiments'],
    ['new experiment', '/experiments/new'],
    ['experiment', `/experiments/${experimentId}`],
    ['gates', '/gates'],
    ['new gate', '/gates/new'],
    ['gate', `/gates/${gateId}`],
    ['gate run', `/gates/${gateId}/runs/${gateRunId}`],
    ...OPERATING,
    ...ACCESS,
    ['not found', '/what-is-this'],
  ];
};

/** How many screens are checked concurrently. */
const AT_ONCE = 2;

export interface Walk {
  /** Which themes axe checks: `both`, the tab's `own` one, or `none`. It takes longer than everything else. */
  axe: 'both' | 'own' | 'none';
  /** Whether each screen is loaded, as when its address is opened, or reached from the previous one, as by a link. */
  loads: boolean;
  /** Whether each screen is searched for what people should not have to read. */
  words?: boolean;
  /** Each screen is also checked in these windows. */
  windows?: readonly Window[];
}
type Window = Required<Pick<OpenOptions, 'width' | 'height' | 'theme'>>;

const WIDE: Window = { width: 1280, height: 800, theme: 'light' };
/** 1280 px at 200 %. */
const ZOOMED: Window = { width: 640, height: 400, theme: 'light' };
const NARROW: Window = { width: 360, height: 800, theme: 'dark' };
export const WINDOWS = [WIDE, ZOOMED, NARROW];

/** The user, theme and window of each view. */
export const VIEWS: [name: string, OpenOptions][] = [
  ['an owner, wide', { role: 'owner', ...WIDE }],
  ['an editor, at 200 %', { role: 'editor', ...ZOOMED }],
  ['a viewer, at 360 px, dark', { role: 'viewer', ...NARROW }],
];

/**
 * Faults that no screen may have, in any state and for any user. Each tab goes from screen to screen.
 * @returns the faults by screen name, without screens that have none
 */
export async function faultsOfScreens(
  web: TeamWeb,
  screens: readonly (readonly [name: string, path: string])[],
  options: OpenOptions,
  { axe, loads, words = false, windows = [] }: Walk,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const left = [...screens];
  const walk = async (): Promise<void> => {
    const tab = await web.open(options);
    for (let screen = left.shift(); screen; screen = left.shift()) {
      const [name, path] = screen;
      const before = tab.faults().length;
      await (loads ? tab.page.goto(`${web.url}${path}`) : followLinkTo(tab.page, path));
      const faults = await faultsOfScreen(tab, axe === 'own' ? (options.theme ?? 'light') : axe);
      if (words) faults.push(...(await rawTexts(tab.page)));
      for (const window of windows) faults.push(...(await faultsInWindow(tab, window)));
      faults.push(...tab.faults().slice(before));
      if (faults.length > 0) found[name] = faults;
    }
    await tab.context.close();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, screens.length) }, walk));
  return found;
}

/** Navigates like a click on a link, and waits until the screen is rendered. */
async function followLinkTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })`);
  await page.waitForFunction(`(({ status, location, resolvedLocation }) =>
    status === 'idle' && resolvedLocation?.href === location.href)(__TSR_ROUTER__.state)`);
  expect(new URL(page.url()).pathname).toBe(new URL(path, page.url()).pathname);
}

async function faultsInWindow(tab: Tab, { width, height, theme }: Window): Promise<string[]> {
  await tab.page.setViewportSize({ width, height });
  await tab.page.emulateMedia({ colorScheme: theme });
  // Elements that depend on the window size are rendered again.
  await tab.page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  return (await faultsOfScreen(tab, 'none')).map((fault) => `${fault}, at ${width} px`);
}

async function faultsOfScreen({ page, axe, isTooWide }: Tab, themes: Theme | 'both' | 'none'): Promise<string[]> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const found = themes === 'none' ? [] : await axe(themes === 'both' ? undefined : themes);
  if (await isTooWide()) found.push('wider than the window');
  if (await page.evaluate('"owned" in window')) found.push('a text was run as a script');
  return found;
}
