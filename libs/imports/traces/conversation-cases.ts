import type { CaseInput } from '#lib/contracts/case';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { isObject, parseJson, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import { Tool, findToolFault } from '#lib/contracts/tool';
import { expectedArguments } from '#lib/scoring/arguments/matchers';
import {
  toPromptOrMessages,
  readGivenTools,
  SuiteTools,
  type SuiteDraft,
  type ImportSource,
} from '../source/import-source.js';
import { InferredTools } from '../source/inferred-tools.js';
import type { Warnings } from '../source/warnings.js';

export interface Call {
  tool: string;
  params: JsonObject;
}
/** One turn of a model and the messages before it. */
export interface Turn {
  line: number;
  name: string;
  before: JsonObject[];
  /** The calls of the turn. If it is empty, the case expects no call. */
  calls: Call[];
  /** The conversation's tools, or null if it does not list them. */
  tools: Tool[] | null;
  /** Further fields of the case. */
  more?: Pick<CaseInput, 'source' | 'draft'>;
}

/**
 * Builds cases from recorded conversations. The messages before a turn are the request, and the turn's calls are the
 * expectation.
 */
export class ConversationCases {
  readonly #given: Tool[];
  readonly #guesses = new InferredTools();
  readonly #turns: Turn[] = [];

  constructor(
    readonly settings: ImportSource['settings'],
    readonly warnings: Warnings,
  ) {
    this.#given = readGivenTools(settings);
  }

  add(turn: Turn): void {
    const { line, tools } = turn;
    const calls = turn.calls.map(({ tool, params }) => ({ tool, params: expectedArguments(params) }));
    for (const { tool, params } of calls) {
      if ([...(tools ?? []), ...this.#given].some((one) => one.function.name === tool)) continue;
      if (tools)
        this.warnings.addAtLine(
          line,
          `"${tool}" was called, but is not among the conversation's tools; it is added, as its calls show it`,
        );
      this.#guesses.addCall(tool, params);
    }
    this.#turns.push({ ...turn, calls });
  }

  draft(name: string): SuiteDraft {
    const [turns, guesses, warnings] = [this.#turns, this.#guesses, this.warnings];
    const shared = sharedTools(turns, guesses);
    const shelf = new SuiteTools(shared ?? this.#given);
    for (const tool of turns.some((turn) => turn.tools === null) ? guesses.list(warnings) : []) {
      const fault = findToolFault(tool);
      if (fault) warnings.add(`The tool "${tool.function.name}" is left out: it ${fault}`);
      else shelf.offer(tool);
    }
    for (const turn of turns) for (const tool of turn.tools ?? []) shelf.offer(tool);
    const suiteTools = shelf.list();
    if (turns.length > 0 && suiteTools.length === 0)
      throw new ProblemError(
        422,
        ['Nothing of the file can be imported: none of its tools can be used.', ...warnings.list().slice(0, 3)].join(
          ' ',
        ),
      );
    const [cases, lines]: [CaseInput[], number[]] = [[], []];
    for (const turn of turns) {
      const own = turn.tools && !shared ? withGuesses(turn, guesses) : undefined;
      const made: CaseInput = {
        name: turn.name,
        ...toPromptOrMessages(turn.before),
        ...expecting(turn.calls),
        ...(own && { tools: own }),
        ...turn.more,
      };
      if (own && own.length > MAX_TOOLS) {
        warnings.addAtLine(turn.line, `${turn.name}: left out, because it offers more than ${MAX_TOOLS} tools`);
        continue;
      }
      cases.push(made);
      lines.push(turn.line);
    }
    return { suite: { name, ...this.settings, tools: suiteTools, test_cases: cases }, lines, leaveOut: warnings };
  }
}

function expecting(calls: Call[]): Partial<CaseInput> {
  const [only] = calls;
  if (!only) return { expected_tool: null };
  return calls.length === 1
    ? { expected_tool: only.tool, expected_params: only.params }
    : { expected_calls: calls, call_order: 'any' };
}

/** The tools that all conversations share. They become the suite's tools, so that no case needs its own. */
function sharedTools(turns: readonly Turn[], guesses: InferredTools): Tool[] | undefined {
  const first = turns[0]?.tools;
  if (!first || turns.some(({ tools, calls }) => tools === null || calls.some(({ tool }) => guesses.has(tool))))
    return undefined;
  const text = JSON.stringify(first);
  return turns.every(({ tools }) => tools === first || JSON.stringify(tools) === text) ? first : undefined;
}

function withGuesses({ tools, calls }: Turn, guesses: InferredTools): Tool[] {
  const names = new Set(tools!.map((tool) => tool.function.name.toLowerCase()));
  const missing = [...new Set(calls.map(({ tool }) => tool))].filter(
    (name) => !names.has(name.toLowerCase()) && guesses.has(name),
  );
  return [...tools!, ...missing.map((name) => guesses.tool(name))];
}

/** Reads a call in the shape of chat completions. Returns null if its name or arguments cannot be read. */
export function readToolCall(call: Json): Call | null {
  const described = isObject(call) ? call.function : null;
  if (!isObject(described) || typeof described.name !== 'string') return null;
  try {
    const params =
      typeof described.arguments === 'string'
        ? parseJson(described.arguments.trim() || '{}')
        : (described.arguments ?? {});
    return isObject(params) ? { tool: described.name, params } : null;
  } catch {
    return null;
  }
}

/** Reads tools in OpenAI's shape, functions of older requests, and tools with `input_schema`. */
export function readTools(declared: Json, warn: (message: string) => void): Tool[] {
  const tools = new Map<string, Tool>();
  for (const one of Array.isArray(declared) ? declared : []) {
    const described = isObject(one) && isObject(one.function) ? one.function : one;
    if (!isObject(described)) continue;
    const { input_schema, cache_control: _cache, type: _type, ...rest } = described;
    const parsed = Tool.safeParse({
      type: 'function',
      function: {
        ...(described === one ? rest : described),
        ...(isObject(input_schema) && { parameters: input_schema }),
      },
    });
    const name = typeof described.name === 'string' ? described.name : '(without a name)';
    if (!parsed.success) warn(`the tool "${name}" cannot be used: ${toInputErrors(parsed.error.issues)[0]!.message}`);
    else if (!tools.has(name.toLowerCase())) tools.set(name.toLowerCase(), parsed.data);
  }
  return [...tools.values()];
}
