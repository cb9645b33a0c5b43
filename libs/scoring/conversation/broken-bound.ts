import { CONVERSATION_BOUNDS } from '#lib/contracts/values/conversations';
import type { Bound } from '#lib/contracts/verdict';
import type { BreakingRule } from './play.js';

/** Which rule of a suite exceeds which bound, and at which call. */
export function describeBrokenBound({ tool, rule, call }: BreakingRule, { what, limit }: Bound): string {
  const bytes = `larger than ${limit.toLocaleString('en')} bytes`;
  const makes =
    what === 'state'
      ? `the state ${bytes}, or deeper than ${CONVERSATION_BOUNDS.stateDepth}`
      : `the answers of all tools ${bytes} together`;
  return (
    `Rule ${rule + 1} of ${tool.slice(0, 200)} answers call ${call + 1} of the conversation, and makes ${makes}. ` +
    'Change the rules of the suite.'
  );
}
