/** Something of a request that a format cannot say, or says otherwise. `what` tells notes apart. */
export interface Note {
  what: string;
  message: string;
}
