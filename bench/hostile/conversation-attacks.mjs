// Attacks by conversations: rules and models that make state, answers, calls and rounds as large as they can.

const times = (n, make) => Array.from({ length: n }, (_, index) => make(index));
const goal = { answer: [{ contains: 'done' }] };

/** Runs of conversations, begun again every few seconds so that they last as long as the honest run. */
const conversations =
  (model, conversation, { cases = 20, concurrency = 8, everyS = 4 } = {}) =>
  async (hostile, size) => {
    const suiteId = await hostile.suite(Math.ceil(cases * size), {
      conversation: { max_rounds: 50, goal, ...conversation },
    });
    const target = await hostile.model(model, { concurrency });
    return async () => {
      await hostile.run(suiteId, [target]);
      hostile.repeat(1 / everyS, async (turn) => turn && hostile.run(suiteId, [target]));
    };
  };

const doubles = { op: 'copy', from: '/tree', path: '/tree/again' };
const rules = (...list) => ({ get_weather: list });
const tree = { tree: { leaf: 'x'.repeat(100) } };

export const CONVERSATION_ATTACKS = {
  'a rule that doubles the state with each call': conversations('plain', {
    state: tree,
    tools: rules({ effects: [doubles] }),
  }),
  'a rule that doubles the state a hundred times': conversations('plain', {
    state: tree,
    tools: rules({ effects: times(100, () => doubles) }),
  }),
  'rules that write the whole state, and answer with it': conversations('plain', {
    state: { text: 'x'.repeat(200_000), copies: [] },
    tools: rules({
      effects: times(50, () => ({ op: 'replace', path: '/copies', value: [{ $state: '/text' }] })),
      respond: { $state: '' },
    }),
  }),
  'a model that calls for ever': conversations('plain', { state: { n: 0 }, tools: rules({ respond: { ok: true } }) }),
  'a hundred calls a reply, and a hundred rules': conversations('hundred-calls', {
    state: { list: times(2000, (n) => ({ n })) },
    tools: rules(
      ...times(99, (n) => ({
        when: { arguments: { city: { $regex: `^(a|b|[^x]*)*${n}$` } }, state: { '/list': { $any: true } } },
        respond: { n },
      })),
      { respond: { ok: true } },
    ),
  }),
  'answers of a mebibyte': conversations('plain', {
    tools: rules(...times(6, (n) => ({ when: { call: n + 1 }, respond: 'y'.repeat(30_000) })), {
      respond: times(30, () => 'y'.repeat(1000)),
    }),
  }),
  'conversations with replies of a mebibyte': conversations('large-rounds', { tools: rules({ respond: 'ok' }) }),
  '500 conversations at once': conversations(
    'plain',
    { state: { n: [] }, tools: rules({ effects: [{ op: 'add', path: '/n/-', value: 1 }] }) },
    { cases: 500, concurrency: 500, everyS: 30 },
  ),
};

/** How many times its time alone the honest run may take beside these. */
export const CONVERSATION_RATIO = 1.2;
