import { deepseek } from './deepseek.js';
import { llamaFunction, qwen } from './function-tag.js';
import { gemma } from './gemma.js';
import { glm } from './glm.js';
import { harmony } from './harmony.js';
import { cohere, granite, hermes } from './hermes.js';
import { invoke } from './invoke.js';
import { kimi } from './kimi.js';
import { mistral } from './mistral.js';
import { llama } from './pythonic.js';
import type { Syntax } from './syntax.js';

/** If two share a mark, the first that can read the following text wins. */
export const SYNTAXES: readonly Syntax[] = [
  glm,
  hermes,
  llamaFunction,
  qwen,
  invoke,
  mistral,
  deepseek,
  kimi,
  harmony,
  gemma,
  granite,
  cohere,
  llama,
];
