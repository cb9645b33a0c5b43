import { readPrices, totalOf, writeLedger } from './ledger.js';
import { newState, type ModelState } from './models/model-state.js';
import { readModelName, MODEL_NAMES } from './models/models.js';
import { readJudgeRules } from './models/judge-rules.js';
import { readMetaRules } from './models/meta-rules.js';
import { readPromptSensitivity } from './models/prompt-sensitivity.js';
import { readScript } from './models/scripts.js';
import { errorResponse, jsonResponse, type ResponsePlan } from './formats/chat-completions.js';

const MAX_AHEAD_MS = 365 * 24 * 60 * 60 * 1000;

/** The states of all models named so far. The state of `*` applies to all models. */
export class States {
  private readonly byName = new Map<string, ModelState>();
  redirectsFollowed = 0;
  /** How far the prompt caches' clock has been advanced. */
  aheadMs = 0;

  of(name: string): ModelState {
    let state = this.byName.get(name);
    if (!state) this.byName.set(name, (state = newState()));
    return state;
  }
  offOf(state: ModelState): ModelState['off'] {
    return state.off ?? this.byName.get('*')?.off ?? null;
  }
  /** @param only one model; null for all */
  entries(only: string | null): [string, ModelState][] {
    return [...this.byName].filter(([name]) => name !== '*' && (only === null || name === only));
  }
  reset(): void {
    this.byName.clear();
    this.redirectsFollowed = 0;
    this.aheadMs = 0;
  }
}

/** The endpoints under /control. Tests and demos use them to simulate outages, post replies and read requests. */
export function control(method: string, url: URL, body: unknown, states: States): ResponsePlan {
  const [, , what = '', ...rest] = url.pathname.split('/');
  const name = decodeURIComponent(rest.join('/'));
  switch (`${method} ${what}`) {
    case 'POST models':
      return switchModel(name, (body ?? {}) as { on?: unknown; status?: unknown }, states);
    case 'POST scripted':
      return configure('scripted', name, (state) => (state.script = readScript(body)), states);
    case 'POST prompt-sensitive':
      return configure('prompt-sensitive', name, (state) => (state.sensitivity = readPromptSensitivity(body)), states);
    case 'POST meta':
      return configure('meta', name, (state) => (state.metaRules = readMetaRules(body)), states);
    case 'POST judge':
      return configure('judge', name, (state) => (state.judgeRules = readJudgeRules(body)), states);
    case 'POST prices':
      if (!readModelName(name)) return unknownModel(name);
      return changeModel(name, (state) => (state.prices = readPrices(body)), states);
    case 'POST clock':
      return moveClock((body ?? {}) as { advance_s?: unknown }, states);
    case 'GET ledger':
      return jsonResponse(200, ledger(states, url.searchParams.get('model')));
    case 'GET stats':
      return jsonResponse(200, stats(states, url.searchParams));
    case 'GET requests':
      return jsonResponse(200, {
        items: states.of(url.searchParams.get('model') ?? '').lastBodies.map((text) => JSON.parse(text) as unknown),
      });
    case 'POST reset':
      states.reset();
      return jsonResponse(200, {});
    default:
      return errorResponse(
        404,
        `No ${method} ${url.pathname}. There are POST /control/models/<model>, ` +
          '/control/scripted/<id>, /control/prompt-sensitive/<id>, /control/meta/<id>, /control/judge/<id>, ' +
          '/control/prices/<model>, /control/clock, /control/reset and GET /control/stats, ' +
          '/control/requests?model=<model>, /control/ledger?model=<model>.',
      );
  }
}

function switchModel(
  name: string,
  { on, status = 503 }: { on?: unknown; status?: unknown },
  states: States,
): ResponsePlan {
  if (name !== '*' && !readModelName(name)) return unknownModel(name);
  if (typeof on !== 'boolean') return errorResponse(400, '"on" must be true or false.', null, { param: 'on' });
  const known =
    status === 'reset' ||
    status === 'hang' ||
    (Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599);
  if (!known) return errorResponse(400, '"status" must be 400 to 599, "reset" or "hang".', null, { param: 'status' });
  states.of(name).off = on ? null : { status: status as number | 'reset' | 'hang' };
  return jsonResponse(200, { model: name, on, ...(!on && { status }) });
}

/** Changes the state of one instance of a model. For scripted models, `abc` and `scripted:abc` name the same one. */
function configure(base: string, id: string, change: (state: ModelState) => void, states: States): ResponsePlan {
  const isModel = id.startsWith(base) && readModelName(id) !== undefined;
  return changeModel(id === '' ? base : isModel ? id : `${base}:${id}`, change, states);
}

function changeModel(name: string, change: (state: ModelState) => void, states: States): ResponsePlan {
  try {
    change(states.of(name));
  } catch (error) {
    return errorResponse(400, (error as Error).message);
  }
  return jsonResponse(200, { model: name });
}

export const unknownModel = (name: string): ResponsePlan =>
  errorResponse(
    404,
    `The model "${name}" does not exist. There are ${MODEL_NAMES.map(({ id }) => id).join(', ')}; ` +
      'each takes @<latency ms> and :<instance>.',
    'model_not_found',
    { param: 'model' },
  );

/** Advances the prompt caches' clock. Rate limits keep using real time. */
function moveClock({ advance_s: seconds }: { advance_s?: unknown }, states: States): ResponsePlan {
  const isNumber = typeof seconds === 'number' && seconds > 0;
  if (!isNumber || states.aheadMs + seconds * 1000 > MAX_AHEAD_MS)
    return errorResponse(400, '"advance_s" must be a number above 0; the clock goes ahead by a year at most.', null, {
      param: 'advance_s',
    });
  states.aheadMs += seconds * 1000;
  return jsonResponse(200, { ahead_s: states.aheadMs / 1000 });
}

function ledger(states: States, only: string | null): unknown {
  const models = states.entries(only);
  return {
    total: writeLedger(totalOf(models.map(([, state]) => state.ledger))),
    models: Object.fromEntries(models.map(([name, state]) => [name, writeLedger(state.ledger)])),
  };
}

/** `?model=` selects one model, and `?prompts=0` omits the count of each prompt. */
function stats(states: States, query: URLSearchParams): unknown {
  const models = states.entries(query.get('model'));
  return {
    requests: models.reduce((sum, [, state]) => sum + state.requests, 0),
    redirects_followed: states.redirectsFollowed,
    models: Object.fromEntries(
      models.map(([name, state]) => [
        name,
        {
          requests: state.requests,
          answers: state.answers,
          in_flight: state.inFlight,
          peak_in_flight: state.peakInFlight,
          abandoned: state.abandoned,
          prompt_tokens: state.promptTokens,
          last_request_at: state.lastRequestMs === null ? null : new Date(state.lastRequestMs).toISOString(),
          distinct_prompts: state.prompts.size,
          ...(query.get('prompts') !== '0' && { prompts: Object.fromEntries(state.prompts) }),
        },
      ]),
    ),
  };
}
