import { ApiClient, ApiError } from '#lib/client/api-client';

/** Speaks to the API that served the page, as the user of its session cookie. */
export const client = new ApiClient(location.origin);

/** The status of a refusal; undefined when there was no answer at all. */
export const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.problem.status : undefined;
