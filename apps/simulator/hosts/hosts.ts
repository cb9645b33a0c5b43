import type { Behaviour } from '../models/behaviour.js';
import { anthropic } from './anthropic.js';
import { azure } from './azure.js';
import { bedrock } from './bedrock.js';
import { cerebras } from './cerebras.js';
import { deepseek } from './deepseek.js';
import { fireworks } from './fireworks.js';
import { google } from './google.js';
import { groq } from './groq.js';
import type { Host } from './host.js';
import { hostBehaviour } from './host-behaviour.js';
import { kimi } from './kimi.js';
import { llamacpp } from './llamacpp.js';
import { lmstudio } from './lmstudio.js';
import { mistral } from './mistral.js';
import { ollama } from './ollama.js';
import { openai } from './openai.js';
import { openrouter } from './openrouter.js';
import { refusesEverything } from './refuses-everything.js';
import { together } from './together.js';
import { vllm } from './vllm.js';
import { xai } from './xai.js';

export const KNOWN_HOSTS: Record<string, Host> = {
  openai,
  azure,
  openrouter,
  deepseek,
  kimi,
  groq,
  mistral,
  xai,
  together,
  fireworks,
  cerebras,
  bedrock,
  anthropic,
  google,
  ollama,
  vllm,
  llamacpp,
  lmstudio,
};

/** The models `host:<name>`. */
export const HOSTS: Record<string, Behaviour> = Object.fromEntries([
  ...Object.entries(KNOWN_HOSTS).map(([name, host]) => [`host:${name}`, hostBehaviour(host)]),
  ['host:refuses-everything', refusesEverything],
]);
