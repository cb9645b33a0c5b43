import { z } from 'zod';

/** Seconds. */
const [DEFAULT_WAIT_S, LONGEST_WAIT_S] = [1, 30];

/** Query fields of every endpoint that compares runs. */
export const waitField = {
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(LONGEST_WAIT_S)
    .default(DEFAULT_WAIT_S)
    .describe(
      'How many seconds to wait for the answer. A longer comparison goes on in the background: the response is ' +
        '202, with a `Location` to ask again.',
    ),
};

export const WaitQuery = z.strictObject(waitField);
export type WaitQuery = z.infer<typeof WaitQuery>;

/** The body of the 202 sent while runs are being compared. */
export const Comparing = z
  .object({
    status: z.literal('comparing').describe('The runs are still being compared.'),
    detail: z.string().describe('What to do, in a sentence.'),
    url: z
      .string()
      .describe('Where to ask again, as in the header `Location`. It waits for the answer for up to 20 seconds.'),
  })
  .meta({
    id: 'Comparing',
    description: 'The runs are still being compared. The work stops a minute after the last request for it.',
  });
export type Comparing = z.infer<typeof Comparing>;
