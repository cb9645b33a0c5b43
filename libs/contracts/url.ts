/** A URL or path without trailing slashes, ready to append to. */
export const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');
