import { ProblemError } from '#lib/contracts/input/problem';
import { RESULT_ORDERS } from '#lib/contracts/values/runs';
import type { ResultOrder } from '#lib/contracts/result';
import { ORDERS } from '#lib/db/read/result-orders';
import { cursorOf } from '../platform/decorators.js';

/** The cursor of a list of results in this order. @throws ProblemError 400 */
export function resultCursor(cursor: string | undefined, order: ResultOrder): string | undefined {
  if (cursor === undefined || ORDERS[order].form.test(cursor)) return cursor;
  const other = RESULT_ORDERS.find((one) => ORDERS[one].form.test(cursor));
  if (!other) return cursorOf(cursor, ORDERS[order].form);
  throw new ProblemError(
    400,
    `The cursor belongs to order=${other}. Go on with that order, or begin with order=${order} and no cursor.`,
    [{ path: '/cursor', message: `belongs to order=${other}` }],
  ).as('invalid_cursor');
}
