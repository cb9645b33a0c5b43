/** Something in a request that a format cannot express, or expresses differently. `what` identifies a note. */
export interface Note {
  what: string;
  message: string;
}
