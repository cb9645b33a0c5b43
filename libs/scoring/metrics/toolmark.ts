import { z } from 'zod';
import { CaseInput } from '#lib/contracts/case';
import { isObject, unwrapNumbers } from '#lib/contracts/json/json';
import { Tool } from '#lib/contracts/tool';
import { conversionWarnings, flattenDeclarations } from '#lib/contracts/input/tool-shapes';
import { SCORING_VERSION } from '#lib/contracts/values/verdicts';
import type { Verdict } from '#lib/contracts/verdict';
import { mergeConversation } from '../conversation/merge.js';
import { playReplies } from '../conversation/play-replies.js';
import { schemaFault } from '../conversation/schema-fault.js';
import { CONVERSATION_VERSION, scoreConversation } from '../conversation/score.js';
import { saidIn } from '../replies/thoughts.js';
import { checkCase } from '../checks/check-case.js';
import type { SimilarityLookup } from '../arguments/compare-leaves.js';
import { parseReply, type ParsedReply } from '../replies/parse-reply.js';
import { expectedCalls, prepareCase } from '../house/score-case.js';
import { scoreChain } from '../house/score-chain.js';
import { metric, NO_OPTIONS, PARIS_CALL, replyWith, type PlayedCase } from './metric.js';

const caseAndTools = {
  // A case in its input form, or as the API returns it.
  case: z
    .preprocess(
      (value) => unwrapNumbers(value),
      z.strictObject({ ...CaseInput.shape, id: z.string().optional(), position: z.int().optional() }),
    )
    .meta({ description: 'The case as in a suite; its prompt is not needed.' }),
  tools: z
    .preprocess(flattenDeclarations, z.array(Tool).nullish())
    .meta({ description: 'The tools that the model was offered.' }),
};
const reply = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .meta({ description: 'What the model replied: an assistant message of a chat completion.' });
const SingleTurnInput = z.strictObject({ ...caseAndTools, reply });
const MultiTurnInput = z.strictObject({
  ...caseAndTools,
  rounds: z
    .array(
      z.strictObject({
        reply,
        tool_messages: z
          .unknown()
          .optional()
          .meta({ description: 'What the tools answered; it does not affect the score.' }),
      }),
    )
    .min(1)
    .meta({ description: 'The replies of the chain, in order.' }),
});

const options = z.strictObject({
  pass_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: 'The overall score from which a case passes.' }),
});
type Options = z.output<typeof options>;

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const news = { type: 'function', function: { name: 'news' } };
const expectParis = { expected_tool: 'weather', expected_params: { city: 'Paris' } };

export const toolmarkSingleTurn = metric({
  id: 'toolmark.single_turn',
  reference: 'Toolmark',
  version: String(SCORING_VERSION),
  meaning: 'The verdict on one reply: tool, parameters, overall.',
  options,
  input: SingleTurnInput,
  score: scoreSingleTurn,
  example: { input: { case: expectParis, tools: [weather], reply: replyWith(PARIS_CALL) } },
  records: 'reply',
  fromCase: ({ case: input, tools, rounds }) =>
    input.multi_turn || input.conversation
      ? { notApplicable: input.conversation ? 'The case is a conversation.' : 'The case is a chain.' }
      : { input: { case: input, tools, reply: rounds[0]?.message } },
});

export const toolmarkMultiTurn = metric({
  id: 'toolmark.multi_turn',
  reference: 'Toolmark',
  version: String(SCORING_VERSION),
  meaning: 'The verdict on a chain of rounds.',
  options,
  input: MultiTurnInput,
  score: scoreMultiTurn,
  example: {
    input: {
      case: { ...expectParis, multi_turn: true, optimal_hops: 1 },
      tools: [weather, news],
      rounds: [{ reply: replyWith({ name: 'news', arguments: {} }) }, { reply: replyWith(PARIS_CALL) }],
    },
  },
  records: 'rounds',
  fromCase: ({ case: input, tools, rounds }) =>
    input.multi_turn
      ? { input: { case: input, tools, rounds: rounds.map(({ message }) => ({ reply: message })) } }
      : { notApplicable: 'The case is not a chain.' },
});

const ConversationInput = z.strictObject({
  ...caseAndTools,
  rounds: z
    .array(z.strictObject({ reply }))
    .min(1)
    .meta({ description: 'The replies of the conversation, in order; the rules of the case answer their calls.' }),
});
const askedTool = {
  state: { days: { Paris: 'sunny' } },
  tools: { weather: [{ respond: { $state: '/days/{city}' } }] },
  goal: { calls: [{ tool: 'weather', params: { city: 'Paris' } }], answer: [{ contains: 'sunny' }] },
};

export const toolmarkConversation = metric({
  id: 'toolmark.conversation',
  reference: 'Toolmark',
  version: String(CONVERSATION_VERSION),
  meaning: 'The verdict on a conversation: calls, state and answer, by its goal.',
  options: NO_OPTIONS,
  input: ConversationInput,
  score: scoreReplies,
  example: {
    input: {
      case: { conversation: askedTool },
      tools: [weather],
      rounds: [{ reply: replyWith(PARIS_CALL) }, { reply: { role: 'assistant', content: 'It is sunny in Paris.' } }],
    },
  },
  records: 'rounds',
  fromCase: (played) =>
    played.case.conversation
      ? { score: scorePlayed({ ...played, rounds: played.rounds.map(readRound) }) }
      : { notApplicable: 'The case is not a conversation.' },
});

function scoreReplies(input: z.output<typeof ConversationInput>, _options: unknown, similarities?: SimilarityLookup) {
  if (!input.case.conversation) throw new Error('/input/case/conversation is missing: the case is not a conversation.');
  const tools = toolsFor(input, similarities);
  const rounds = input.rounds.map(({ reply: message }) => readRound({ message, reply: parseRecorded(message, tools) }));
  return scorePlayed({ case: mergeConversation(input.case), tools, rounds, ...(similarities && { similarities }) });
}

const readRound = ({ message, reply }: PlayedCase['rounds'][number]) => ({
  reply,
  text: isObject(message) ? saidIn(message) : '',
});

/** Judges a conversation as it was played, or as its rules would have played it. */
function scorePlayed(of: Omit<PlayedCase, 'rounds'> & { rounds: readonly ReturnType<typeof readRound>[] }) {
  const { case: input, tools, similarities } = of;
  const { rounds: answers, ...ended } = of.played ?? playReplies({ input, tools, replies: of.rounds, schemaFault });
  const rounds = answers.map((played, index) => ({ ...of.rounds[index]!, played }));
  return toResult(scoreConversation({ input, tools, rounds, ...ended, similarities }), tools);
}

function scoreSingleTurn(input: z.output<typeof SingleTurnInput>, options: Options, similarities?: SimilarityLookup) {
  const tools = toolsFor(input, similarities);
  return toResult(
    prepareCase(input.case, tools, options.pass_threshold).score(parseRecorded(input.reply, tools), { similarities }),
    tools,
  );
}

function scoreMultiTurn(input: z.output<typeof MultiTurnInput>, options: Options, similarities?: SimilarityLookup) {
  const tools = toolsFor(input, similarities);
  return toResult(
    scoreChain(
      input.case,
      tools,
      options.pass_threshold,
      input.rounds.map((round) => parseRecorded(round.reply, tools)),
      similarities,
    ),
    tools,
  );
}

/** Reads a message; its `finish_reason` may say how the reply ended. */
function parseRecorded(reply: unknown, tools: readonly Tool[]): ParsedReply {
  const reason = isObject(reply) ? reply.finish_reason : undefined;
  return parseReply(reply, tools, { finishReason: typeof reason === 'string' ? reason : null });
}

function toResult({ overall, called: _called, abstention: _abstention, ...verdict }: Verdict, tools: readonly Tool[]) {
  const warnings = conversionWarnings(tools);
  return { score: overall, ...verdict, ...(warnings.length > 0 && { warnings }) };
}

/**
 * The tools given along with a case; none if they are null or the case has its own.
 * @throws Error when the case cannot be scored. It needs no prompt here, and its tools need not all be listed.
 */
function toolsFor(
  { case: input, tools: given }: { case: CaseInput; tools?: Tool[] | null },
  similarities?: SimilarityLookup,
): readonly Tool[] {
  if (given === undefined && !input.tools)
    throw new Error('/input/tools is missing: the tools that the model was offered, or [].');
  const tools = given ?? [];
  const { messages: _messages, ...rest } = input;
  const faults = checkCase({ ...rest, prompt: '-' }, tools).filter((fault) => !fault.message.startsWith('No tool'));
  if (faults.length) throw new Error(faults.map((fault) => `/input/case${fault.path} ${fault.message}`).join(' '));
  const configs = [input.scoring_config, ...expectedCalls(input).map((call) => call.scoring_config)];
  const modes = [
    input.param_scoring,
    ...configs.flatMap((config) => [config?.mode, ...Object.values(config?.params ?? {}).map((rule) => rule.mode)]),
  ];
  if (!similarities && modes.includes('semantic'))
    throw new Error(
      '"semantic" needs an embedding model, which offline scoring does not have: use "fuzzy", or score it in a run.',
    );
  return tools;
}
