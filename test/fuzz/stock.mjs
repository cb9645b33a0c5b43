// Teams for the requests: one that is attacked from, with one thing of each kind, and one that nothing may reach.
import { randomUUID } from 'node:crypto';

/** In the name of everything of the other team, and in nothing that is sent. */
export const MARK = 'kestrel-7f3';
/** In everything of a suite that a limited token does not name. */
export const HIDDEN_MARK = 'plover-2c9';

const MODELS = [
  ...['perfect-ish', 'careless-arguments', 'judge:right', 'prompt-sensitive:weather', 'param-sensitive'],
  ...['meta:weather', 'embeddings', 'slow-400', 'redirect', 'host:openai', 'content-filter', 'gpt-5-mini'],
].map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 1 }));
const GOOD = 'simulator::perfect-ish';

/** Calls the API as somebody. @returns `call(method, path, body)`, which throws unless it succeeds */
export const callerOf = (url, token) => async (method, path, body) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return text ? JSON.parse(text) : undefined;
};

/**
 * A new team with one thing of each kind.
 * @param of.mark in each of its names
 * @returns its `ids` by the kinds of the examples, the credentials of its `callers`, its `secrets`, and `keeper`, whose
 * token is nowhere else; and `storedIds`, of the other team, which the requests have stored in this one
 */
export async function stockTeam({ url, operator, simulatorUrl, mark }) {
  const { id: teamId, token: first } = await operator('POST', '/api/teams', { name: `${mark} ${randomUUID()}` });
  const keeper = callerOf(url, first.token);
  const people = await stockPeople(keeper, mark);
  const secret = `sk-${mark}-${randomUUID()}`;
  for (const key of ['simulator', 'openai', 'anthropic', 'vllm']) {
    const kind = key === 'anthropic' ? 'anthropic' : 'openai';
    const base_url = key === 'anthropic' ? `${simulatorUrl}/anthropic` : `${simulatorUrl}/v1`;
    // With a credential of its own, vllm has a lane of its own.
    const api_key = key === 'vllm' ? `${secret}-vllm` : secret;
    const headers = [
      { name: 'X-Team', kind: 'routing', value: `${secret}-route` },
      { name: 'CF-Access-Client-Id', value: `${secret}-header` },
    ];
    const provider = { key, name: `${mark} ${key}`, kind, base_url, api_key, headers, models: MODELS };
    await keeper('POST', '/api/providers', provider);
  }
  const ids = { team: teamId, ...people.ids, ...(await stockWork(keeper, mark)) };
  const limits = { suite_ids: [ids.suite] };
  const limited = await keeper('POST', '/api/tokens', { name: `${mark} limited`, role: 'editor', ...limits });
  const callers = { ...people.callers, limited: bearer(limited.token) };
  const secrets = [secret, first.token, ...Object.values(callers).map(secretOf)];
  return { teamId, ids, callers, secrets, keeper, storedIds: new Set() };
}

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const secretOf = ({ authorization, cookie }) => (authorization ?? cookie).split(/ |=/)[1];

async function stockPeople(keeper, mark) {
  const tokenOf = (name, role, more) => keeper('POST', '/api/tokens', { name: `${mark} ${name}`, role, ...more });
  const account = await keeper('POST', '/api/users', { name: `${mark} account`, role: 'editor' });
  const [owner, editor, viewer, readsOnly, ofAccount, revoked, spare] = [
    await tokenOf('owner', 'owner'),
    await tokenOf('editor', 'editor', { user: `${mark} editor` }),
    await tokenOf('viewer', 'viewer', { user: `${mark} viewer` }),
    await tokenOf('reads only', 'viewer', { reads_only: true }),
    await tokenOf('account', 'editor', { user: `${mark} account` }),
    await tokenOf('revoked', 'owner'),
    await tokenOf('spare', 'viewer'),
  ];
  await keeper('DELETE', `/api/tokens/${revoked.id}`);
  const invitation = await keeper('POST', '/api/invitations', { role: 'viewer', note: mark });
  const login = await keeper('POST', '/api/device-logins', { name: 'a laptop' });
  return {
    ids: {
      token: spare.id,
      ownToken: spare.token,
      user: account.id,
      member: account.id,
      invitation: invitation.id,
      invitationSecret: invitation.url.split('#invitation=')[1],
      userCode: login.user_code,
      deviceCode: login.device_code,
      session: randomUUID(),
    },
    callers: {
      owner: bearer(owner.token),
      editor: bearer(editor.token),
      viewer: bearer(viewer.token),
      readsOnly: bearer(readsOnly.token),
      account: bearer(ofAccount.token),
      revoked: bearer(revoked.token),
    },
  };
}

/** Gives a team a session of the page, as its owner. */
export async function addSession(url, team) {
  const { origin } = new URL(url);
  const response = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin },
    body: JSON.stringify({ token: secretOf(team.callers.owner) }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (!cookie) throw new Error(`POST /api/session: ${response.status} ${await response.text()}`);
  team.callers.session = { cookie, 'sec-fetch-site': 'same-origin' };
  team.secrets.push(secretOf(team.callers.session));
  const { items } = await team.keeper('GET', '/api/sessions');
  team.ids.session = items[0].id;
}

const suiteOf = (name, example) => ({
  ...example,
  name,
  conversation: { state: { cities: { Paris: 20 } } },
  test_cases: Array.from({ length: 12 }, (_, n) =>
    example.test_cases.slice(0, 2).map((one, index) => ({
      ...one,
      name: `${name} ${index} ${n}`,
      category: 'current',
      tags: ['enum', 'single', 'number'],
    })),
  )
    .flat()
    .concat({
      name: `${name} conversation`,
      prompt: 'Hello!',
      conversation: { goal: { state: { '/cities/Paris': 20 } } },
    }),
});

async function stockWork(keeper, mark) {
  const example = await keeper('GET', '/api/tool-eval/import/example');
  const { suite_id: suite } = await keeper('POST', '/api/tool-eval/import', suiteOf(mark, example));
  const hidden = await keeper('POST', '/api/tool-eval/import', suiteOf(`${mark} ${HIDDEN_MARK}`, example));
  const { test_cases: cases } = await keeper('GET', `/api/tool-suites/${suite}`);
  const submit = (name, suite_id = suite, model = GOOD) =>
    keeper('POST', '/api/tool-eval', { suite_id, models: [model], name: `${mark} ${name}`, tool_choice: 'auto' });
  const [baseline, run] = [await submit('baseline'), await submit('run')];
  const { items: lanes } = await keeper('GET', '/api/lanes');
  const paused = lanes.find(({ name }) => name === 'vllm');
  await keeper('POST', `/api/lanes/${paused.id}/pause`);
  const job = await submit('waiting', suite, 'vllm::perfect-ish');
  await submit(HIDDEN_MARK, hidden.suite_id);
  const experiment = await keeper('POST', '/api/experiments', { name: `${mark} experiment`, suite_id: suite });
  const { preset, prompt, earlierPrompt } = await stockSettings(keeper, mark, suite);
  return {
    suite,
    hidden: hidden.suite_id,
    case: cases[0].id,
    tokyo: cases[1].id,
    run: run.eval_id,
    runJob: run.job_id,
    baseline: baseline.eval_id,
    baselineJob: baseline.job_id,
    best: baseline.eval_id,
    job: job.job_id,
    experiment: experiment.id,
    lane: lanes[0].id,
    ...{ preset, prompt, earlierPrompt },
  };
}

async function stockSettings(keeper, mark, suite_id) {
  const preset = await keeper('POST', '/api/param-presets', { name: `${mark} preset`, search_space: { top_p: [1] } });
  const keep = (more) =>
    keeper('POST', '/api/prompt-versions', { suite_id, components: { system_prompt: `${mark} Be brief.` }, ...more });
  const earlier = await keep({});
  const later = await keep({ parent_id: earlier.id });
  return { preset: preset.id, prompt: later.id, earlierPrompt: earlier.id };
}

/** Adds what needs a run that has ended: a gate, tunes, a report. @param hasEnded waits for a job */
export async function addDecisions({ keeper, ids }, mark, hasEnded) {
  await hasEnded(ids.baselineJob);
  await hasEnded(ids.runJob);
  const { suite: suite_id, baseline, run } = ids;
  const gate = await keeper('POST', '/api/gates', { name: `${mark} gate`, suite_id, baseline: { eval_id: baseline } });
  const gateRun = await keeper('POST', `/api/gates/${gate.id}/run`, {});
  const base = { suite_id, models: [GOOD], holdout: 0, name: `${mark} tune` };
  const tune = await keeper('POST', '/api/tool-eval/param-tune', {
    ...base,
    search_space: { top_p: [1] },
    mode: 'grid',
  });
  const promptTune = await keeper('POST', '/api/tool-eval/prompt-tune', {
    ...base,
    meta_model: 'simulator::meta:weather',
    mode: 'quick',
  });
  const judged = { eval_id: run, judge: 'simulator::judge:right', which: 'all', sample_size: 2 };
  const report = await keeper('POST', '/api/judge', judged);
  const rescore = await keeper('POST', `/api/tool-eval/history/${run}/rescore`, {});
  Object.assign(ids, {
    gate: gate.id,
    gateRun: gateRun.gate_run_id,
    tune: tune.tune_id,
    promptTune: promptTune.tune_id,
    report: report.report_id,
    rescore: rescore.rescore_id,
  });
}
