import type { LabelDraw } from '#lib/contracts/label';
import { calledText, expectedText } from './calls.js';
import { beginning } from './table.js';
import { escapeControls } from './terminal.js';

const MAX_MESSAGES = 30;
const MAX_TEXT = 4000;

/**
 * A result to label, as lines for a terminal: the conversation, the expectation of the case, and the calls. It omits
 * the model, the score and the judge's verdict, which would bias the user.
 */
export function labelScreen({ conversation, result }: Pick<LabelDraw, 'conversation' | 'result'>): string[] {
  const shown = conversation.slice(-MAX_MESSAGES);
  const earlier = conversation.length - shown.length;
  return [
    `Result ${result.id} of ${result.case_name ?? 'a case without a name'}`,
    ...(earlier > 0 ? [`(${earlier} earlier messages)`] : []),
    ...shown.flatMap(messageLines),
    ...labelledBlock('Expected', expectedText(result.expected)),
    ...labelledBlock('Called', calledText(result.called)),
  ].map(escapeControls);
}

function messageLines(message: unknown): string[] {
  const { role, content, tool_calls: calls } = (message ?? {}) as Record<string, unknown>;
  const text = typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content);
  const called = Array.isArray(calls) ? calls.map(callText) : [];
  const parts = [...(text === '' ? [] : [text]), ...called];
  return labelledBlock(typeof role === 'string' ? role : 'message', parts.join('\n'));
}

function callText(call: unknown): string {
  const { name, arguments: given } = ((call as { function?: unknown } | null)?.function ?? {}) as Record<
    string,
    unknown
  >;
  return `calls ${String(name)}(${typeof given === 'string' ? given : JSON.stringify(given)})`;
}

const MARGIN = 10;

/** A text next to its heading. Its line breaks are kept. */
function labelledBlock(heading: string, text: string): string[] {
  const name = beginning(heading, MARGIN);
  return beginning(text, MAX_TEXT)
    .split('\n')
    .map((line, index) => `${(index === 0 ? name : '').padEnd(MARGIN)} ${line}`.trimEnd());
}
