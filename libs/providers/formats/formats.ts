import type { Json } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import { anthropic } from './anthropic/dialect.js';
import type { Dialect } from '../dialects/dialect.js';
import { google } from './google/dialect.js';
import { openai } from './openai/dialect.js';
import { openaiResponses } from './openai-responses/dialect.js';
import { invert, wireNames } from '../dialects/tool-names.js';

export const DIALECTS: Record<ProviderKind, Dialect> = {
  openai,
  'openai-responses': openaiResponses,
  anthropic,
  google,
};

/** The tools' own names by the names sent to hosts of a kind. Undefined if all names are sent unchanged. */
export function suiteNamesByWireName(kind: ProviderKind, tools: Json | undefined): Record<string, string> | undefined {
  const names = invert(wireNames(DIALECTS[kind].nameRule, tools));
  return names.size > 0 ? Object.fromEntries(names) : undefined;
}
