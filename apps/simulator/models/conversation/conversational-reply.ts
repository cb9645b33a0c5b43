import { isDeepStrictEqual } from 'node:util';
import { textOf, type Call, type ChatRequest, type Reply, type Tool } from '../../formats/chat-completions.js';
import { meanings } from '../words.js';
import { fill, intentsOf, type Intent } from './intents.js';
import { policyIn, type Policy } from './policy.js';
import { readTurns, valueUnder, type Outcome, type Turn } from './read-turns.js';

/** How a model behaves in conversations. */
export type Manner = 'follows-rules' | 'claims-success' | 'loops-on-errors' | 'gives-up' | 'reads-too-much';

const MAX_TRIES = 3;
const MAY_SUCCEED_LATER = /\bagain\b|\bbusy\b|timed? ?out|temporar/i;
const READS = /^(get|list|search|find|track|check|read|show|count)_/;
const LOOKS_UP = /^(list|search|find)_/;
/** Words that do not follow the rule. */
const PARTICIPLES: Record<string, string> = {
  cancel: 'cancelled',
  lend: 'lent',
  send: 'sent',
  make: 'made',
  set: 'set',
  put: 'put',
};

/** What comes next for what the user wants: calls, or words at its end. */
type Step = { calls: Call[] } | { say: string };

interface Scene {
  manner: Manner;
  turns: Turn[];
  tools: Tool[];
  policy: Policy;
}

/**
 * Replies in a conversation: it calls what the user wants by the words of their last message, keeps the order of calls
 * that the system prompt demands (`policyIn`), tries again what may succeed later, and at the end says what came out.
 * All but `follows-rules` go wrong in the one way that their name says.
 */
export function conversationalReply(request: ChatRequest, manner: Manner): Reply {
  const { messages, tools = [] } = request;
  const turns = readTurns(messages);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const scene: Scene = { manner, turns, tools, policy: policyIn(system.join('\n')) };
  const now = turns.at(-1)?.outcomes ?? [];
  if (manner === 'gives-up' && now.some(({ fault }) => fault))
    return say('I am sorry, something went wrong. I cannot help with that.');
  const intents = intentsOf(turns, tools);
  if (manner === 'reads-too-much' && now.length === 0) {
    const calls = readable(scene);
    if (calls.length > 0) return { content: null, calls };
  }
  const said: string[] = [];
  for (const intent of intents) {
    const step = nextStep(intent, scene);
    if ('calls' in step) return { content: null, calls: step.calls };
    said.push(step.say);
  }
  return say(said.length > 0 ? said.join(' ') : 'You are welcome. Is there anything else?');
}

const say = (content: string): Reply => ({ content, calls: [] });

/** Every read for which the user has named all arguments. */
const readable = ({ tools, turns }: Scene): Call[] =>
  tools
    .filter(({ function: { name } }) => READS.test(name))
    .map((tool) => fill(tool, turns.at(-1)!.text, turns))
    .filter(({ missing }) => missing.length === 0)
    .map(callOf);

const callOf = (intent: Intent): Call => ({ name: intent.tool.function.name, arguments: intent.arguments });

function nextStep(intent: Intent, scene: Scene): Step {
  const { name } = intent.tool.function;
  if (scene.manner === 'claims-success' && !READS.test(name)) return { say: report(intent) };
  const lookup = intent.missing.length > 0 ? lookUp(intent, scene) : undefined;
  if (lookup) return lookup;
  if (intent.missing.length > 0) return { say: `Which ${intent.missing.join(' and ')} do you mean?` };
  for (const first of scene.policy.before.get(name) ?? []) {
    const tool = scene.tools.find((other) => other.function.name === first);
    const outcome = tool && play(callOf({ ...fill(tool, '', scene.turns), ...sharedArguments(tool, intent) }), scene);
    if (outcome && !('text' in outcome)) return outcome;
    const refusal = outcome && refusalOf(intent, outcome, scene.policy);
    if (refusal) return { say: refusal };
  }
  const outcome = play(callOf(intent), scene);
  return 'text' in outcome ? { say: report(intent, outcome) } : outcome;
}

/** The arguments of a call that comes first, of those of the call that is wanted. */
const sharedArguments = (tool: Tool, intent: Intent): Pick<Intent, 'arguments'> => ({
  arguments: Object.fromEntries(
    Object.keys(tool.function.parameters?.properties ?? {}).flatMap((key) =>
      Object.hasOwn(intent.arguments, key) ? [[key, intent.arguments[key]]] : [],
    ),
  ),
});

/** Looks up what is missing, once: for an `order`, by a tool such as `list_orders`. */
function lookUp({ missing }: Intent, scene: Scene): Step | undefined {
  const words = meanings(missing[0]!);
  const tool = scene.tools.find(
    ({ function: { name } }) => LOOKS_UP.test(name) && words.every((word) => meanings(name).includes(word)),
  );
  const intent = tool && fill(tool, scene.turns.at(-1)!.text, scene.turns);
  if (!intent || intent.missing.length > 0) return undefined;
  const outcome = play(callOf(intent), scene);
  return 'text' in outcome ? undefined : outcome;
}

/** The outcome of a call, or the step that leads to it or gives it up. */
function play(call: Call, { manner, turns }: Scene): Outcome | Step {
  const isSame = (outcome: Outcome): boolean =>
    outcome.name === call.name && isDeepStrictEqual(outcome.arguments, call.arguments);
  const tries = turns.at(-1)!.outcomes.filter(isSame);
  const last =
    tries.at(-1) ?? (READS.test(call.name) ? turns.flatMap((turn) => turn.outcomes).findLast(isSame) : undefined);
  if (!last) return { calls: [call] };
  if (!last.fault) return last;
  const mayTryAgain = last.fault === 'unreadable' || MAY_SUCCEED_LATER.test(last.text);
  if (manner === 'loops-on-errors' || (mayTryAgain && tries.length < MAX_TRIES)) return { calls: [call] };
  return { say: `I am sorry, that did not work: ${last.text}` };
}

/** "I cannot cancel order O-19: its status is shipped." */
function refusalOf(intent: Intent, { value }: Outcome, { onlyIf }: Policy): string | undefined {
  const rule = onlyIf.get(intent.tool.function.name);
  const actual = rule && valueUnder(value, rule.field);
  if (!rule || actual === undefined || rule.values.includes(String(actual))) return undefined;
  return `I cannot ${intent.tool.function.name.replaceAll('_', ' ')} here: its ${rule.field} is ${String(actual)}.`;
}

/** What a call came to, in words: "order cancelled: O-17. status: cancelled." */
function report(intent: Intent, outcome?: Outcome): string {
  const { name } = intent.tool.function;
  const [verb = '', ...things] = name.split('_');
  const values = scalars(outcome?.value).join(', ');
  if (READS.test(name)) return `Here is what I found: ${values}.`;
  const done = PARTICIPLES[verb] ?? verb.replace(/y$/, 'i').replace(/e?$/, 'ed');
  const given = Object.entries(intent.arguments).map(([key, value]) => `${key} ${String(value)}`);
  return `Done, ${things.join(' ')} ${done} (${given.join(', ')}).${values ? ` It says ${values}.` : ''}`;
}

/** All scalars of a JSON value as "key: value", up to 100. */
function scalars(value: unknown, key = ''): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [key ? `${key}: ${String(value)}` : String(value)];
  const inner = Array.isArray(value)
    ? value.map((item) => scalars(item))
    : Object.entries(value).map(([k, v]) => scalars(v, k));
  return inner.flat().slice(0, 100);
}
