import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { BatchPairs, isChatCompletion, type Exchange } from './batch-pairs.js';
import { toChatMessages, UnreadableMessage } from './chat-messages.js';
import { ConversationCases, readToolCall, readTools, type Call } from './conversation-cases.js';
import { readProposal } from './proposal.js';
import { readReply } from './recorded-reply.js';
import { flattenTools, readRequest } from './recorded-request.js';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readLines } from '../source/read-lines.js';
import type { Warnings } from '../source/warnings.js';

interface Conversation {
  line: number;
  id: string | undefined;
  messages: JsonObject[];
  tools: Tool[] | null;
}
interface Turn {
  before: JsonObject[];
  calls: Call[];
  at: number;
}

/**
 * Imports conversations in the shape of OpenAI's chat completions, one per line: `messages` and, if known, `tools`.
 * Each assistant turn with calls becomes a case. The messages before it are the request, and its calls are the
 * expectation. Requests with their replies, in one line or in the two files of a batch, may be in any provider's
 * format.
 */
export async function importChatLogs({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const logs = new ChatLogs(new ConversationCases(settings, warnings), warnings);
  const pairs = new BatchPairs();
  for await (const { line, value } of readLines(text, 'the log')) {
    if (Array.isArray(value.messages) || !pairs.add(line, value)) logs.addConversation(line, value);
  }
  const exchanges = pairs.list();
  for (const exchange of exchanges) logs.addExchange(exchange);
  if (logs.conversations === 0)
    throw new ProblemError(
      422,
      exchanges.length > 0
        ? `The file holds replies of a batch without their requests: ${ADD_BATCH_INPUT}.`
        : 'The file holds no conversation: a line is {"messages": [...], "tools": [...]}.',
    );
  return logs.cases.draft('Imported conversations');
}

const ADD_BATCH_INPUT = "add the lines of the batch's input file to those of its output file";

class ChatLogs {
  conversations = 0;

  constructor(
    readonly cases: ConversationCases,
    readonly warnings: Warnings,
  ) {}

  /** @throws ProblemError 422 if the line is not a conversation */
  addConversation(line: number, value: JsonObject): void {
    const { messages } = value;
    if (!Array.isArray(messages) || !messages.every((one) => isObject(one) && typeof one.role === 'string'))
      throw new ProblemError(
        422,
        `Line ${line} has no "messages", a list of objects with a "role". Nothing was imported.`,
      );
    const response = [value.response, value.output, value].find(
      (part) => isObject(part) && Array.isArray(part.choices),
    );
    const choice = isObject(response) ? (response.choices as Json[])[0] : undefined;
    const reply = isObject(choice) && isObject(choice.message) ? [choice.message] : [];
    const id = [value.id, value.name, value.custom_id].find((one) => typeof one === 'string' && one !== '');
    const warn = (message: string): void => this.warnings.addAtLine(line, message);
    this.conversations++;
    try {
      const asked = requestOf(value, warn);
      const conversation = { ...asked, line, id: id as string | undefined };
      this.#addTurns(
        conversation,
        turnsOf([...asked.messages, ...modern(reply)], warn),
        'no assistant message with tool calls',
      );
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      warn(`left out, because ${error.message}`);
    }
  }

  /** Adds a request with its reply, or a warning if a case cannot represent them. */
  addExchange({ line, id, request, outcome, isAmbiguous }: Exchange): void {
    const named = id === undefined ? '' : `"${id.slice(0, 100)}": `;
    const warn = (message: string): void => this.warnings.addAtLine(line, `${named}${message}`);
    if (request) this.conversations++;
    if (isAmbiguous) return warn('left out, because several lines with this id say different things');
    if (!request) return warn(`left out, because its request is not in the file: ${ADD_BATCH_INPUT}`);
    try {
      const asked = requestOf(request, warn);
      const turns = turnsOf(asked.messages, warn);
      const calls = outcome ? callsIn(outcome, asked.tools ?? []) : [];
      if (calls.length > 0) turns.push({ before: asked.messages, calls, at: asked.messages.length });
      const why = outcome
        ? 'no assistant message with tool calls'
        : `no reply to it is in the file (${ADD_BATCH_INPUT})`;
      this.#addTurns({ ...asked, line, id }, turns, why);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      warn(`left out, because ${error.message}`);
    }
  }

  #addTurns({ line, id, tools }: Conversation, turns: Turn[], otherwise: string): void {
    if (turns.length === 0) this.warnings.addAtLine(line, `${otherwise}, left out`);
    const named = id === undefined || id === '' ? `line ${line}` : id;
    for (const [index, { before, calls, at }] of turns.entries()) {
      const name = `${named}${turns.length > 1 ? ` turn ${index + 1}` : ''}`;
      if (before.length === 0)
        this.warnings.addAtLine(line, `message ${at + 1} has calls, but nothing was said before it; left out`);
      else this.cases.add({ line, name: name.slice(0, 200), before, calls, tools });
    }
  }
}

/** @throws UnreadableMessage */
function requestOf(
  request: JsonObject,
  warn: (message: string) => void,
): { messages: JsonObject[]; tools: Tool[] | null } {
  const isChat = isChatCompletion(request);
  const { messages, tools: found } = isChat ? { messages: request.messages!, tools: undefined } : readRequest(request);
  const declared = found ?? request.tools ?? request.functions ?? null;
  return {
    messages: isChat ? modern(messages as JsonObject[]) : toChatMessages(messages ?? []),
    tools: declared === null ? null : readTools(Array.isArray(declared) ? flattenTools(declared) : declared, warn),
  };
}

/** @throws UnreadableMessage if the request failed, or its reply cannot be read */
function callsIn({ body, failed }: NonNullable<Exchange['outcome']>, tools: Tool[]): Call[] {
  if (failed)
    throw new UnreadableMessage(`its request failed: ${toText(failed.error.message ?? failed.error).slice(0, 200)}`);
  const reply = readReply(body ?? null);
  return reply ? readProposal(reply, undefined, tools) : [];
}

/** Converts the older `function_call` and the role "function" to tool calls and their answers. */
function modern(messages: JsonObject[]): JsonObject[] {
  let last = '';
  return messages.map((message, index) => {
    const { function_call, weight: _weight, ...rest } = message;
    if (isObject(function_call))
      return {
        ...rest,
        content: rest.content ?? null,
        tool_calls: [{ id: (last = `call_${index}`), type: 'function', function: function_call }],
      };
    if (message.role === 'function') return { role: 'tool', tool_call_id: last, content: message.content ?? '' };
    return 'weight' in message ? rest : message;
  });
}

function turnsOf(messages: JsonObject[], warn: (message: string) => void): Turn[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls) || message.tool_calls.length === 0)
      return [];
    const calls = message.tool_calls.map(readToolCall);
    if (calls.includes(null)) {
      warn(`message ${at + 1} has a call whose name or arguments cannot be read, left out`);
      return [];
    }
    return [{ before: messages.slice(0, at), calls: calls as Call[], at }];
  });
}
