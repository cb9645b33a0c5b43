export const GATE_RESULTS = ['pass', 'fail', 'inconclusive', 'not_measured'] as const;
