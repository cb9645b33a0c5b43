/** A URL or path without slashes at its end, so that more of a path can follow. */
export const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');
