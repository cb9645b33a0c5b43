import type { Syntax } from './syntax.js';
import { readJsonCalls } from './json-calls.js';

/** Hermes 2 Pro, Qwen 2.5 and 3: `<tool_call>{"name": "f", "arguments": {...}}</tool_call>`. */
export const hermes: Syntax = {
  id: 'hermes',
  marks: ['<tool_call>', '<function_call>', '<functioncall>'],
  read: (text, at, mark) => readJsonCalls(text, at, [mark.replace('<', '</'), mark, '<|im_end|>']),
};

/** Granite and Phi: `<|tool_call|>[{"name": "f", "arguments": {...}}]`. */
export const granite: Syntax = {
  id: 'granite',
  marks: ['<|tool_call|>', '<|tool_calls|>'],
  read: (text, at) => readJsonCalls(text, at, ['<|/tool_call|>', '<|tool_call|>', '<|end_of_text|>']),
};

/** Command R: `<|START_ACTION|>[{"tool_name": "f", "parameters": {...}}]<|END_ACTION|>`. */
export const cohere: Syntax = {
  id: 'cohere',
  marks: ['<|START_ACTION|>'],
  read: (text, at) => readJsonCalls(text, at, ['<|END_ACTION|>']),
};
