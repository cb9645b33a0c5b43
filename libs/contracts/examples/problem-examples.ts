import { EXAMPLE_IDS } from './example-values.js';

const problem = (status: number, title: string, detail: string, errors?: { path: string; message: string }[]) => ({
  type: 'about:blank',
  title,
  status,
  detail,
  ...(errors && { errors }),
});

/** An example problem for each status. */
export const PROBLEM_EXAMPLES: Record<string, object> = {
  400: problem(400, 'Bad Request', '/name is missing', [{ path: '/name', message: 'is missing' }]),
  401: problem(401, 'Unauthorized', 'Send your token as "Authorization: Bearer <token>".'),
  403: problem(403, 'Forbidden', 'This needs the role "owner"; the token has "editor".'),
  404: problem(404, 'Not Found', `No suite with id "${EXAMPLE_IDS.suite}" in this team.`),
  408: problem(
    408,
    'Request Timeout',
    'The body broke off, or nothing of it came for too long. Nothing of it was kept.',
  ),
  409: problem(409, 'Conflict', 'The run is not finished. Cancel it first, with POST /api/tool-eval/cancel.'),
  413: problem(
    413,
    'Payload Too Large',
    'The body is larger than 1 MiB, the most that this route takes. Send less of it at a time.',
  ),
  415: problem(
    415,
    'Unsupported Media Type',
    'The body came as text/html. Send it as JSON, with "Content-Type: application/json".',
  ),
  422: problem(422, 'Unprocessable Entity', 'No provider "opnai". Providers: openai, simulator.', [
    { path: '/models/0', message: 'No provider "opnai". Providers: openai, simulator.' },
  ]),
  429: problem(429, 'Too Many Requests', 'Many large files are being imported just now. Try again in a few seconds.'),
  503: problem(503, 'Service Unavailable', 'The database cannot be reached at the moment. Try again in a few seconds.'),
};
