import { parseJson, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { classifyStatus } from '../classify-failure.js';
import type { Dialect } from '../dialects/dialect.js';
import { renameAt } from '../dialects/tool-names.js';
import { ProviderFailure } from '../failure.js';
import { maskSecrets } from '../guarded/mask-keys.js';
import { modelApiError } from '../guarded/private-response.js';
import { isHostFailure } from '../replies/host-failure.js';
import type { ModelReply } from '../replies/model-reply.js';
import { readBody } from '../formats/read-body.js';

/** The part of a response without a reply that a failure keeps. */
const MAX_KEPT_CHARACTERS = 100_000;
const MAX_QUOTED_CHARACTERS = 200;

/** Facts about a response that its body does not contain. */
export interface ResponseOrigin {
  contentType: string | null;
  baseUrl: string;
  /** Masked where the host repeats them. */
  secrets: readonly string[];
  /**
   * If the response comes from a private address and contains no reply, it is quoted to no one, and kept only for
   * owners.
   */
  isPrivate: boolean;
  /** The tools' own names by the names that were sent. */
  ownNames: ReadonlyMap<string, string>;
}

/** Reads the text of a 200. @throws ProviderFailure */
export const readReply = (
  dialect: Pick<Dialect, 'fromWire' | 'calledNamePaths'>,
  text: string,
  origin: ResponseOrigin,
): ModelReply & { body: Json } =>
  withExplanation(text, origin, () => read(dialect, maskSecrets(text, origin.secrets), origin));

/**
 * The failure for a response that is not read because it is too large. Its start stays readable.
 * @param why follows "The answer"
 * @param beginning of its text
 */
export function unreadFailure(why: string, beginning: string, origin: ResponseOrigin): ProviderFailure {
  const refuse = (): never => {
    throw badResponse(
      `The answer ${why}; it was not read.`,
      false,
      maskSecrets(beginning, origin.secrets),
      origin.isPrivate,
    );
  };
  try {
    return withExplanation(beginning, origin, refuse);
  } catch (error) {
    return error as ProviderFailure;
  }
}

/** Attaches the text of a response to a failure in `work`. */
function withExplanation<Result>(text: string, origin: ResponseOrigin, work: () => Result): Result {
  const { secrets, isPrivate } = origin;
  const kept = (): string => maskSecrets(text, secrets).slice(0, MAX_KEPT_CHARACTERS);
  try {
    return work();
  } catch (error) {
    const failure =
      error instanceof ProviderFailure ? error : ProviderFailure.internal(error, isPrivate ? undefined : kept());
    if (isPrivate && isForOwners(text, origin)) failure.privateBody = kept();
    throw failure;
  }
}

function read(
  dialect: Pick<Dialect, 'fromWire' | 'calledNamePaths'>,
  text: string,
  origin: ResponseOrigin,
): ModelReply & { body: Json } {
  const { isPrivate, baseUrl } = origin;
  let body: Json;
  try {
    body = renameAt(parseJson(text), dialect.calledNamePaths, origin.ownNames);
  } catch {
    throw notJson(text, origin);
  }
  const found = readBody(body, [dialect.fromWire]);
  if (found && !isHostFailure(found)) return { ...found, body };
  if (!found)
    throw badResponse(`The answer holds no reply of a model: ${quote(text, isPrivate)}`, true, text, isPrivate);
  const { message, status, error } = found.failed;
  const isHidden = isPrivate && error !== undefined;
  const shown = isHidden ? modelApiError({ error }) : error;
  const words = isHidden ? toText((shown as JsonObject | undefined)?.message ?? UNSHOWN) : message;
  if (status !== undefined) throw classifyStatus(status, undefined, shown ?? words, words, { baseUrl });
  throw badResponse(words, true, text, isPrivate);
}

const isWebPage = (text: string, { contentType }: ResponseOrigin): boolean =>
  contentType?.includes('html') || /^\s*<(!doctype|html)/i.test(text);

const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]*json|x-ndjson)\b|$)/i;
/** Whether it could come from a model server. A web page or a file of another service is not kept at all. */
const isForOwners = (text: string, origin: ResponseOrigin): boolean =>
  TEXT_TYPE.test(origin.contentType ?? '') && !isWebPage(text, origin) && !text.includes('\0');

function notJson(text: string, origin: ResponseOrigin): ProviderFailure {
  const { isPrivate } = origin;
  const isHtml = isWebPage(text, origin);
  const message = isHtml
    ? 'The endpoint answered a web page instead of JSON. Is the base URL right? Most end in /v1.'
    : `The endpoint answered something that is not JSON: ${quote(text, isPrivate)}`;
  return badResponse(message, !isHtml, text, isPrivate);
}

const UNSHOWN = 'it is not shown, because it comes from a private address.';
const quote = (text: string, isPrivate: boolean): string =>
  isPrivate ? UNSHOWN : text.slice(0, MAX_QUOTED_CHARACTERS);

function badResponse(message: string, retryable: boolean, text: string, isPrivate: boolean): ProviderFailure {
  const kept = isPrivate ? undefined : text.slice(0, MAX_KEPT_CHARACTERS);
  return new ProviderFailure('bad_response', message, retryable, undefined, 200, kept);
}
