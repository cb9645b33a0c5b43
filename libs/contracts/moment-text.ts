const MOMENT = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' },
});

/** A time within a sentence of the server, which does not know the reader's zone: "25 Nov 13:40 UTC". */
export const momentText = (at: string | number | Date): string => `${MOMENT.format(new Date(at)).replace(',', '')} UTC`;
