import { id, searchOf, text } from '../../address';

/** The limits of the user's own team; for operators also of another one, or of all teams. */
export const limitsSearch = searchOf({ team: text(36, /^(all|[\da-f-]{36})$/) });

const day = text(10, /^\d{4}-\d\d-\d\d$/);

/** The entries of the audit that are listed. */
export const auditSearch = searchOf({
  action: text(200),
  person: id,
  token: id,
  subject: text(200),
  address: text(45),
  request: text(100),
  /** Days in the reader's time, both included. */
  from: day,
  to: day,
  /** Another team than the reader's own, for operators. */
  team: id,
});
export type AuditSearch = ReturnType<typeof auditSearch>;
