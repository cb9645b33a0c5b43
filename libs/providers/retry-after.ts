import { untilMidnight } from './waits/read-wait.js';
import { waitInFields } from './waits/wait-in-fields.js';
import { readRetryAfter, waitInHeaders } from './waits/wait-in-headers.js';
import { waitInMessage } from './waits/wait-in-words.js';

/*
 * How a wait that a provider asks for is honoured:
 *
 * 1. `readAskedWait` reads it from a failed response: from its headers, the fields of its error, or its words
 *    (`waits`).
 * 2. `classify-failure.ts` puts it on the failure: `ProviderFailure.retryAfterMs`.
 * 3. `RetryState.recordFailure` (`retry-policy.ts`) decides when the item tries again, and returns how long the
 *    whole lane waits.
 * 4. The worker releases its permit with that wait. The lane's budget in Redis (`libs/queue/budget`) blocks the lane
 *    until then, so that no worker of the fleet sends it a request.
 * 5. A wait of a quarter of an hour or more blocks no lane: the model rests (`libs/db/engine/resting-models.ts`).
 *
 * `readRefill` (`waits/wait-in-headers.ts`) takes the same way from step 4 on: it reads when an exhausted limit
 * refills, from the headers of a reply, so that the lane stops before the provider answers 429.
 */

/** What is looked at for the words of a quota. */
const MAX_QUOTA_CHARACTERS = 4000;
/** A quota of a month is asked for again each day: it may begin anew on any of them. */
const DAILY = /(?:\bper|\/)[\s_-]{0,2}(?:day|month)\b|Per(?:Day|Month)|\b(?:daily|monthly)\b|\b(?:RPD|TPD)\b/i;
/** Where a text names the limits of a minute as well, any of them may be used up. */
const SHORTER = /(?:\bper|\/)[\s_-]{0,2}(?:min(?:ute)?|hour|sec(?:ond)?)\b|\b(?:RPM|TPM)\b/i;
/** The id of a quota of Google's Gemini API, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
const GOOGLES_DAY = /"quotaId"\s{0,3}:\s{0,3}"[A-Za-z-]{0,80}PerDay/;

/**
 * The milliseconds that a provider asks to wait. A quota of a day or a month that comes without a wait ends at
 * midnight: UTC, and at Google that of the Pacific. Google sends a wait of seconds beside it, which counts for nothing.
 * @param body JSON of the error
 * @param isRefused the request was one too many, so what the headers say of limits counts
 */
export function readAskedWait(
  headers: Headers | undefined,
  error: unknown,
  { message, body, isRefused }: { message: string; body: string; isRefused: boolean },
): number | undefined {
  const known = `${message.slice(0, MAX_QUOTA_CHARACTERS)} ${body.slice(0, MAX_QUOTA_CHARACTERS)}`;
  if (isRefused && GOOGLES_DAY.test(known)) return untilMidnight('America/Los_Angeles');
  const named =
    readRetryAfter(headers) ??
    waitInFields(error) ??
    waitInMessage(message) ??
    waitInMessage(body) ??
    (headers && isRefused ? waitInHeaders(headers) : undefined);
  return named ?? (isRefused && DAILY.test(known) && !SHORTER.test(known) ? untilMidnight('UTC') : undefined);
}
