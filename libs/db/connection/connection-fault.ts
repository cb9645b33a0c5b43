/** An error of a socket, of TLS or of Postgres; with several addresses of a host, that of the last one. */
type ConnectionError = Error & {
  code?: string;
  address?: string;
  port?: number;
  hostname?: string;
  errors?: ConnectionError[];
};

const UNTRUSTED =
  'the certificate of Postgres is not trusted here: give its authority in NODE_EXTRA_CA_CERTS, a file in PEM format';

/** What to check, by the code of an error. */
const ADVICE: Record<string, (error: ConnectionError) => string> = {
  ENOTFOUND: ({ hostname }) => `the host ${hostname} of DATABASE_URL does not resolve: is its name right?`,
  EAI_AGAIN: ({ hostname }) => `the host ${hostname} of DATABASE_URL does not resolve: does DNS work here?`,
  ECONNREFUSED: ({ address, port }) =>
    `nothing listens at ${address}:${port}: are host and port of DATABASE_URL right, and does Postgres run there?`,
  ETIMEDOUT: () => UNANSWERED,
  EHOSTUNREACH: () => UNANSWERED,
  ENETUNREACH: () => UNANSWERED,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: () => UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: () => 'the certificate of Postgres is for another host than that of DATABASE_URL',
  '28P01': () => 'Postgres refuses the user or the password of DATABASE_URL',
  '28000': () => 'Postgres lets the user of DATABASE_URL in from nowhere near here: see its pg_hba.conf',
  '3D000': () => 'the database of DATABASE_URL does not exist: migrate creates it',
  '42501': () => 'the role of DATABASE_URL may not do this: let it own the database, or create that yourself',
  '53300': () => 'Postgres has no connection left: raise its max_connections, or put PgBouncer in front',
};
const UNANSWERED =
  'Postgres does not answer at the host and port of DATABASE_URL: does a firewall or a network policy forbid it?';

/** Messages of errors without a code. */
const BY_MESSAGE: [RegExp, string][] = [
  [/timeout expired|connection timeout/i, UNANSWERED],
  [/does not support SSL/i, 'Postgres has no TLS there: remove sslmode from DATABASE_URL, or turn TLS on'],
];

/** An error with what to check in its message, if its cause is in the settings; otherwise the error itself. */
export function withAdvice(error: ConnectionError): Error {
  const cause = error.errors?.at(-1) ?? error;
  const advice = ADVICE[cause.code ?? '']?.(cause) ?? BY_MESSAGE.find(([pattern]) => pattern.test(cause.message))?.[1];
  if (!advice) return error;
  const said = cause.message ? `${advice} (${cause.message})` : `${advice} (${cause.code})`;
  return Object.assign(new Error(said, { cause: error }), { code: cause.code });
}
