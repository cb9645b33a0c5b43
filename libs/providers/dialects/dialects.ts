import type { Json } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { anthropic } from './anthropic.js';
import type { Dialect } from './dialect.js';
import { google } from './google.js';
import { openai } from './openai.js';
import { openaiResponses } from './openai-responses.js';
import { invert, wireNames } from './tool-names.js';

export const DIALECTS: Record<ProviderKind, Dialect> = {
  openai,
  'openai-responses': openaiResponses,
  anthropic,
  google,
};

/**
 * The tools' own names by the names that hosts of a kind receive instead. Undefined if all names are sent unchanged.
 */
export function suiteNamesByWireName(kind: ProviderKind, tools: Json | undefined): Record<string, string> | undefined {
  const names = invert(wireNames(DIALECTS[kind].nameRule, tools));
  return names.size > 0 ? Object.fromEntries(names) : undefined;
}
