import type { CaseInput } from '#lib/contracts/case';
import { inputFaults } from '#lib/contracts/input-faults';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json';
import { ProblemError } from '#lib/contracts/problem';
import { MAX_TOOLS, Tool, ToolName } from '#lib/contracts/tool';
import { asked, DOLLAR_KEY, givenTools, holdsDollarKey, ToolShelf, type Draft, type Source } from './imported.js';
import { readLines } from './read-lines.js';
import { ToolGuesses } from './tool-guesses.js';
import type { Warnings } from './warnings.js';

interface Call {
  tool: string;
  params: JsonObject;
}
/** One turn of a model with calls, and what stood before it. */
interface Turn {
  line: number;
  name: string;
  before: JsonObject[];
  calls: Call[];
  /** Those of the conversation; null where it does not say. */
  tools: Tool[] | null;
}

/**
 * Conversations as OpenAI's chat completions have them, one a line: `messages` and, where known, `tools`. Each turn of the
 * assistant with calls becomes a case: what stood before it is asked, what was called is expected.
 */
export async function importChatLogs({ text, settings }: Source, warnings: Warnings): Promise<Draft> {
  const given = givenTools(settings);
  const known = new Set(given.map((tool) => tool.function.name));
  const guesses = new ToolGuesses();
  const turns: Turn[] = [];
  let conversations = 0;
  for await (const { line, value } of readLines(text, 'the log')) {
    const { messages, tools: declared, id } = conversation(line, value);
    conversations++;
    const tools = declared === null ? null : toolsOf(declared, (message) => warnings.at(line, message));
    const found = turnsOf(messages, (message) => warnings.at(line, message));
    if (found.length === 0) warnings.at(line, 'no assistant message with tool calls, left out');
    for (const [index, { before, calls, at }] of found.entries()) {
      const name = `${id ?? `line ${line}`}${found.length > 1 ? ` turn ${index + 1}` : ''}`;
      if (before.length === 0) {
        warnings.at(line, `message ${at + 1} has calls, but nothing was said before it; left out`);
        continue;
      }
      const available = tools ?? given;
      for (const { tool, params } of calls) {
        if (available.some((one) => one.function.name === tool) || known.has(tool)) continue;
        if (tools) warnings.at(line, `"${tool}" was called, but is not among the conversation's tools; it is added, as its calls show it`);
        guesses.note(tool, params);
      }
      turns.push({ line, name: name.slice(0, 200), before, calls, tools });
    }
  }
  if (conversations === 0) throw new ProblemError(422, 'The file holds no conversation: a line is {"messages": [...], "tools": [...]}.');

  const shared = sharedTools(turns, guesses);
  const shelf = new ToolShelf(shared ?? given);
  for (const tool of turns.some((turn) => turn.tools === null) ? guesses.list(warnings) : []) shelf.offer(tool);
  for (const turn of turns) for (const tool of turn.tools ?? []) shelf.offer(tool);
  const suiteTools = shelf.list();
  const [cases, lines]: [CaseInput[], number[]] = [[], []];
  for (const turn of turns) {
    const own = turn.tools && !shared ? withGuesses(turn, guesses) : undefined;
    const made: CaseInput = { name: turn.name, ...asked(turn.before), ...expecting(turn.calls), ...(own && { tools: own }) };
    const wrong = own && own.length > MAX_TOOLS ? `it offers more than ${MAX_TOOLS} tools` : turn.calls.some(({ params }) => holdsDollarKey(params)) ? DOLLAR_KEY : undefined;
    if (wrong) {
      warnings.at(turn.line, `${turn.name}: left out, because ${wrong}`);
      continue;
    }
    cases.push(made);
    lines.push(turn.line);
  }
  return { suite: { name: 'Imported conversations', ...settings, tools: suiteTools, test_cases: cases }, lines, leaveOut: warnings };
}

function expecting(calls: Call[]): Partial<CaseInput> {
  const [only] = calls as [Call];
  return calls.length === 1 ? { expected_tool: only.tool, expected_params: only.params } : { expected_calls: calls, call_order: 'any' };
}

/** The tools of all conversations, if they are the same everywhere: then they are the suite's, and no case needs its own. */
function sharedTools(turns: readonly Turn[], guesses: ToolGuesses): Tool[] | undefined {
  const first = turns[0]?.tools;
  if (!first || turns.some(({ tools, calls }) => tools === null || calls.some(({ tool }) => guesses.has(tool)))) return undefined;
  const text = JSON.stringify(first);
  return turns.every(({ tools }) => tools === first || JSON.stringify(tools) === text) ? first : undefined;
}

function withGuesses({ tools, calls }: Turn, guesses: ToolGuesses): Tool[] {
  const names = new Set(tools!.map((tool) => tool.function.name.toLowerCase()));
  const missing = [...new Set(calls.map(({ tool }) => tool))].filter((name) => !names.has(name.toLowerCase()) && guesses.has(name));
  return [...tools!, ...missing.map((name) => guesses.tool(name))];
}

/** A line in one of the shapes that logs have: a conversation, or a request with its response. */
function conversation(line: number, value: JsonObject): { messages: JsonObject[]; tools: Json | null; id: string | undefined } {
  const request = [value.request, value.body, value.input].find((part) => isObject(part) && Array.isArray(part.messages));
  const holder = isObject(request) ? request : value;
  if (!Array.isArray(holder.messages) || !holder.messages.every((message) => isObject(message) && typeof message.role === 'string')) {
    throw new ProblemError(422, `Line ${line} has no "messages", a list of objects with a "role". Nothing was imported.`);
  }
  const response = [value.response, value.output, value].find((part) => isObject(part) && Array.isArray(part.choices));
  const choice = isObject(response) ? (response.choices as Json[])[0] : undefined;
  const reply = isObject(choice) && isObject(choice.message) ? [choice.message] : [];
  const id = [value.id, value.name, value.custom_id].find((one) => typeof one === 'string' && one !== '');
  return { messages: modern([...(holder.messages as JsonObject[]), ...reply]), tools: holder.tools ?? value.tools ?? holder.functions ?? value.functions ?? null, id: id as string | undefined };
}

/** The older `function_call` and role "function" as tool calls and their answers. */
function modern(messages: JsonObject[]): JsonObject[] {
  let last = '';
  return messages.map((message, index) => {
    const { function_call, weight: _weight, ...rest } = message;
    if (isObject(function_call)) return { ...rest, content: rest.content ?? null, tool_calls: [{ id: (last = `call_${index}`), type: 'function', function: function_call }] };
    if (message.role === 'function') return { role: 'tool', tool_call_id: last, content: message.content ?? '' };
    return 'weight' in message ? rest : message;
  });
}

function turnsOf(messages: JsonObject[], warn: (message: string) => void): { before: JsonObject[]; calls: Call[]; at: number }[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls) || message.tool_calls.length === 0) return [];
    const calls = message.tool_calls.map(readCall);
    if (calls.includes(null)) {
      warn(`message ${at + 1} has a call whose name or arguments cannot be read, left out`);
      return [];
    }
    return [{ before: messages.slice(0, at), calls: calls as Call[], at }];
  });
}

function readCall(call: Json): Call | null {
  const described = isObject(call) ? call.function : null;
  if (!isObject(described) || typeof described.name !== 'string') return null;
  try {
    const params = typeof described.arguments === 'string' ? parseJson(described.arguments.trim() || '{}') : (described.arguments ?? {});
    return isObject(params) ? { tool: described.name, params } : null;
  } catch {
    return null;
  }
}

/** Tools in OpenAI's shape, functions of the older requests, and those with `input_schema`. */
export function toolsOf(declared: Json, warn: (message: string) => void): Tool[] {
  const tools = new Map<string, Tool>();
  for (const one of Array.isArray(declared) ? declared : []) {
    const described = isObject(one) && isObject(one.function) ? one.function : one;
    if (!isObject(described)) continue;
    const { input_schema, cache_control: _cache, type: _type, ...rest } = described;
    const parsed = Tool.safeParse({ type: 'function', function: { ...(described === one ? rest : described), ...(isObject(input_schema) && { parameters: input_schema }) } });
    const name = typeof described.name === 'string' ? described.name : '(without a name)';
    if (!parsed.success || !ToolName.safeParse(name).success) warn(`the tool "${name}" cannot be used: ${parsed.success ? '' : inputFaults(parsed.error.issues)[0]!.message}`);
    else if (!tools.has(name.toLowerCase())) tools.set(name.toLowerCase(), parsed.data);
  }
  return [...tools.values()];
}
