/** The step of a run that tries a case out: no list shows it, whatever it is asked for. */
export const TRY_STEP = 'try';

/** Why something cannot be done with a child run alone. @param wayOut a sentence */
export const madeBy = (what: 'run' | 'job', orchestrationId: string, wayOut: string): string =>
  `The ${what} belongs to a gate run or a tune, "${orchestrationId}". ${wayOut}`;
