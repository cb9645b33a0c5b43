/** A key by reference cannot be had. The message is for the team that asked: it says why, and the way out. */
export class KeyRefProblem extends Error {
  constructor(
    message: string,
    /** A reference that is not listed, or a file that has not answered, may be there soon. */
    readonly why: 'unlisted' | 'unanswered' | 'refused' = 'refused',
  ) {
    super(message);
  }
}

/** Who asks for a key by reference, and where it is to be sent. */
export interface KeyRefUse {
  teamId: string;
  /** Such as `https://api.openai.com`. */
  origin: string;
}

/** The keys that the operator keeps outside of Toolmark, for the teams that may use them. */
export interface KeyRefs {
  /**
   * The current key: it may change from one call to the next.
   * @throws KeyRefProblem when the team may not use it or not there, or it cannot be read
   */
  find(ref: string, use: KeyRefUse): string;
}

/** No references. */
export const NO_KEY_REFS: KeyRefs = {
  find(ref) {
    throw notListed(ref);
  },
};

/** The same for a reference that is another team's and for one that nobody has: neither reveals the other. */
export const notListed = (ref: string): KeyRefProblem =>
  new KeyRefProblem(
    `"${ref.slice(0, 200)}" is not among the keys that your team may use by reference. Choose one of those, or ask ` +
      'the operator to list it for your team.',
    'unlisted',
  );
