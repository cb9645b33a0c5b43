import { readFileSync, writeFileSync } from 'node:fs';
import type { CaseInput } from '#lib/contracts/case';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { Tool } from '#lib/contracts/tool';
import { createChatClient } from '#lib/providers/chat';
import type { ProviderFailure } from '#lib/providers/failure';
import { replyInFailure } from '#lib/providers/formats/stored-reply';
import { KNOWN_HOSTS } from '../apps/simulator/hosts/hosts.js';
import { createSimulator, type Simulator } from '../apps/simulator/server.js';
import { playAlone } from './play-alone.js';

const PAGE = 'docs/dialects.md';
/** TOOLMARK_WRITE_DOCS=1 writes the table instead of comparing it. */
const { TOOLMARK_WRITE_DOCS: isWriting } = process.env;

let simulator: Simulator;
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(() => simulator.close());

const tool = (name: string, description: string, property: string): Tool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  },
});
const TOOLS = [
  tool('customers.find', 'Find a customer by e-mail address', 'email'),
  tool('customers.block', 'Block a customer', 'customer_id'),
];
const EARLIER_ID = 'call_0';
const EARLIER = { name: 'customers.find', arguments: '{"email":"ann@example.com"}' };
/** A chain of two rounds after an earlier call, whose id some hosts reuse. */
const CHAIN = {
  messages: [
    { role: 'user', content: 'Who has the address ann@example.com?' },
    { role: 'assistant', content: null, tool_calls: [{ id: EARLIER_ID, type: 'function', function: EARLIER }] },
    { role: 'tool', tool_call_id: EARLIER_ID, content: '{"customer_id":"C-17"}' },
    { role: 'user', content: 'Find and block the customer with the e-mail address ann@example.com' },
  ],
  multi_turn: true,
  expected_tool: 'customers.block',
  mock_responses: { 'customers.find': { customer_id: 'C-17' } },
} as unknown as CaseInput;
const PARAMS = {
  temperature: 0,
  max_tokens: 500,
  top_p: 0.9,
  seed: 7,
  presence_penalty: 0.5,
  parallel_tool_calls: false,
};

const kindOf = (name: string): ProviderKind => KNOWN_HOSTS[name]?.format ?? 'openai';
const endpointOf = (kind: ProviderKind) => ({
  baseUrl: `${simulator.url}${kind === 'openai' ? '/v1' : `/${kind}`}`,
  apiKey: 'sk-simulated-0123456789',
});

/** Plays the chain with a host. @returns `sent`: the bodies of its requests, as sent over the wire */
async function playAt(name: string) {
  const sent: JsonObject[] = [];
  const learned = new Map<string, string>();
  const kind = kindOf(name);
  const played = await playAlone(
    {
      kind,
      ...endpointOf(kind),
      fetch: (url, init) => {
        sent.push(parseJson(String(init!.body)) as JsonObject);
        return fetch(url, init);
      },
    },
    { input: CHAIN, tools: TOOLS, params: { ...PARAMS, model: `host:${name}` } },
    { onRefusal: async ({ setting, way }) => void learned.set(setting, way) },
  );
  return { played, sent, learned };
}

const code = (text: string): string => `\`${text}\``;
const listed = (texts: Iterable<string>, separator = ', '): string => [...texts].join(separator) || '-';
const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A request's calls, and all fields of the messages and parts with calls, in any format. */
function callsIn(body: JsonObject): { id: string; name: string; fields: string[] }[] {
  return objects(body.messages ?? body.contents).flatMap((message) => {
    const { tool_calls: calls, content, parts } = message;
    const pieces = objects(calls ?? content ?? parts);
    const made = pieces.filter(
      ({ function: chat, functionCall: google, type }) => chat ?? google ?? type === 'tool_use',
    );
    const thoughts = pieces.filter(({ type }) => type === 'thinking').map(() => 'thinking');
    return made.map((piece) => {
      const { id = '', name } = (piece.functionCall ?? piece) as JsonObject;
      const beside = (of: JsonObject, known: string[]): string[] =>
        Object.keys(of).filter((key) => !known.includes(key));
      return {
        id: String(id),
        name: String(name ?? (piece.function as JsonObject).name),
        fields: [
          ...thoughts,
          ...beside(message, ['role', 'content', 'tool_calls', 'parts']),
          ...beside(piece, ['id', 'type', 'function', 'functionCall', 'name', 'input']),
        ],
      };
    });
  });
}

/** The settings of a request: `all` if it has all requested ones. */
function settingsIn({ generationConfig, ...rest }: JsonObject): string {
  const settings = Object.keys({ ...rest, ...(generationConfig as JsonObject) }).filter(
    (name) => !NO_SETTINGS.has(name),
  );
  return Object.keys(PARAMS).every((name) => settings.includes(name)) ? 'all' : listed(settings.map(code));
}
const NO_SETTINGS = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'system',
  'contents',
  'systemInstruction',
  'toolConfig',
]);

function choiceIn({ tool_choice: choice, toolConfig }: JsonObject): string {
  const google = isObject(toolConfig) ? (toolConfig.functionCallingConfig as JsonObject).mode : undefined;
  return code(String(google ?? (isObject(choice) ? choice.type : choice)));
}

/** Learned settings, by the way in which each is sent. */
function waysOf(learned: ReadonlyMap<string, string>): string {
  const left = [...learned].filter(([, way]) => way === 'left out').map(([setting]) => code(setting));
  const others = [...learned]
    .filter(([, way]) => way !== 'left out')
    .map(([setting, way]) => `${code(setting)} as ${way}`);
  return listed([...others, ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : [])], '; ');
}

async function rowOf(name: string): Promise<string[]> {
  const { played, sent, learned } = await playAt(name);
  expect([name, played.failure?.message, played.replies?.length]).toEqual([name, undefined, 2]);
  const last = sent.at(-1)!;
  const calls = callsIn(last);
  const [own] = callsIn({ messages: [played.replies![0]!.message as JsonObject] });
  const changed = [
    [EARLIER.name, calls[0]!.name],
    [EARLIER_ID, calls[0]!.id],
    [own!.id, calls[1]!.id],
  ].filter(([from, to]) => from !== to);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  return [
    code(name),
    settingsIn(last),
    choiceIn(last),
    waysOf(learned),
    listed(changed.map(([from, to]) => `${from === '' ? 'no id' : code(from!)} as ${code(to!)}`)),
    listed(new Set(calls[1]!.fields.map(code))),
    listed(await Promise.all(Object.keys(KNOWN_HOSTS[name]!.odd ?? {}).map((odd) => readingOf(name, odd))), '; '),
  ];
}

/** How an odd reply is read. */
async function readingOf(name: string, odd: string): Promise<string> {
  const kind = kindOf(name);
  const messages = [{ role: 'user', content: `Find the customer ann@example.com [[${odd}]]` }];
  const signal = new AbortController().signal;
  const failure = await createChatClient(kind, endpointOf(kind), fetch)
    .ask({ model: `host:${name}`, messages, tools: TOOLS as unknown as Json }, { signal, timeoutMs: 60_000 })
    .then(
      () => undefined,
      (error: ProviderFailure) => error,
    );
  expect([name, odd, failure?.kind]).toEqual([name, odd, expect.any(String)]);
  return `${odd}: ${outcomeOf(failure!)}`;
}

/** Shorter waits may be over by the time they are read. */
const LONG_WAIT_S = 10;

function outcomeOf(failure: ProviderFailure): string {
  if (replyInFailure(failure)) return "the model's, scored";
  if (!failure.retryable) return failure.kind;
  const waitS = Math.ceil((failure.retryAfterMs ?? 0) / 1000);
  return waitS >= LONG_WAIT_S ? `${failure.kind}, again after ${waitS} s` : `${failure.kind}, asked again`;
}

const HEADING = ['host', 'settings', 'tool_choice', 'learned', 'sent otherwise', 'fields sent back', 'odd replies'];

it(`each known host accepts its requests in the end, as the table of ${PAGE} says`, async () => {
  const rows = await Promise.all(Object.keys(KNOWN_HOSTS).map(rowOf));
  const page = readFileSync(PAGE, 'utf8');
  const [, before, table] = /(<!-- hosts: .*-->\n\n)((?:\|.*\n)+)/.exec(page)!;
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const computed = [HEADING, HEADING.map(() => '---'), ...rows].map(line);
  if (isWriting) writeFileSync(PAGE, page.replace(before! + table!, `${before}${computed.join('\n')}\n`));
  const cells = (text: string): string[] =>
    text
      .trim()
      .split(/ *\| */)
      .slice(1, -1);
  const shown = (isWriting ? computed : table!.trim().split('\n')).map(cells);
  expect(shown.filter((_row, index) => index !== 1)).toEqual([HEADING, ...rows]);
});

it('a host that refuses every request gets a bounded number of them', async () => {
  const { played, sent } = await playAt('refuses-everything');
  expect(played.failure).toMatchObject({ kind: 'bad_request' });
  expect(sent.length).toBeLessThanOrEqual(25);
});
