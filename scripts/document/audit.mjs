// The table of audit actions in docs/operations.md.
import { AUDIT_ACTIONS } from '../../dist/libs/contracts/audit-actions.js';
import { code, table } from './tables.mjs';

export const auditActions = () =>
  table(
    ['action', 'what happened'],
    Object.entries(AUDIT_ACTIONS).map(([action, means]) => [code(action), means]),
  );
