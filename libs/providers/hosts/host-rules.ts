import type { ProviderKind } from '#lib/contracts/provider';
import { wordSet } from '#lib/contracts/word-set';
import type { StrictRules } from './strict-schema.js';

/** A host's documented limits on tools. */
export interface HostRules {
  /** Tools in one request. */
  maxTools?: number;
  /** Rejects schemas with a combinator at their root, or without `"type": "object"` there. */
  wantsPlainRoot?: true;
  /** Keywords for constraints that the host's documentation does not list. */
  unknown?: ReadonlySet<string>;
  /** Rules for schemas of tools with `strict: true`; `absent` if the host ignores `strict`. */
  strict?: StrictRules | 'absent';
}

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const OPENAI_STRICT: StrictRules = {
  allRequired: true,
  maxDepth: 10,
  maxEnumValues: 1000,
  refused: wordSet(
    'allOf oneOf not if then else dependentRequired dependentSchemas dependencies patternProperties propertyNames',
    'unevaluatedProperties unevaluatedItems minProperties maxProperties contains minContains maxContains uniqueItems',
    'prefixItems',
  ),
};

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
const ANTHROPIC_STRICT: StrictRules = {
  allRequired: false,
  maxTools: 20,
  refused: wordSet(
    'oneOf not if then else patternProperties propertyNames minimum maximum exclusiveMinimum exclusiveMaximum',
    'multipleOf minLength maxLength maxItems uniqueItems contains',
  ),
};

/** https://ai.google.dev/api/generate-content#FIELDS.response_json_schema lists what is supported. */
const UNKNOWN_TO_GEMINI = wordSet(
  'allOf not if const patternProperties propertyNames dependentRequired dependentSchemas dependencies contains',
  'unevaluatedProperties',
);

const OPENAI: HostRules = { maxTools: 128, wantsPlainRoot: true, strict: OPENAI_STRICT };

/** Hosts by domain suffix, with the page that documents the number of tools. */
const HOSTS: readonly (readonly [domain: string, rules: HostRules])[] = [
  // https://platform.openai.com/docs/api-reference/chat/create: "A max of 128 functions are supported."
  ['api.openai.com', OPENAI],
  // https://learn.microsoft.com/azure/ai-foundry/openai/quotas-limits: tools of a request to /chat/completions
  ['openai.azure.com', OPENAI],
  ['services.ai.azure.com', OPENAI],
  ['cognitiveservices.azure.com', OPENAI],
  // https://console.groq.com/docs/api-reference#chat-create
  ['api.groq.com', { maxTools: 128 }],
  // https://docs.x.ai/docs/guides/function-calling: "a maximum of 200 tools"
  ['api.x.ai', { maxTools: 200 }],
  // https://api-docs.deepseek.com/api/create-chat-completion; `strict` needs the base URL /beta
  ['api.deepseek.com', { maxTools: 128 }],
  // https://platform.moonshot.ai/docs/api/tool-use
  ['api.moonshot.ai', { maxTools: 128 }],
  ['api.moonshot.cn', { maxTools: 128 }],
  // https://docs.z.ai/api-reference/llm/chat-completion
  ['api.z.ai', { maxTools: 128 }],
  ['open.bigmodel.cn', { maxTools: 128 }],
  // "At most 512 function declarations can be specified." (the error)
  ['generativelanguage.googleapis.com', { maxTools: 512 }],
  ['aiplatform.googleapis.com', { maxTools: 512 }],
];

export const hasRules = (kind: ProviderKind, baseUrl: string): boolean =>
  Object.keys(rulesOf(kind, baseUrl)).length > 0;

/** The rules of a host. Unknown hosts get the rules of their format. */
export function rulesOf(kind: ProviderKind, baseUrl: string): HostRules {
  const { hostname, pathname } = new URL(baseUrl);
  const [domain, known = {}] =
    HOSTS.find(([name]) => hostname === name || hostname.endsWith(`.${name}`) || hostname.endsWith(`-${name}`)) ?? [];
  if (kind === 'anthropic') return { ...known, strict: ANTHROPIC_STRICT };
  if (kind === 'google') return { ...known, unknown: UNKNOWN_TO_GEMINI };
  if (domain === 'api.deepseek.com' && !pathname.startsWith('/beta')) return { ...known, strict: 'absent' };
  return known;
}
