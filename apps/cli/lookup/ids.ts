const MIN_PREFIX_LENGTH = 4;

export const isWholeId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Whether a text can be an id prefix. Shorter ones would sooner or later match by accident. */
export const isIdPrefix = (text: string): boolean =>
  text.length >= MIN_PREFIX_LENGTH && /^[\da-f]{1,8}(-[\da-f]{0,4}){0,3}(-[\da-f]{0,12})?$/i.test(text);

export const startsWithId = (id: string, prefix: string): boolean => id.startsWith(prefix.toLowerCase());
