import { ApiClient, ApiError } from '#lib/client/api-client';

/** Calls the API that served the page, authenticated by the session cookie. */
export const client = new ApiClient(location.origin);

/** The status of a refusal; undefined when there was no response. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.problem.status : undefined;
