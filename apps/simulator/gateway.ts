import type { IncomingMessage } from 'node:http';
import { errorResponse, type ResponsePlan } from './formats/chat-completions.js';
import { formatOf, formatOfHost, inFormat } from './formats/formats.js';

/** `/gateway/<status>/<demands>` in front of any path. */
const GATEWAY = /^\/gateway\/(\d{3})\/([^/]+)(\/.*)$/;
const RETRY_AFTER_S = 3600;

/**
 * Plays a gateway that wants headers: `x-team=blue` demands this value, `x-team` any, and `!authorization` none. It
 * refuses in the words of a gateway that repeats what it was sent.
 * @returns the refusal; undefined if the request may pass, which has the path behind the gateway then
 */
export function passGateway(request: IncomingMessage): ResponsePlan | undefined {
  const [, status, demands = '', rest] = GATEWAY.exec(request.url ?? '') ?? [];
  if (rest === undefined) return undefined;
  request.url = rest;
  const why = demands.split(',').flatMap((demand) => whyRefused(decodeURIComponent(demand), request))[0];
  if (why === undefined) return undefined;
  const headers: Record<string, string> = status === '429' ? { 'retry-after': String(RETRY_AFTER_S) } : {};
  return inFormat(
    formatOf(rest)?.format ?? formatOfHost(rest),
    errorResponse(Number(status), `The gateway ${why}.`, 'gateway_refused', { headers }),
  );
}

function whyRefused(demand: string, { headers }: IncomingMessage): string[] {
  const [, not, name = '', value] = /^(!?)([^=]+)(?:=(.*))?$/s.exec(demand) ?? [];
  const given = headers[name.toLowerCase()];
  if (not) return given === undefined ? [] : [`takes no header ${name}, and got "${String(given)}"`];
  if (given === undefined) return [`needs the header ${name}`];
  return value === undefined || given === value ? [] : [`does not know the ${name} "${String(given)}"`];
}
