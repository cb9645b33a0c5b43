import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { ConversationCases, readToolCall, readTools, type Call } from './conversation-cases.js';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readLines } from '../source/read-lines.js';
import type { Warnings } from '../source/warnings.js';

/**
 * Imports conversations in the shape of OpenAI's chat completions, one per line: `messages` and, if known, `tools`.
 * Each assistant turn with calls becomes a case. The messages before it are the request, and its calls are expected.
 */
export async function importChatLogs({ text, settings }: ImportSource, warnings: Warnings): Promise<SuiteDraft> {
  const cases = new ConversationCases(settings, warnings);
  let conversations = 0;
  for await (const { line, value } of readLines(text, 'the log')) {
    const { messages, tools: declared, id } = conversation(line, value);
    conversations++;
    const tools = declared === null ? null : readTools(declared, (message) => warnings.addAtLine(line, message));
    const found = turnsOf(messages, (message) => warnings.addAtLine(line, message));
    if (found.length === 0) warnings.addAtLine(line, 'no assistant message with tool calls, left out');
    for (const [index, { before, calls, at }] of found.entries()) {
      const name = `${id ?? `line ${line}`}${found.length > 1 ? ` turn ${index + 1}` : ''}`;
      if (before.length === 0)
        warnings.addAtLine(line, `message ${at + 1} has calls, but nothing was said before it; left out`);
      else cases.add({ line, name: name.slice(0, 200), before, calls, tools });
    }
  }
  if (conversations === 0)
    throw new ProblemError(422, 'The file holds no conversation: a line is {"messages": [...], "tools": [...]}.');
  return cases.draft('Imported conversations');
}

/** Reads a line in one of the shapes that logs have: a conversation, or a request with its response. */
function conversation(
  line: number,
  value: JsonObject,
): { messages: JsonObject[]; tools: Json | null; id: string | undefined } {
  const request = [value.request, value.body, value.input].find(
    (part) => isObject(part) && Array.isArray(part.messages),
  );
  const holder = isObject(request) ? request : value;
  if (
    !Array.isArray(holder.messages) ||
    !holder.messages.every((message) => isObject(message) && typeof message.role === 'string')
  ) {
    throw new ProblemError(
      422,
      `Line ${line} has no "messages", a list of objects with a "role". Nothing was imported.`,
    );
  }
  const response = [value.response, value.output, value].find((part) => isObject(part) && Array.isArray(part.choices));
  const choice = isObject(response) ? (response.choices as Json[])[0] : undefined;
  const reply = isObject(choice) && isObject(choice.message) ? [choice.message] : [];
  const id = [value.id, value.name, value.custom_id].find((one) => typeof one === 'string' && one !== '');
  return {
    messages: modern([...(holder.messages as JsonObject[]), ...reply]),
    tools: holder.tools ?? value.tools ?? holder.functions ?? value.functions ?? null,
    id: id as string | undefined,
  };
}

/** Turns the older `function_call` and the role "function" into tool calls and their answers. */
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

function turnsOf(
  messages: JsonObject[],
  warn: (message: string) => void,
): { before: JsonObject[]; calls: Call[]; at: number }[] {
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
