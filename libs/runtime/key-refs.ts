/** A key by reference cannot be had. The message says why, and the way out. */
export class KeyRefProblem extends Error {}

/** Who asks for a key by reference, and where it is to be sent. */
export interface KeyRefUse {
  teamId: string;
  /** Such as `https://api.openai.com`. */
  origin: string;
}

/** The keys that the operator keeps outside of Toolmark, for the teams that may use them. */
export interface KeyRefs {
  /** @throws KeyRefProblem when the team may not use it, or it cannot be read */
  find(ref: string, use: KeyRefUse): string;
}

/** No references. */
export const NO_KEY_REFS: KeyRefs = {
  find(ref) {
    throw new KeyRefProblem(`"${ref}" is not among the keys that your team may use by reference. Ask the operator.`);
  },
};
