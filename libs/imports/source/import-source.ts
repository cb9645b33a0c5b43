import type { CaseInput } from '#lib/contracts/case';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { isObject, unwrapNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { SuiteFile } from '#lib/contracts/suite';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import { byteLength, MAX_TOOLS_BYTES, toolList, Tool, findToolFault } from '#lib/contracts/tool';
import { TextStream } from './text-stream.js';
import type { Warnings } from './warnings.js';

/** An unchecked suite read from another format, in the form in which its author would have written it. */
export interface SuiteDraft {
  suite: Record<string, unknown> & { test_cases: unknown[] };
  /** The line of each case in the file, for messages. Without it, messages name the case by its index. */
  lines?: number[];
  /**
   * Set for formats whose authors cannot adapt the file to Toolmark's rules. Cases that do not fit are then left out
   * with a warning, instead of failing the import.
   */
  leaveOut?: Warnings;
}

/** A file as it arrived, and the settings sent with it. */
export interface ImportSource {
  /** The text, whole or still arriving, or a list of its entries. */
  text: Json | TextStream;
  answers?: Json;
  /** Suite settings that the format cannot express. They override those in the file. */
  settings: Partial<Omit<SuiteFile, 'test_cases'>>;
}

const SETTINGS = ['name', 'description', 'system_prompt', 'pass_threshold', 'tools', 'conversation'] as const;
const TEXT_KEYS = ['text', 'questions', 'conversations', 'csv', 'yaml', 'jsonl'];
const ANSWER_KEYS = ['possible_answers', 'possible_answer', 'answers'];

/**
 * Reads a body: either the file itself (text or JSON), or an object that contains it along with the suite's settings.
 */
export function readSource(body: unknown, name: string | undefined): ImportSource {
  const named = name === undefined ? {} : { name };
  const holder =
    isObject(body) && !(body instanceof TextStream)
      ? TEXT_KEYS.find((key) => typeof body[key] === 'string' || Array.isArray(body[key]))
      : undefined;
  if (body instanceof TextStream) return { text: body, settings: named };
  if (!isObject(body) || holder === undefined) {
    if (body === undefined || body === '') throw new ProblemError(400, 'The body is empty: send the file.');
    return { text: body as Json, settings: named };
  }
  const answers = ANSWER_KEYS.find((key) => key in body);
  const known = new Set<string>([holder, ...SETTINGS, ...(answers ? [answers] : [])]);
  const unknownKey = Object.keys(body).find((key) => !known.has(key));
  if (unknownKey)
    throw new ProblemError(
      400,
      `/${unknownKey} is not a field that goes with "${holder}". Fields: ${[...SETTINGS, ANSWER_KEYS[0]].join(', ')}.`,
    );
  const settings = Object.fromEntries(SETTINGS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])));
  return {
    text: body[holder]!,
    ...(answers && { answers: body[answers] }),
    settings: { ...(unwrapNumbers(settings) as object), ...named },
  };
}

/** Reads the tools sent with a file and checks them against their schema. @throws ProblemError 400 */
export function readGivenTools(settings: ImportSource['settings']): Tool[] {
  if (settings.tools === undefined) return [];
  const parsed = toolList(Tool).safeParse(settings.tools);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = toInputErrors(parsed.error.issues) as [InputError];
  throw new ProblemError(400, `/tools${path} ${message}`);
}

/** The maximum number of additional tools that a suite offers for `distractors`. */
const MAX_COLLECTED_TOOLS = 128;

/** Collects the suite's tools if each case brings its own: the first ones with different names. */
export class SuiteTools {
  readonly #tools = new Map<string, Tool>();
  #bytes = 2; // The brackets of the list.
  constructor(given: readonly Tool[] = []) {
    for (const tool of given) this.#add(tool, MAX_TOOLS);
  }

  offer(tool: Tool): void {
    this.#add(tool, MAX_COLLECTED_TOOLS);
  }

  #add(tool: Tool, most: number): void {
    const name = tool.function.name.toLowerCase();
    if (this.#tools.size >= most || this.#tools.has(name) || findToolFault(tool)) return;
    const bytes = byteLength(tool) + 1;
    if (this.#bytes + bytes > MAX_TOOLS_BYTES) return;
    this.#bytes += bytes;
    this.#tools.set(name, tool);
  }

  list(): Tool[] {
    return [...this.#tools.values()];
  }
}

/** Converts a conversation to a case's fields. A single user message becomes the prompt. */
export function toPromptOrMessages(messages: readonly JsonObject[]): Pick<CaseInput, 'prompt' | 'messages'> {
  const [only] = messages;
  if (
    messages.length === 1 &&
    isObject(only) &&
    only.role === 'user' &&
    typeof only.content === 'string' &&
    only.content !== ''
  )
    return { prompt: only.content };
  return { messages: messages as CaseInput['messages'] };
}
