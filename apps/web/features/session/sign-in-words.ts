const WHY: Record<string, (provider: string) => string> = {};

/** What went wrong at the last sign-in, in a sentence. @param why a code of the API */
export const whyNot = (why: string, provider = 'The provider'): string =>
  (Object.hasOwn(WHY, why) ? WHY[why]! : OTHER)(provider);

const OTHER = (provider: string): string => `${provider} did not sign you in. Try again, or ask an owner of your team.`;
