import type { ProviderTemplate } from '#lib/contracts/provider';

type HostFacts = Omit<ProviderTemplate, 'kind' | 'needs_key' | 'unsupported_params'> & Partial<ProviderTemplate>;

/**
 * The addresses of common hosts and their differences, according to their public documentation as of November 2026.
 * None of this was tried against the hosts themselves. `unverified` lists open questions of the documentation.
 */
const HOSTS: HostFacts[] = [
  {
    key: 'openai',
    name: 'OpenAI',
    kind: 'openai-responses',
    base_url: 'https://api.openai.com/v1',
    quirks: [
      'Kind "openai" (chat completions) works too; its reasoning models refuse max_tokens and ' +
        'temperature: list both in unsupported_params and set max_completion_tokens in default_params.',
      'Reasoning models refuse temperature in both kinds.',
      'In chains, reasoning is sent back to the model only with "include": ' +
        '["reasoning.encrypted_content"] in default_params; models without reasoning refuse it.',
    ],
    docs: 'https://platform.openai.com/docs/api-reference/responses',
    unverified: ['which models refuse temperature'],
  },
  {
    key: 'azure-openai',
    name: 'Azure OpenAI',
    base_url: 'https://{resource}.openai.azure.com/openai/v1',
    quirks: [
      "The v1 API, which needs no api-version. Put your resource into the base URL; a model's id is " +
        'the name of its deployment.',
      'Kind "openai-responses" works at the same base URL.',
    ],
    docs: 'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
    unverified: ['that GET /models lists deployments rather than base models'],
  },
  {
    key: 'anthropic',
    name: 'Anthropic',
    kind: 'anthropic',
    base_url: 'https://api.anthropic.com',
    quirks: [
      'Since version 2026-10-21 the API has no temperature, top_p and top_k. A model that still ' +
        'takes them gets them with "anthropic_version": "2023-06-01" in default_params.',
      'Thinking models refuse tool_choice "required"; "auto" is then sent instead.',
    ],
    docs: 'https://platform.claude.com/docs/en/api/messages',
    unverified: ['which models take a temperature in version 2023-06-01'],
  },
  {
    key: 'google',
    name: 'Google Gemini',
    kind: 'google',
    base_url: 'https://generativelanguage.googleapis.com',
    quirks: [
      "Google's own parameters (thinkingConfig, safetySettings, ...) can be set in default_params.",
      'A case whose messages hold calls of another model has no thought signatures; models that ' +
        'insist on them answer 400.',
    ],
    docs: 'https://ai.google.dev/api/generate-content',
    unverified: [],
  },
  {
    key: 'mistral',
    name: 'Mistral',
    base_url: 'https://api.mistral.ai/v1',
    unsupported_params: ['seed', 'logit_bias', 'logprobs', 'top_logprobs', 'user'],
    quirks: ['The seed is called random_seed.', 'Takes temperatures up to 1.5.'],
    docs: 'https://docs.mistral.ai/api',
    unverified: [
      'that unknown parameters are refused',
      'the largest temperature, which varies by model',
      "that ids of calls in a case's messages have to be nine letters and digits",
    ],
  },
  {
    key: 'groq',
    name: 'Groq',
    base_url: 'https://api.groq.com/openai/v1',
    unsupported_params: ['logprobs', 'logit_bias', 'top_logprobs'],
    quirks: [
      'A temperature of 0 becomes 1e-8.',
      'n has to be 1, and messages may have no name.',
      'A call that cannot be parsed is answered with 400 and the failed generation, which is scored as the reply.',
    ],
    docs: 'https://console.groq.com/docs/openai',
    unverified: [],
  },
  {
    key: 'together',
    name: 'Together AI',
    base_url: 'https://api.together.xyz/v1',
    quirks: ['Tool support depends on the model.'],
    docs: 'https://docs.together.ai/docs/openai-api-compatibility',
    unverified: ['the base URL in the current documentation', 'tool_choice "required" for every model'],
  },
  {
    key: 'fireworks',
    name: 'Fireworks AI',
    base_url: 'https://api.fireworks.ai/inference/v1',
    quirks: [
      'Ids of models look like accounts/fireworks/models/<name>.',
      'A prompt that is too long may be cut instead of refused.',
    ],
    docs: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
    unverified: ['the base URL in the current documentation', 'tool_choice "required", formerly "any"'],
  },
  {
    key: 'deepseek',
    name: 'DeepSeek',
    base_url: 'https://api.deepseek.com',
    quirks: [
      'Models think unless "thinking": {"type": "disabled"} is set in default_params; while they ' +
        'think, temperature and penalties have no effect.',
      'In chains the reasoning is sent back with the calls, as the API wants it.',
    ],
    docs: 'https://api-docs.deepseek.com/guides/thinking_mode',
    unverified: ['that thinking models take tool_choice "required"; where it is refused, "auto" is sent'],
  },
  {
    key: 'xai',
    name: 'xAI',
    kind: 'openai-responses',
    base_url: 'https://api.x.ai/v1',
    quirks: [
      'Chat completions (kind "openai") work too, but are deprecated; reasoning models refuse ' +
        'presence_penalty, frequency_penalty and stop there.',
    ],
    docs: 'https://docs.x.ai/developers/model-capabilities/text/comparison',
    unverified: ['that "strict": false is taken in tools of the Responses API'],
  },
  {
    key: 'openrouter',
    name: 'OpenRouter',
    base_url: 'https://openrouter.ai/api/v1',
    quirks: [
      'Which host serves a model may change from request to request: pin it with "provider": ' +
        '{"order": [...], "allow_fallbacks": false} in default_params, or runs are not comparable.',
      'Parameters that a host does not know are dropped unless "provider": {"require_parameters": true}.',
      'Some errors come with status 200; they count as errors.',
    ],
    docs: 'https://openrouter.ai/docs/api-reference/overview',
    unverified: ['the list of statuses inside a 200'],
  },
  {
    key: 'cerebras',
    name: 'Cerebras',
    base_url: 'https://api.cerebras.ai/v1',
    unsupported_params: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
    quirks: ['The listed parameters are answered with 400.'],
    docs: 'https://inference-docs.cerebras.ai/resources/openai',
    unverified: ['tool_choice "required"; where it is refused, "auto" is sent', 'parallel_tool_calls for every model'],
  },
  {
    key: 'vllm',
    name: 'vLLM',
    base_url: 'http://localhost:8000/v1',
    needs_key: false,
    quirks: [
      'Start it with --enable-auto-tool-choice and the --tool-call-parser of the model, or calls come as text.',
      'tool_choice "required" (since 0.8.3) is guided decoding: calls are well-formed whatever the model can do.',
    ],
    docs: 'https://docs.vllm.ai/en/latest/features/tool_calling/',
    unverified: [],
  },
  {
    key: 'ollama',
    name: 'Ollama',
    base_url: 'http://localhost:11434/v1',
    needs_key: false,
    unsupported_params: ['logit_bias', 'user', 'n'],
    quirks: [
      'The context is short unless the server or the model says otherwise (num_ctx): long tool lists ' +
        'are silently truncated.',
    ],
    docs: 'https://docs.ollama.com/api/openai-compatibility',
    unverified: ['what tool_choice "required" does; older versions ignored tool_choice'],
  },
  {
    key: 'llama-cpp',
    name: 'llama.cpp',
    base_url: 'http://localhost:8080/v1',
    needs_key: false,
    quirks: ['Start llama-server with --jinja: without it, requests with tools are answered with 500.'],
    docs: 'https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md',
    unverified: ['which releases need --jinja'],
  },
  {
    key: 'lm-studio',
    name: 'LM Studio',
    base_url: 'http://localhost:1234/v1',
    needs_key: false,
    quirks: ['Models that were not trained for tools get a default prompt for them; their calls may come as text.'],
    docs: 'https://lmstudio.ai/docs/developer/openai-compat/tools',
    unverified: ['tool_choice "required" for every model'],
  },
  {
    key: 'litellm',
    name: 'LiteLLM proxy',
    base_url: 'http://localhost:4000/v1',
    quirks: [
      'Retries and fallbacks of the proxy are not seen here: switch them off to measure one model.',
      'With drop_params it silently drops parameters that the model does not support.',
    ],
    docs: 'https://docs.litellm.ai/docs/proxy/user_keys',
    unverified: [],
  },
  {
    key: 'portkey',
    name: 'Portkey',
    base_url: 'https://api.portkey.ai/v1',
    needs_key: false,
    quirks: [
      'Add the routing header x-portkey-provider, such as openai, and the secret header x-portkey-api-key; the API ' +
        'key is that of the host behind it.',
      'Parameters that the named provider does not know are dropped without a word.',
      'Switch off retry, cache and fallback in its configuration, or they are measured too.',
    ],
    docs: 'https://portkey.ai/docs/api-reference/inference-api/headers',
    unverified: ['the hosted gateway; its open one was tried, version 1.15.2'],
  },
  {
    key: 'cloudflare',
    name: 'Cloudflare AI Gateway',
    base_url: 'https://gateway.ai.cloudflare.com/v1/{account}/{gateway}/openai',
    quirks: [
      'An authenticated gateway wants the secret header cf-aig-authorization, with "Bearer " before its token; the ' +
        'API key is that of the host behind it.',
      'Where the gateway caches, add the routing header cf-aig-skip-cache: true, or samples repeat one reply.',
      'Anthropic is at .../{gateway}/anthropic, with the format anthropic.',
    ],
    docs: 'https://developers.cloudflare.com/ai-gateway/configuration/authentication/',
    unverified: ['everything: no gateway was asked'],
  },
];

export const PROVIDER_TEMPLATES = HOSTS.map(
  ({ key, name, kind = 'openai', base_url, needs_key = true, unsupported_params = [], ...rest }): ProviderTemplate => ({
    ...{ key, name, kind, base_url, needs_key, unsupported_params },
    ...rest,
  }),
);
