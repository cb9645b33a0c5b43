import type { CaseInput } from '#lib/contracts/case';
import type { ExpectedCall } from '#lib/contracts/scoring-config';
import type { Tool } from '#lib/contracts/tool';
import type { ArgumentMatch, DeclaredArguments } from '../arguments/match-arguments.js';
import type { CallPairs } from './pair-calls.js';

/** Data derived from a case. It is computed once for all replies to the case. */
export interface PreparedCase {
  input: CaseInput;
  passThreshold: number;
  expected: ExpectedCall[];
  /** The acceptable names of each expected call, in lower case. */
  accepted: Set<string>[];
  abstention: boolean;
  /** The tools of the case, by their names in lower case. */
  tools: Map<string, Tool>;
  /** What each tool declares about omitted arguments. */
  declared: Map<string, DeclaredArguments>;
}

/** How well a call answers an expected call. */
export interface CandidatePair {
  weight: number;
  /** The comparison of the arguments; null when none are expected. */
  match: ArgumentMatch | null;
}

/** The calls of a reply, paired with the expected calls. */
export interface Pairing {
  /** By index of the expected call, then of the call. */
  candidates: CandidatePair[][];
  pairs: CallPairs;
  /** Indexes of expected calls without a call. */
  missing: number[];
  /** Indexes of calls without an expected call. */
  unexpected: number[];
}
