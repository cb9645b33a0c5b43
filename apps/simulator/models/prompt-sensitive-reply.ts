import { chance, hash } from '../formats/chance.js';
import { textOf, type ChatRequest, type Reply } from '../formats/chat-completions.js';
import type { ModelRequest } from './model-request.js';
import type { PromptSensitivity } from './prompt-sensitivity.js';
import { wrongRequiredArgument, wrongTool } from './spoil-reply.js';

/** How many distinct requests are counted. The oldest are dropped, to bound memory. */
const MAX_REQUESTS = 500_000;

/**
 * Replies correctly when the chance of the prompt and sample is below the skill that the request's prompts give. The
 * chance depends neither on them nor on the model name. So a better prompt breaks no case, and two models differ by
 * their prompts alone unless their seeds differ.
 */
export function promptSensitiveReply(asked: ModelRequest, sensitivity: PromptSensitivity): Reply {
  const sample = countSample(asked, sensitivity.asked);
  const draw = (what: string): number =>
    chance(asked.seed, sensitivity.seed, asked.request.seed ?? 0, asked.userText, sample, what);
  return replyWithSkill(asked, skillOf(asked.request, asked.userText, sensitivity), draw);
}

/** The correct reply to a share of all prompts, by random draw; a wrong argument or tool to the others. */
export function replyWithSkill(asked: ModelRequest, skill: number, draw: (what: string) => number): Reply {
  const right = asked.correctReply();
  if (draw('right') < skill) return right;
  const spoilt = draw('how') < 0.5 ? wrongRequiredArgument(right, draw('which')) : undefined;
  return spoilt ?? wrongTool(right, draw('which'));
}

/** The share of prompts that the model gets right with these prompts. Values below 0 mean none, above 1 all. */
function skillOf({ messages, tools = [] }: ChatRequest, prompt: string, sensitivity: PromptSensitivity): number {
  const system = systemOf(messages);
  const descriptions = tools.map(({ function: { name, description = '' } }) => ({
    where: `tools/${name}`,
    description,
  }));
  const textsAt = (where: string): string[] => [
    ...(where === 'any' || where === 'system' ? [system] : []),
    ...descriptions.filter((tool) => where === 'any' || where === tool.where).map(({ description }) => description),
  ];
  const gains = sensitivity.rules
    .filter(({ when }) => contains(prompt, when ?? ''))
    .filter(({ phrase, where }) => textsAt(where).some((text) => contains(text, phrase)))
    .map(({ gain }) => gain);
  const { too_long: limit } = sensitivity;
  const length = textsAt('any').reduce((sum, text) => sum + text.length, 0);
  const loss = limit && length > limit.chars ? limit.loss : 0;
  return gains.reduce((sum, gain) => sum + gain, sensitivity.base - loss);
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

const systemOf = (messages: ChatRequest['messages']): string =>
  messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content))
    .join('\n\n');

/**
 * The sample number: how often the prompt was sent before with the same system message, tools and settings. A run with
 * another prompt therefore starts at 0 again, and gets the same draws as the run before it.
 */
export function countSample({ request, prompt }: ModelRequest, asked: Map<string, number>): number {
  const { messages, ...settings } = request;
  const key = `${hash(JSON.stringify([settings, systemOf(messages)]))} ${prompt}`;
  const before = asked.get(key) ?? 0;
  if (before === 0 && asked.size >= MAX_REQUESTS) asked.delete(asked.keys().next().value!);
  asked.set(key, before + 1);
  return before;
}
