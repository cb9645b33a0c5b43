import { untilMidnight } from './waits/read-wait.js';
import { waitInFields } from './waits/wait-in-fields.js';
import { readRetryAfter, waitInHeaders } from './waits/wait-in-headers.js';
import { waitInMessage } from './waits/wait-in-words.js';

/*
 * How a provider's requested wait is honoured:
 * 1. `readAskedWait` reads it from a failed response: from its headers, the fields of its error, or its text (`waits`).
 * 2. `classify-failure.ts` puts it on the failure: `ProviderFailure.retryAfterMs`.
 * 3. `RetryState.recordFailure` (`retry-policy.ts`) decides when the item tries again, and returns how long the whole
 *    lane waits.
 * 4. The worker releases its permit with that wait. The lane's budget in Redis (`libs/queue/budget`) blocks the lane
 *    until then, so that no worker of the fleet sends it a request.
 * 5. A wait of a quarter of an hour or more does not block the lane: the model rests
 *    (`libs/db/engine/resting-models.ts`).
 * `readRefill` (`waits/wait-in-headers.ts`) joins this path at step 4: it reads when an exhausted limit refills, from
 * the headers of a reply, so that the lane stops before the provider answers 429.
 */

/** The part of an error that is searched for quota phrases. */
const MAX_QUOTA_CHARACTERS = 4000;
/** A monthly quota is retried every day: it may reset on any of them. */
const DAILY = /(?:\bper|\/)[\s_-]{0,2}(?:day|month)\b|Per(?:Day|Month)|\b(?:daily|monthly)\b|\b(?:RPD|TPD)\b/i;
/** If a text also names per-minute limits, any of them may be used up. */
const SHORTER_THAN_A_DAY = /(?:\bper|\/)[\s_-]{0,2}(?:min(?:ute)?|hour|sec(?:ond)?)\b|\b(?:RPM|TPM)\b/i;
/** The id of a quota of Google's Gemini API, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
const GOOGLE_DAILY_QUOTA = /"quotaId"\s{0,3}:\s{0,3}"[A-Za-z-]{0,80}PerDay/;

/**
 * The milliseconds that a provider asks to wait. A daily or monthly quota without a wait ends at midnight: UTC, or
 * Pacific time for Google. Google sends a wait of seconds along with it, which is ignored.
 * @param body JSON of the error
 * @param isRefused the request exceeded a limit, so the limits in the headers count
 */
export function readAskedWait(
  headers: Headers | undefined,
  error: unknown,
  { message, body, isRefused }: { message: string; body: string; isRefused: boolean },
): number | undefined {
  const known = `${message.slice(0, MAX_QUOTA_CHARACTERS)} ${body.slice(0, MAX_QUOTA_CHARACTERS)}`;
  if (isRefused && GOOGLE_DAILY_QUOTA.test(known)) return untilMidnight('America/Los_Angeles');
  const named =
    readRetryAfter(headers) ??
    waitInFields(error) ??
    waitInMessage(message) ??
    waitInMessage(body) ??
    (headers && isRefused ? waitInHeaders(headers) : undefined);
  return (
    named ?? (isRefused && DAILY.test(known) && !SHORTER_THAN_A_DAY.test(known) ? untilMidnight('UTC') : undefined)
  );
}
