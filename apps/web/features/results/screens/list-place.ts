import { createContext } from 'react';

/** Where an opened result is in its list, from 1. */
export interface ListPlace {
  position: number;
  /** Undefined while it is not known. */
  total: number | undefined;
}

/** Undefined if the opened result is in no page that has been read. */
export const PlaceInList = createContext<ListPlace | undefined>(undefined);
