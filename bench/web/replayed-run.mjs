// A run of six models in the shapes of libs/contracts: its log, and its HTTP representation after any number of
// results. Result n is always the same, so nothing is stored.
const CASES = 1000;
const MODELS = ['swift', 'steady', 'thorough', 'brief', 'curious', 'careful'];
const TARGETS = MODELS.map((model) => `replayed::${model}`);
const TEAM = { id: '019aa8a2-5c1e-7000-8000-000000000001', name: 'Benchmarks' };
const USER = { id: '019aa8a2-5c1e-7000-8000-000000000002', name: 'bench' };
const SUITE = { id: '019aa8a2-5c1e-7000-8000-000000000011', name: 'A thousand cities', version: 1 };
const RUN_ID = '019aa8a2-5c1e-7000-8000-000000000021';
const JOB_ID = '019aa8a2-5c1e-7000-8000-000000000031';
/** In the log, results begin after `job_created` and `tool_eval_init`. */
const EVENTS_BEFORE = 2;

export const ME = { team: TEAM, user: USER, role: 'owner' };

/** A number from 0 to 1 that depends only on n and the salt. */
const draw = (n, salt) => (Math.imul((n + 1) ^ (salt * 0x9e3779b1), 0x85ebca6b) >>> 8) / 2 ** 24;

/** Each model passes slightly more often than the previous one. */
function verdictOf(n) {
  const share = draw(n, 1);
  const [errors, misses] = [0.002, 0.25 - 0.03 * (n % MODELS.length)];
  if (share < errors) return 'errored';
  if (share < errors + misses / 3) return 'wrong_tool';
  return share < errors + misses ? 'wrong_argument' : 'none';
}
const PARTS = {
  none: { passed: true, tool_score: 1, param_score: 1, overall: 1 },
  wrong_argument: { passed: false, tool_score: 1, param_score: 0, overall: 0.6 },
  wrong_tool: { passed: false, tool_score: 0, param_score: 0, overall: 0 },
  errored: { passed: false, tool_score: null, param_score: null, overall: null },
};

/** @param total number of results, from all models in turn */
export function replayedRun(total) {
  const createdAt = new Date().toISOString();
  /** Counts of each model, by verdict. */
  const counts = TARGETS.map(() => ({ none: 0, wrong_argument: 0, wrong_tool: 0, errored: 0 }));
  let settled = 0;

  const isDone = () => settled === total;
  const targets = () =>
    TARGETS.map((target, index) => ({
      target,
      provider_key: 'replayed',
      model_id: MODELS[index],
      total: Math.floor((total - 1 - index) / TARGETS.length) + 1,
      settled: Math.max(0, Math.floor((settled - 1 - index) / TARGETS.length) + 1),
      errored: counts[index].errored,
      passed: counts[index].none,
    }));
  const lastSeq = () => EVENTS_BEFORE + settled + (isDone() ? TARGETS.length + 2 : 0);
  const summaries = () => (isDone() ? counts.map(summaryOf) : []);
  const status = () => (isDone() ? 'completed' : 'running');

  return {
    id: RUN_ID,
    jobId: JOB_ID,
    isDone,
    lastSeq,
    summaries,
    /** Settles the next results, and returns them as events of the log. */
    settle(count) {
      const from = settled;
      settled = Math.min(total, settled + count);
      for (let n = from; n < settled; n++) counts[n % TARGETS.length][verdictOf(n)]++;
      return Array.from({ length: settled - from }, (_, index) => resultEvent(from + index));
    },
    /** The events that follow the last result, as `[name, data]`. */
    ending: () => [
      ...summaries().map((summary) => ['tool_eval_summary', { eval_id: RUN_ID, summary }]),
      ['tool_eval_complete', { eval_id: RUN_ID, score: scoreOf(summaries()), delta: null }],
      ['job_completed', { status: 'completed', result_ref: RUN_ID }],
    ],
    progress: () => ({ job_id: JOB_ID, seq: lastSeq(), current: settled, total, targets: targets() }),
    ranking: () => ({
      text: isDone() ? 'careful is better than curious.' : null,
      items: TARGETS.map((target, index) => ({ target, rank: [index + 1, index + 1] })).reverse(),
    }),
    job: () => jobOf({ total, targets: targets(), status: status(), createdAt }),
    run: () => runOf({ total, targets: targets(), summaries: summaries(), status: status(), createdAt }),
  };
}

const seqOf = (n) => EVENTS_BEFORE + n + 1;
const resultId = (n) => `${n % TARGETS.length}-${Math.floor(n / TARGETS.length)}`;

function resultEvent(n) {
  const errorType = verdictOf(n);
  const isErrored = errorType === 'errored';
  return {
    seq: seqOf(n),
    at: new Date().toISOString(),
    eval_id: RUN_ID,
    case_position: Math.floor(n / TARGETS.length) % CASES,
    id: resultId(n),
    target: TARGETS[n % TARGETS.length],
    sample: Math.floor(n / TARGETS.length / CASES),
    outcome: isErrored ? 'errored' : 'scored',
    ...PARTS[errorType],
    error_type: errorType,
    format_compliance: isErrored ? null : 'native',
    latency_ms: isErrored ? null : 200 + Math.round(800 * draw(n, 2)),
    cost_usd: 0.000053,
    cached: false,
    error: isErrored ? { kind: 'timeout', message: 'There was no answer in 120 s.' } : null,
  };
}

/** A result in the form of a lean list. */
export function listedResult(n) {
  const { at, eval_id: _run, case_position: position, ...event } = resultEvent(n);
  const city = { tool: 'get_weather', params: { city: `city ${position}` } };
  return {
    ...event,
    case_id: `019aa8a2-5c1e-7000-8000-${String(position).padStart(12, '0')}`,
    case_name: null,
    prompt: `What is the weather in city ${position}?`,
    category: 'current',
    expected: city,
    called: event.outcome === 'errored' ? [] : [{ name: city.tool, arguments: city.params }],
    evidence: null,
    metrics: {},
    scoring_version: 3,
    usage: { prompt_tokens: 92, completion_tokens: 15 },
    attempts: 1,
    tool_choice_used: 'required',
    settled_at: at,
  };
}

const scoreOf = (summaries) => summaries.reduce((sum, { overall }) => sum + overall, 0) / summaries.length;

function summaryOf(count, index) {
  const scored = count.none + count.wrong_argument + count.wrong_tool;
  const overall = (count.none + 0.6 * count.wrong_argument) / scored;
  const passRate = count.none / scored;
  const group = {
    cases: CASES,
    scored,
    errored: count.errored,
    passed: count.none,
    tool_accuracy: (count.none + count.wrong_argument) / scored,
    param_accuracy: passRate,
    overall,
    overall_ci: [overall - 0.004, overall + 0.004],
    irrelevance_accuracy: null,
  };
  const tokens = { prompt_tokens: 92 * scored, completion_tokens: 15 * scored };
  return {
    ...group,
    target: TARGETS[index],
    ci_method: 't_pseudo_cases',
    pass_rate: passRate,
    pass_rate_ci: [passRate - 0.005, passRate + 0.005],
    pass_at_k: [passRate],
    pass_hat_k: [passRate],
    metrics: {},
    format_counts: { native: scored },
    error_counts: count,
    tool_choice_used: { required: scored },
    by_category: { current: group },
    latency_ms: { p50: 600, p95: 960 },
    usage: tokens,
    cost_usd: 0.000053 * scored,
    cached: { results: 0, prompt_tokens: 0, completion_tokens: 0 },
  };
}

const sumOf = (targets, key) => targets.reduce((sum, target) => sum + target[key], 0);
const endOf = (status) => (status === 'completed' ? new Date().toISOString() : null);

function jobOf({ total, targets, status, createdAt }) {
  const done = sumOf(targets, 'settled');
  return {
    id: JOB_ID,
    type: 'tool_eval',
    status,
    progress: {
      done,
      total,
      errored: sumOf(targets, 'errored'),
      percent: Math.round((1000 * done) / total) / 10,
      eta_s: null,
    },
    detail: null,
    result_ref: RUN_ID,
    error: null,
    created_at: createdAt,
    started_at: createdAt,
    finished_at: endOf(status),
  };
}

function runOf({ total, targets, summaries, status, createdAt }) {
  return {
    id: RUN_ID,
    job_id: JOB_ID,
    name: 'Replayed',
    note: null,
    submitted_by: USER.name,
    suite: SUITE,
    status,
    config: {
      models: MODELS.map((model) => ({ provider_key: 'replayed', model_id: model, params: {} })),
      temperature: 0,
      tool_choice: 'required',
      samples: Math.ceil(total / CASES / MODELS.length),
      max_tokens: 1024,
      timeout_s: 120,
      params: {},
      system_prompt: null,
      metrics: [],
      case_filter: null,
      model_order: 'parallel',
      budget: null,
      cache: 'off',
    },
    targets,
    counts: {
      total,
      settled: sumOf(targets, 'settled'),
      errored: sumOf(targets, 'errored'),
      passed: sumOf(targets, 'passed'),
    },
    score: summaries.length > 0 ? scoreOf(summaries) : null,
    delta: null,
    differs: [],
    comparison: null,
    summaries,
    experiment_id: null,
    orchestrator: null,
    extends_run_id: null,
    first_sample: 0,
    estimate: null,
    actual: null,
    warnings: [],
    created_at: createdAt,
    finished_at: endOf(status),
  };
}
