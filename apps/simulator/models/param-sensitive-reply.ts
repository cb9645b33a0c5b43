import { chance } from '../formats/chance.js';
import type { ChatRequest, Reply } from '../formats/chat-completions.js';
import type { ModelRequest } from './model-request.js';
import { countSample, replyWithSkill } from './prompt-sensitive-reply.js';

/**
 * Replies correctly when the chance of the prompt and sample is below the skill that the request's parameters give. The
 * chance depends neither on them nor on the model name, so better parameters break no case.
 */
export function paramSensitiveReply(asked: ModelRequest): Reply {
  const sample = countSample(asked, asked.state.paramsAsked);
  const draw = (what: string): number => chance(asked.seed, asked.userText, sample, what);
  return replyWithSkill(asked, skillOf(asked.request), draw);
}

/**
 * The share of prompts that the model gets right: 0.55 at a temperature of 1, 0.85 at 0.3, its optimum; 0.1 more with a
 * `top_p` of at most 0.5, and 0.15 less where tool calls are optional.
 */
function skillOf({ temperature = 1, top_p: topP = 1, tool_choice: choice = 'auto' }: ChatRequest): number {
  const distance = Math.min(1, Math.abs(temperature - 0.3) / 0.7);
  return 0.85 - 0.3 * distance + (topP <= 0.5 ? 0.1 : 0) - (choice === 'auto' ? 0.15 : 0);
}
