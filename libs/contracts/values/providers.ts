/**
 * The request formats that Toolmark supports, by the `kind` of a provider: display texts, and the names of hosts and
 * servers that use the format, in lower-case letters and digits.
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
  },
  'openai-responses': { title: "OpenAI's Responses", hosts: ['responses', 'xai', 'grok'] },
  anthropic: { title: "Anthropic's Messages", hosts: ['claude'] },
  google: { title: "Google's Gemini", hosts: ['gemini', 'googlegemini', 'googleai', 'googlegenai'] },
} satisfies Record<string, { title: string; hosts: string[] }>;
