/** Something in a request that a format cannot express, or expresses differently. `what` tells notes apart. */
export interface Note {
  what: string;
  message: string;
}
