/** The terms of the page that not everybody knows: what each means in two lines, and where the guide explains it. */
export const GLOSSARY = {
  interval: {
    means: 'Where the true score lies, 95 times in 100. More cases make it narrower.',
    guide: 'scoring#intervals-and-how-far-to-trust-them',
  },
  n: { means: 'How many results with a score the figure is made of.', guide: 'scoring' },
  margin: {
    means: 'The smallest difference that matters to you. Smaller ones count as the same.',
    guide: 'compare#the-margin',
  },
  points: { means: 'Hundredths: from 77 % to 53 % are 24 points.', guide: 'compare' },
  'too close to call': {
    means: 'The difference may be chance. More cases or samples decide it.',
    guide: 'compare#when-it-is-inconclusive',
  },
  'held out': {
    means: 'Cases that nothing was chosen by. Only they say whether the choice is good.',
    guide: 'tuning',
  },
  kappa: {
    means: 'Agreement beyond chance: 1 is full agreement, 0 is what chance would give.',
    guide: 'judge',
  },
  lane: { means: 'The requests to one provider or model, which share its limits.', guide: 'operations' },
  look: { means: 'A gate may decide early. Each time it measures is a look.', guide: 'scoring#gates' },
  rung: { means: 'A round of a tune. Weak combinations leave after each.', guide: 'tuning' },
  baseline: { means: 'The run that the others are compared with.', guide: 'compare#experiments' },
  case: { means: 'A prompt or conversation, and the calls that are expected.', guide: 'scoring' },
  sample: { means: 'One of several answers of a model to the same case.', guide: 'scoring' },
  errored: {
    means: 'The provider failed. It says nothing about the model, so it is in no score.',
    guide: 'scoring',
  },
  tie: { means: 'These models cannot be told apart with the cases that there are.', guide: 'compare#several-models' },
  'false alarm': {
    means: 'Of 100 comparisons of equals, about 5 are called better or worse by chance.',
    guide: 'compare#many-comparisons-with-one-baseline',
  },
  calibration: { means: 'How often people agree with the judge.', guide: 'judge' },
  'stored reply': {
    means: 'An answer kept from an earlier run of the same request. It costs nothing and is not new.',
    guide: 'costs',
  },
} as const satisfies Record<string, { means: string; guide: string }>;

export type Term = keyof typeof GLOSSARY;
