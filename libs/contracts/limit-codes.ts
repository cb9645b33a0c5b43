/** The codes of problems about limits of callers and teams. */
export const LIMIT_CODES = {
  rate_limited: {
    means:
      'Too many requests of the token, session, user or address in the last minute, or too many live connections, ' +
      'followed jobs or packets.',
    wayOut:
      'Try again after `Retry-After` seconds. The operator sets the limits (docs/operations.md, "Limits of callers").',
    params: ['limit', 'per_minute', 'most', 'per_second'],
  },
  quota_reached: {
    means: 'The team has as much of this as its quota allows.',
    wayOut: 'Delete what is not needed, or let an owner of the team `default` raise it: PUT /api/settings/quotas.',
    command: 'toolmark limits',
    params: ['quota', 'limit', 'used', 'asked'],
  },
  answer_not_kept: {
    means: 'The first request with this Idempotency-Key was answered; its answer was too large to be kept.',
    wayOut: 'Do not send it again: read what it made.',
    params: ['status', 'bytes', 'id'],
  },
  too_many_keys: {
    means: 'The user, or the team, has used as many Idempotency-Keys in the last day as are kept.',
    wayOut: 'Send the request without a key, or try again after `Retry-After` seconds.',
    params: ['limit'],
  },
} as const;
