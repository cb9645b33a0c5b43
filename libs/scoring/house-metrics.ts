import { z } from 'zod';
import { CaseInput } from '#lib/contracts/case';
import { plainNumbers } from '#lib/contracts/json';
import type { MetricOptions } from '#lib/contracts/metric';
import { Tool } from '#lib/contracts/tool';
import type { Verdict } from '#lib/contracts/verdict';
import { checkCase } from './check-case.js';
import type { Similarities } from './match-arguments.js';
import { readReply } from './read-reply.js';
import { prepareCase } from './score-case.js';
import { scoreChain } from './score-chain.js';

const settled = {
  case: z.preprocess((value) => plainNumbers(value), z.object(CaseInput.shape)),
  tools: z.array(Tool).nullish().transform((tools) => tools ?? []),
  // Only code can hand these in: JSON holds no function.
  similarities: z.unknown().optional().transform((given) => (typeof given === 'function' ? (given as Similarities) : undefined)),
};
export const SingleTurnInput = z.object({ ...settled, reply: z.unknown() });
export const MultiTurnInput = z.object({ ...settled, rounds: z.array(z.object({ reply: z.unknown() })) });
type HouseOptions = MetricOptions<'toolmark.single_turn'>;

export function scoreSingleTurn(input: z.output<typeof SingleTurnInput>, options: HouseOptions) {
  refuse(input);
  const reply = readReply(input.reply, input.tools);
  return answer(prepareCase(input.case, input.tools, options.pass_threshold).score(reply, { similarities: input.similarities }));
}

export function scoreMultiTurn(input: z.output<typeof MultiTurnInput>, options: HouseOptions) {
  refuse(input);
  const rounds = input.rounds.map((round) => readReply(round.reply, input.tools));
  return answer(scoreChain(input.case, input.tools, options.pass_threshold, rounds, input.similarities));
}

const answer = ({ overall, called: _called, abstention: _abstention, ...verdict }: Verdict) => ({ score: overall, ...verdict });

/** @throws Error when a case cannot be scored. Its prompt is not needed here, nor that every tool is listed. */
function refuse({ case: input, tools, similarities }: { case: CaseInput; tools: readonly Tool[]; similarities?: Similarities }): void {
  const { messages: _messages, ...rest } = input;
  const faults = checkCase({ ...rest, prompt: '-' }, tools).filter((fault) => !fault.message.startsWith('No tool'));
  if (faults.length) throw new Error(faults.map((fault) => `/input/case${fault.path} ${fault.message}`).join(' '));
  const configs = [input.scoring_config, ...(input.expected_calls ?? []).map((call) => call.scoring_config)];
  const modes = [input.param_scoring, ...configs.flatMap((config) => [config?.mode, ...Object.values(config?.params ?? {}).map((rule) => rule.mode)])];
  if (!similarities && modes.includes('semantic')) throw new Error('"semantic" needs an embedding model, which offline scoring has not: use "fuzzy", or score it in a run.');
}
