/**
 * The request formats that Toolmark supports, by the `kind` of a provider: titles, the names of hosts and servers
 * that use the format, in lower-case letters and digits, and the endpoint and key header of a curl command; null if
 * requests are stored in another form than they are sent in.
 */
export const PROVIDER_KINDS = {
  openai: {
    title: "chat completions, and what is compatible with OpenAI's",
    hosts: [
      'ollama',
      'lmstudio',
      'vllm',
      'azure',
      'azureopenai',
      'openrouter',
      'groq',
      'mistral',
      'mistralai',
      'together',
      'togetherai',
      'fireworks',
      'fireworksai',
      'deepseek',
      'litellm',
      'cerebras',
      'llamacpp',
      'llamafile',
      'localai',
      'sglang',
      'tgi',
      'huggingface',
      'perplexity',
      'nvidia',
      'nim',
      'openaicompatible',
      'openaichat',
      'chatgpt',
    ],
    curl: { path: '/chat/completions', key: 'authorization: Bearer $API_KEY' },
  },
  'openai-responses': {
    title: "OpenAI's Responses",
    hosts: ['responses', 'xai', 'grok'],
    curl: { path: '/responses', key: 'authorization: Bearer $API_KEY' },
  },
  anthropic: {
    title: "Anthropic's Messages",
    hosts: ['claude'],
    curl: { path: '/messages', key: 'x-api-key: $API_KEY' },
  },
  google: { title: "Google's Gemini", hosts: ['gemini', 'googlegemini', 'googleai', 'googlegenai'], curl: null },
} satisfies Record<string, { title: string; hosts: string[]; curl: { path: string; key: string } | null }>;
