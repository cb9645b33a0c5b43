import { AuthorizationResponseError, ResponseBodyError } from 'openid-client';
import { ProviderUnavailable } from './provider-fetch.js';

/** The largest difference between the clocks of a provider and of this machine. */
export const CLOCK_TOLERANCE_S = 60;

/** Why nobody was signed in. */
export class SignInRefusal extends Error {
  constructor(
    readonly kind: 'unavailable' | 'cancelled' | 'refused' | 'grant-ended',
    /** For the person. */
    readonly sentence: string,
    /** For the operator, in the log. It has no secrets. */
    reason: string,
  ) {
    super(reason);
  }
}

/** What the libraries say about a check that failed. */
interface CheckFault extends Error {
  code?: string;
  cause?: { claim?: string; claims?: Record<string, unknown>; attribute?: string; body?: Record<string, unknown> };
}

/** Explains an error of openid-client, jose or `ProviderFetch`. Other errors are returned unchanged. */
export function explain(error: unknown, { name, issuer, client_id }: Named): SignInRefusal | Error {
  if (error instanceof SignInRefusal) return error;
  const chain = causesOf(error);
  const unavailable = chain.find((link) => link instanceof ProviderUnavailable);
  if (unavailable)
    return new SignInRefusal(
      'unavailable',
      `${name} does not answer. Try again in a few minutes.`,
      unavailable.message,
    );
  const denied = chain.find((link) => link instanceof AuthorizationResponseError);
  if (denied) return explainDenied(denied, name);
  const answered = chain.find((link) => link instanceof ResponseBodyError);
  if (answered) return explainAnswer(answered, name);
  // The innermost error says what was checked.
  const fault = chain.findLast((link): link is CheckFault => typeof (link as CheckFault).code === 'string');
  if (fault) return explainCheck(fault, { name, issuer, client_id });
  return error instanceof Error ? error : new Error(String(error));
}

interface Named {
  name: string;
  issuer: string;
  client_id: string;
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 10; link = link.cause) chain.push(link);
  return chain;
}

/** The provider sent the browser back with an error instead of a code. */
function explainDenied({ error, error_description }: AuthorizationResponseError, name: string): SignInRefusal {
  const reason = `it sent the browser back with the error ${shown(error)}: ${shown(error_description)}`;
  return error === 'access_denied'
    ? new SignInRefusal('cancelled', `The sign-in at ${name} was cancelled, or ${name} refused it.`, reason)
    : new SignInRefusal('refused', `${name} reported an error. Sign in again, or tell your administrator.`, reason);
}

/** The token endpoint, or userinfo, answered with an error. */
function explainAnswer({ error, error_description }: ResponseBodyError, name: string): SignInRefusal {
  const reason = `it answered with the error ${shown(error)}: ${shown(error_description)}`;
  if (error === 'invalid_grant')
    return new SignInRefusal(
      'grant-ended',
      'This sign-in was used before, or took too long. Sign in again.',
      `${reason}. The code or refresh token was used before, has expired, or belongs to another sign-in`,
    );
  const isOfClient = ['invalid_client', 'unauthorized_client'].includes(error);
  return new SignInRefusal(
    'refused',
    `${name} does not accept this Toolmark at the moment. Tell your administrator.`,
    isOfClient ? `${reason}. Compare client_id and client_secret; a secret may have expired` : reason,
  );
}

function explainCheck({ code = '', message, cause }: CheckFault, { name, issuer, client_id }: Named): SignInRefusal {
  const { claim, claims = {}, attribute, body } = cause ?? {};
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return clocksDiffer(name, `${claim} is ${shown(claims[claim!])}`);
  const reasons: Record<string, string> = {
    iss: `its token is of the issuer ${shown(claims.iss)} instead of ${issuer}`,
    aud: `its token is for the client ${shown(claims.aud)} instead of ${client_id}`,
    nonce: 'its ID token belongs to another sign-in (nonce)',
  };
  const reason =
    attribute === 'issuer'
      ? `its discovery document names the issuer ${shown(body?.issuer)}; "issuer" must be exactly that, not ${issuer}`
      : ((claim && reasons[claim]) ?? message);
  return new SignInRefusal(
    'refused',
    `The answer of ${name} could not be verified, so nobody is signed in. Sign in again, or tell your administrator.`,
    reason,
  );
}

export const clocksDiffer = (name: string, reason: string): SignInRefusal =>
  new SignInRefusal(
    'refused',
    `The clocks of ${name} and Toolmark differ, so nobody is signed in. Tell your administrator.`,
    `the clocks differ: ${reason}, and this machine's is ${Math.floor(Date.now() / 1000)} (seconds since 1970). ` +
      `A difference of ${CLOCK_TOLERANCE_S} s is tolerated`,
  );

/** Text of another server in a line of the log. */
const shown = (text: unknown): string => JSON.stringify(text ?? null).slice(0, 200);
