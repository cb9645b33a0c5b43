import type { CaseInput } from '#lib/contracts/case';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import { isObject, unwrapNumbers, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { SuiteFile } from '#lib/contracts/suite';
import { byteLength, MAX_TOOLS_BYTES, toolList, MAX_TOOLS, Tool, findToolFault } from '#lib/contracts/tool';
import { TextStream } from './text-stream.js';
import type { Warnings } from './warnings.js';

/** What a file in another format says: a suite as its author would have written it, not yet checked. */
export interface SuiteDraft {
  suite: Record<string, unknown> & { test_cases: unknown[] };
  /** Where each case stands in the file, for messages; without it a message says which case it is. */
  lines?: number[];
  /**
   * Of a format that its author cannot bend to our rules: what does not fit is left out and told here, instead of
   * refusing all.
   */
  leaveOut?: Warnings;
}

/** A file as it came, and what was said beside it. */
export interface ImportSource {
  /** The text, as it comes in or whole, or a list of its entries. */
  text: Json | TextStream;
  answers?: Json;
  /** Settings of the suite that the format cannot say; what the file says itself counts less. */
  settings: Partial<Omit<SuiteFile, 'test_cases'>>;
}

const SETTINGS = ['name', 'description', 'system_prompt', 'pass_threshold', 'tools'] as const;
const TEXT_KEYS = ['text', 'questions', 'conversations', 'csv', 'yaml', 'jsonl'];
const ANSWER_KEYS = ['possible_answers', 'possible_answer', 'answers'];

/** What a body means: the file itself (a text, or JSON), or an object that holds it with the suite's settings. */
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
  const stranger = Object.keys(body).find((key) => !known.has(key));
  if (stranger)
    throw new ProblemError(
      400,
      `/${stranger} is no field beside "${holder}". Fields: ${[...SETTINGS, ANSWER_KEYS[0]].join(', ')}.`,
    );
  const settings = Object.fromEntries(SETTINGS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])));
  return {
    text: body[holder]!,
    ...(answers && { answers: body[answers] }),
    settings: { ...(unwrapNumbers(settings) as object), ...named },
  };
}

/** Tools given beside a file, checked by their schema. @throws ProblemError 400 */
export function readGivenTools(settings: ImportSource['settings']): Tool[] {
  if (settings.tools === undefined) return [];
  const parsed = toolList(Tool).safeParse(settings.tools);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = toInputErrors(parsed.error.issues) as [InputError];
  throw new ProblemError(400, `/tools${path} ${message}`);
}

/**
 * The first tools with different names, as many as a suite may have: what the suite itself offers where each case
 * brings tools of its own.
 */
export class SuiteTools {
  readonly #tools = new Map<string, Tool>();
  #bytes = 2; // The brackets of the list.
  constructor(given: readonly Tool[] = []) {
    for (const tool of given) this.offer(tool);
  }

  offer(tool: Tool): void {
    const name = tool.function.name.toLowerCase();
    if (this.#tools.size >= MAX_TOOLS || this.#tools.has(name) || findToolFault(tool)) return;
    const bytes = byteLength(tool) + 1;
    if (this.#bytes + bytes > MAX_TOOLS_BYTES) return;
    this.#bytes += bytes;
    this.#tools.set(name, tool);
  }

  list(): Tool[] {
    return [...this.#tools.values()];
  }
}

/** A conversation as a case holds it: one question of a user is its prompt. */
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

/** Whether a value that knows nothing of matchers would be taken for one. */
export const hasDollarKey = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(hasDollarKey)
    : isObject(value) && Object.entries(value).some(([key, inner]) => key.startsWith('$') || hasDollarKey(inner));

export const DOLLAR_KEY_REASON = 'it expects an object with a key that begins with "$", which means a matcher here';
