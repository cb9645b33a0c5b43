import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { batchIdOf, outcomeIn, type BatchOutcome } from '#lib/recorded/batch-line';
import { parseIfJson } from './json-text.js';

/** A request with its outcome, from one line or from two. */
export interface Exchange {
  line: number;
  id: string | undefined;
  request?: JsonObject;
  outcome?: BatchOutcome;
  /** Whether several lines with this id contain different requests, or different replies. */
  isAmbiguous: boolean;
}

/** The request in a line: of OpenAI's batches (`body`), of Anthropic's (`params`), of Google's or of a log. */
function requestIn({ body, params, request, input, tools, functions }: JsonObject): JsonObject | undefined {
  const given = [body, params, request, input].map(parseIfJson);
  const list = given.find((one) => Array.isArray(one) && one.some(isObject));
  const found = given.find(isObject) ?? (list === undefined ? undefined : { messages: list });
  if (found === undefined) return undefined;
  return { ...(tools !== undefined && { tools }), ...(functions !== undefined && { functions }), ...found };
}

/** The outcome of a request. Logs contain only the reply. */
function outcomeOf(line: JsonObject): BatchOutcome | undefined {
  const body = [line.response, line.output].find((one) => one !== undefined && one !== null && one !== '');
  const isAnswered = ['response', 'result', 'error'].some((key) => key in line) && batchIdOf(line) !== undefined;
  const none = isAnswered
    ? { failed: { status: undefined, error: { message: 'its line holds no response' } } }
    : undefined;
  return outcomeIn(line) ?? (body === undefined ? none : { body });
}

/** Joins the lines of a batch's input file with those of its output file by their ids, in any order. */
export class BatchPairs {
  readonly #byId = new Map<string, Exchange>();
  readonly #alone: Exchange[] = [];

  /** @returns whether the line contains a request or an outcome */
  add(line: number, value: JsonObject): boolean {
    const request = requestIn(value);
    const outcome = outcomeOf(value);
    const id = batchIdOf(value);
    if (id === undefined || (request === undefined && outcome === undefined)) {
      if (request === undefined) return false;
      this.#alone.push({ line, id, request, ...(outcome && { outcome }), isAmbiguous: false });
      return true;
    }
    const known = this.#byId.get(id);
    if (!known)
      this.#byId.set(id, { line, id, ...(request && { request }), ...(outcome && { outcome }), isAmbiguous: false });
    else join(known, { line, request, outcome });
    return true;
  }

  /** All exchanges, in the order of their requests. */
  list(): Exchange[] {
    return [...this.#byId.values(), ...this.#alone].toSorted((a, b) => a.line - b.line);
  }
}

interface PendingHalf {
  line: number;
  request: JsonObject | undefined;
  outcome: BatchOutcome | undefined;
}

function join(known: Exchange, { line, request, outcome }: PendingHalf): void {
  if (known.isAmbiguous) return;
  known.isAmbiguous = differs(known.request, request) || differs(known.outcome, outcome);
  if (request && !known.request) Object.assign(known, { request, line });
  if (outcome && !known.outcome) known.outcome = outcome;
}

/** A duplicate line adds nothing. */
const differs = (known: object | undefined, found: object | undefined): boolean =>
  known !== undefined && found !== undefined && JSON.stringify(known) !== JSON.stringify(found);

const ROLES = new Set<Json>(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const PARTS = new Set<Json>(['text', 'image_url', 'input_audio', 'file', 'refusal']);

/** Whether a request is one of chat completions, whose messages can be sent unchanged. */
export const isChatCompletion = ({ messages, system }: JsonObject): boolean =>
  system === undefined &&
  Array.isArray(messages) &&
  messages.every((one) => isObject(one) && ROLES.has(one.role ?? null) && isChatContent(one.content));

const isChatContent = (content: Json | undefined): boolean =>
  !Array.isArray(content) || content.every((part) => isObject(part) && PARTS.has(part.type ?? null));
