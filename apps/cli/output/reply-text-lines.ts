import type { ExplainedResult } from '#lib/client/api-client';
import { failedBody } from '#lib/contracts/failed-body';
import type { ReplyText } from '#lib/contracts/result';

const FEW_LINES = 5;
const FEW_CHARACTERS = 600;

/** The texts of a model, or its error. Reasoning and bodies are shortened unless the full text is requested. */
export function replyTextLines({ said, error, exchange }: ExplainedResult, isFull: boolean): string[] {
  if (error) {
    const body = failedBody(exchange);
    return [
      `Error      ${error.kind.replaceAll('_', ' ')}: ${error.message}`,
      ...(body === null ? [] : ['Body       of the last response:', ...indented(body, isFull)]),
    ];
  }
  if (!said) return [];
  if (said.length === 0) return ['Said       no longer stored'];
  return said.flatMap((reply, round) => [
    ...(said.length > 1 ? [`Round ${round + 1}`] : []),
    ...replyLines(reply, isFull),
  ]);
}

function replyLines({ text, thoughts, refusal, finish_reason: reason }: ReplyText, isFull: boolean): string[] {
  return [
    ...(text === null ? ['Said       no text'] : ['Said', ...indented(text, true)]),
    ...(refusal === null ? [] : ['Refusal', ...indented(refusal, true)]),
    ...(thoughts === null ? [] : ['Thoughts', ...indented(thoughts, isFull)]),
    `Finished   ${reason ?? 'for a reason that the provider does not give'}`,
  ];
}

/** The lines of a text, or the first few of them. */
function indented(text: string, isFull: boolean): string[] {
  const shown = isFull ? text : text.slice(0, FEW_CHARACTERS).split('\n').slice(0, FEW_LINES).join('\n');
  const rest = text.length - shown.length;
  return [
    ...shown.split(/\r?\n/),
    ...(rest > 0 ? [`... ${rest.toLocaleString('en')} more characters; --full shows them`] : []),
  ].map((line) => `  ${line}`);
}
