/** The codes of problems about limits of callers and teams. */
export const LIMIT_CODES = {
  rate_limited: {
    means:
      'The token, the session, the user or the address has sent too many requests in the last minute. Or it has too ' +
      'many live connections, or one of these follows too many jobs or sends too many packets.',
    wayOut:
      'Try again after `Retry-After` seconds, or close what you do not need. The operator sets the limits: see ' +
      '"Limits of callers" in docs/operations.md.',
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
