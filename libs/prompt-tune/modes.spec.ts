import { seededRandom } from '#lib/scoring/statistics/seeded-random';
import { beginSearch } from './begin-search.js';
import { pickComponent } from './pick-component.js';
import {
  keyOf,
  replay,
  type Answer,
  type Ask,
  type Command,
  type Proposals,
  type Replayed,
  type SearchSettings,
  type Texts,
} from './search.js';

const TOOLS = ['get_weather', 'set_alarm', 'send_mail'];
const BASE: Texts = {
  system_prompt: 'You are helpful.',
  ...Object.fromEntries(TOOLS.map((tool) => [`tools/${tool}/description`, `Does ${tool}.`])),
};
const CASES = 60;
const toolOf = (position: number): string => TOOLS[position % TOOLS.length]!;
const HELD_OUT = 18;
const tuning = Array.from({ length: CASES - HELD_OUT }, (_, n) => n);
const SETTINGS: SearchSettings = {
  mode: 'reflective',
  base: BASE,
  reflect: tuning.slice(0, 24),
  select: tuning.slice(24),
  seed: 1,
  samples: 1,
  models: 1,
  variants: 8,
  population: 6,
  generations: 3,
  selectionRatio: 0.4,
  minibatch: 4,
  maxEvaluations: 300,
};

interface Phrase {
  component: string;
  phrase: string;
  gain: number;
}
const PHRASES: Phrase[] = [
  { component: 'system_prompt', phrase: 'Call one tool.', gain: 0.3 },
  { component: 'tools/get_weather/description', phrase: 'Name the city.', gain: 0.6 },
  { component: 'tools/set_alarm/description', phrase: 'Write hours as HH:MM.', gain: 0.6 },
];

/** A model that gets a case right when the case's random number is below the success rate of its texts. */
function modelOf(seed: number, phrases: readonly Phrase[], base = 0.2) {
  const random = seededRandom(seed);
  const chances = Array.from({ length: CASES * 10 }, random);
  return (texts: Texts, position: number, sample: number): number => {
    const skill = phrases
      .filter(({ component }) => component === 'system_prompt' || component === `tools/${toolOf(position)}/description`)
      .filter(({ component, phrase }) => texts[component]!.includes(phrase))
      .reduce((sum, { gain }) => sum + gain, base);
    return Number(chances[position * 10 + sample]! < skill);
  };
}
type Model = ReturnType<typeof modelOf>;
/** A pause that does nothing: no other work waits for the thread. */
const go = async (): Promise<void> => {};
type Meta = (ask: Ask, component: string, current: Texts) => Answer;

/** Adds the phrase that helps the requested component, or else words without effect. */
const helpful: Meta = ({ iteration, n }, component, current) => {
  const { phrase = `Be careful (${iteration}, ${n}).` } = PHRASES.find((one) => one.component === component) ?? {};
  const text = current[component]!.includes(phrase)
    ? `${current[component]!} Again (${iteration}, ${n}).`
    : `${current[component]!} ${phrase}`;
  return { proposals: [{ texts: { [component]: text }, why: 'It helps.', fault: null }], unreadable: null };
};
/** Writes as many variants as requested, each with a phrase. */
const prolific: Meta = (ask, _component, current) =>
  ask.task === 'variants'
    ? {
        unreadable: null,
        proposals: Array.from({ length: ask.count }, (_, n) => {
          const { component, phrase } = PHRASES[n % PHRASES.length]!;
          return {
            texts: { [component]: `${current[component]!} ${phrase} (${n})` },
            why: `Variant ${n}.`,
            fault: null,
          };
        }),
      }
    : {
        unreadable: null,
        proposals: [
          {
            texts:
              ask.task === 'crossover'
                ? Object.fromEntries(
                    Object.keys(current).map((key) => [
                      key,
                      ask.parents.map(({ texts }) => texts[key]!).sort((a, b) => b.length - a.length)[0]!,
                    ]),
                  )
                : (() => {
                    const { component, phrase } = PHRASES[ask.n % PHRASES.length]!;
                    return { [component]: `${current[component]!} ${phrase} (${ask.iteration})` };
                  })(),
            why: 'Better.',
            fault: null,
          },
        ],
      };

/** The answers of a model and a meta model to the commands of a search, and the requests to the meta model. */
function playing(model: Model, meta: Meta): { asked: Ask[]; answer: (command: Command) => Answer } {
  const asked: Ask[] = [];
  const answer = (command: Command): Answer => {
    if (command.do === 'measure') {
      const { candidate, cases, firstSample, samples } = command;
      const meanOf = (position: number): number => {
        const scores = Array.from({ length: samples }, (_, n) => model(candidate.texts, position, firstSample + n));
        return scores.reduce((sum, score) => sum + score, 0) / samples;
      };
      return new Map(cases.map((position) => [position, meanOf(position)]));
    }
    asked.push(command);
    const [parent] = command.parents;
    const failures = command.cases
      .filter((position) => (parent!.scores.get(position) ?? 1) < 1)
      .map((position) => [toolOf(position)]);
    return meta(command, pickComponent(command.components, failures, command.tries), parent!.texts);
  };
  return { asked, answer };
}

/** Runs a search as workers do: step by step, each from the stored answers. */
async function carryOut(settings: SearchSettings, model: Model, meta: Meta): Promise<Replayed & { asked: Ask[] }> {
  const stored = new Map<string, Answer>();
  const { asked, answer } = playing(model, meta);
  for (;;) {
    const replayed = await replay(beginSearch, settings, (command) => stored.get(keyOf(command)), go);
    if (replayed.finding) return { ...replayed, asked };
    expect(replayed.next.length).toBeGreaterThan(0);
    for (const command of replayed.next) {
      expect(stored.has(keyOf(command))).toBe(false);
      stored.set(keyOf(command), answer(command));
    }
  }
}

/** Runs a search in one go, with the same result in a fraction of the time. */
async function carryOutAtOnce(
  settings: SearchSettings,
  model: Model,
  meta: Meta,
): Promise<Replayed & { asked: Ask[]; stored: Map<string, Answer> }> {
  const stored = new Map<string, Answer>();
  const { asked, answer } = playing(model, meta);
  const answerOf = (command: Command): Answer => {
    const given = stored.get(keyOf(command)) ?? answer(command);
    stored.set(keyOf(command), given);
    return given;
  };
  return { ...(await replay(beginSearch, settings, answerOf, go)), asked, stored };
}

const bestOf = ({ journal, finding }: Replayed) => journal.candidates[finding!.best]!;
const phrasesIn = (texts: Texts): number =>
  PHRASES.filter(({ component, phrase }) => texts[component]!.includes(phrase)).length;

describe('a reflective search', () => {
  it.each(Array.from({ length: 20 }, (_, n) => n + 1))(
    'finds three phrases, two in descriptions of tools, within 300 evaluations (seed %i)',
    async (seed) => {
      const found = await carryOut({ ...SETTINGS, seed }, modelOf(seed, PHRASES), helpful);
      expect(phrasesIn(bestOf(found).texts)).toBe(3);
      expect(found.journal.evaluations).toBeLessThanOrEqual(300);
    },
  );

  it('keeps the base for a model that ignores its texts, for every seed', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const found = await carryOut({ ...SETTINGS, seed }, modelOf(seed, []), helpful);
      expect(found.finding).toEqual({ best: 0, finalists: [], failed: null });
      expect(found.journal.candidates.filter(({ state }) => state === 'accepted')).toHaveLength(1);
      // Ten rejections in a row end the search.
      expect(found.asked.length).toBeLessThanOrEqual(10);
    }
  });

  it('stays within its limit, even if it searches long for a case that the parent fails', async () => {
    const gains = PHRASES.map((phrase) => ({ ...phrase, gain: 1 }));
    for (let seed = 1; seed <= 10; seed++)
      for (let maxEvaluations = 68; maxEvaluations <= 130; maxEvaluations += 2) {
        const settings = { ...SETTINGS, seed, reflect: tuning.slice(0, 36), select: tuning.slice(36), maxEvaluations };
        const { journal } = await carryOutAtOnce(settings, modelOf(seed, gains), helpful);
        expect(journal.evaluations).toBeLessThanOrEqual(maxEvaluations);
      }
  });

  it('shows the meta model only reflection cases', async () => {
    const { asked } = await carryOut(SETTINGS, modelOf(1, PHRASES), helpful);
    const shown = new Set(asked.flatMap(({ cases }) => cases));
    expect([...shown].filter((position) => !SETTINGS.reflect.includes(position))).toEqual([]);
    expect(shown.size).toBeGreaterThan(0);
  });

  it('measures a child on the selection cases only if it does better on the cases of its reflection', async () => {
    const { journal } = await carryOut(SETTINGS, modelOf(3, PHRASES), helpful);
    for (const candidate of journal.candidates.slice(1)) {
      const isMeasured = SETTINGS.select.every((position) => candidate.scores.has(position));
      expect(isMeasured).toBe(candidate.state === 'accepted');
      if (candidate.kind === 'reflection' && isMeasured)
        expect(candidate.trial!.own).toBeGreaterThan(candidate.trial!.parent);
    }
  });

  it('rejects texts that differ only in white space from earlier ones', async () => {
    const same: Meta = (_ask, component, current) => ({
      proposals: [{ texts: { [component]: `  ${current[component]!}\n` }, why: null, fault: null }],
      unreadable: null,
    });
    const { journal } = await carryOut(SETTINGS, modelOf(1, PHRASES), same);
    const reasons = new Set(journal.candidates.slice(1).map(({ reason }) => reason));
    expect([...reasons]).toEqual(['It does not change anything.']);
    expect(journal.candidates).toHaveLength(11);
  });

  it('counts an unreadable reply as a rejection, like a faulty text', async () => {
    const silent: Meta = ({ iteration }, component) =>
      iteration % 2 === 0
        ? { proposals: [], unreadable: 'it does not call any tool.' }
        : {
            proposals: [{ texts: { [component]: 'x' }, why: null, fault: 'It repeats words of a case.' }],
            unreadable: null,
          };
    const { journal, finding } = await carryOut(SETTINGS, modelOf(1, PHRASES), silent);
    expect(finding!.best).toBe(0);
    expect(new Set(journal.candidates.slice(1).map(({ state }) => state))).toEqual(new Set(['rejected']));
    expect(new Set(journal.candidates.slice(1).map(({ reason }) => reason))).toEqual(
      new Set(['It repeats words of a case.', 'The reply of the meta model is invalid: it does not call any tool.']),
    );
  });

  it('leaves a candidate with errored cases undecided, and never counts them as wrong', async () => {
    const settings = { ...SETTINGS, seed: 2 };
    const model = modelOf(2, PHRASES);
    const stored = new Map<string, Answer>();
    for (;;) {
      const replayed = await replay(beginSearch, settings, (command) => stored.get(keyOf(command)), go);
      if (replayed.finding) {
        expect(replayed.finding.best).toBe(0);
        const made = replayed.journal.candidates.slice(1);
        expect(new Set(made.map(({ state }) => state))).toEqual(new Set(['undecided']));
        expect(made[0]!.reason).toMatch(/errored twice/);
        return;
      }
      for (const command of replayed.next) {
        if (command.do === 'ask')
          stored.set(keyOf(command), helpful(command, command.components[0]!, command.parents[0]!.texts));
        else {
          const isBase = command.candidate.id === 0;
          const scored = command.cases.slice(0, isBase ? undefined : -1);
          stored.set(
            keyOf(command),
            new Map(scored.map((position) => [position, model(command.candidate.texts, position, 0)])),
          );
        }
      }
    }
  });

  it('ends without an answer if the base itself has no scores', async () => {
    const found = await replay(beginSearch, SETTINGS, () => new Map(), go);
    expect(found.finding).toMatchObject({ best: 0, failed: expect.stringMatching(/^The base has no score/) });
  });

  it('tries a text that is proposed again on further cases if it was not better by bad luck', async () => {
    const [{ component, phrase }] = PHRASES as [Phrase];
    const base = { [component]: BASE[component]! };
    const model = (seed: number): Model => {
      const chances = Array.from({ length: CASES }, seededRandom(seed));
      return (texts, position) => Number(chances[position]! < (texts[component]!.includes(phrase) ? 0.4 : 0.2));
    };
    const stubborn: Meta = () => ({
      proposals: [{ texts: { [component]: `${base[component]!} ${phrase}` }, why: null, fault: null }],
      unreadable: null,
    });
    const searches = await Promise.all(
      Array.from({ length: 20 }, (_, n) => carryOut({ ...SETTINGS, base, seed: n + 1 }, model(n + 1), stubborn)),
    );
    const later = searches.filter(({ asked, journal }) => {
      const [, child] = journal.candidates;
      return child!.state === 'accepted' && asked.filter(({ parents }) => parents[0]!.id === 0).length > 1;
    });
    expect(later.length).toBeGreaterThan(0);
    for (const { journal } of searches)
      expect(journal.candidates.filter(({ parents }) => parents[0] === 0)).toHaveLength(1);
    // The journal reports the last try.
    for (const { journal, asked } of later) {
      const child = journal.candidates[1]!;
      const ask = asked.find(({ iteration }) => iteration === child.iteration)!;
      expect(child.iteration).toBeGreaterThan(1);
      expect(child.ask).toBe(keyOf(ask));
      const told = journal.generations.filter(({ accepted, rejected }) => [...accepted, ...rejected].includes(1));
      expect(told.at(-1)).toMatchObject({ iteration: child.iteration, accepted: [1], rejected: [] });
      expect(told.length).toBeGreaterThan(1);
    }
  });

  it('ends after a thousand iterations with a note', async () => {
    // Every tenth text improves a little, and there is always one that does.
    const model: Model = (texts) => Number(/step (\d+)/.exec(texts.system_prompt!)?.[1] ?? 0) / 1000;
    const slow: Meta = ({ iteration }, component) => ({
      proposals: [
        {
          texts: { [component]: iteration % 10 === 0 ? `step ${iteration / 10}` : `${iteration}` },
          why: null,
          fault: null,
        },
      ],
      unreadable: null,
    });
    const base = { system_prompt: 'step 0' };
    const settings = { ...SETTINGS, base, reflect: [0], select: [0], minibatch: 1, maxEvaluations: 20_000 };
    const { journal, finding } = await carryOutAtOnce(settings, model, slow);
    expect(journal.generations).toHaveLength(1000);
    expect(journal.notes.map(({ text }) => text)).toEqual([
      'The search ended after 1000 iterations, which is the maximum.',
    ]);
    expect(finding!.best).toBe(journal.accepted.at(-1)!.id);
  });

  it('combines what two candidates have learnt separately', async () => {
    // Each phrase helps with its own tool and hurts with the next, so no candidate is better than its parent on all
    // cases.
    const own = TOOLS.map((tool) => ({ component: `tools/${tool}/description`, phrase: `More about ${tool}.` }));
    const model = (seed: number): Model => {
      const random = seededRandom(seed);
      const chances = Array.from({ length: CASES }, random);
      return (texts, position) => {
        const has = own.map(({ component, phrase }) => texts[component]!.includes(phrase));
        const tool = position % TOOLS.length;
        const skill = 0.4 + (has[tool] ? 0.5 : 0) - (has[(tool + 1) % TOOLS.length] ? 0.2 : 0);
        return Number(chances[position]! < skill);
      };
    };
    const meta: Meta = (ask, component, current) => {
      const phrase = own.find((one) => one.component === component)?.phrase ?? `Be careful (${ask.iteration}).`;
      const text = `${current[component]!} ${current[component]!.includes(phrase) ? ask.iteration : phrase}`;
      return { proposals: [{ texts: { [component]: text }, why: null, fault: null }], unreadable: null };
    };
    const searches = await Promise.all(
      Array.from({ length: 20 }, (_, seed) =>
        carryOutAtOnce({ ...SETTINGS, seed, maxEvaluations: 1000 }, model(seed), meta),
      ),
    );
    const merged = searches.flatMap(({ journal }) =>
      journal.candidates.filter(({ kind }) => kind === 'merge').map((one) => ({ one, journal })),
    );
    expect(merged.length).toBeGreaterThan(0);
    for (const { one, journal } of merged) {
      const [a, b] = one.parents.map((id) => journal.candidates[id]!);
      for (const [component, text] of Object.entries(one.texts))
        expect([a!.texts[component], b!.texts[component]]).toContain(text);
      expect(one.trial!.cases).toBeLessThanOrEqual(5);
      expect(one.state === 'accepted').toBe(one.trial!.own >= one.trial!.parent);
    }
  });
});

describe('a quick search', () => {
  const settings: SearchSettings = { ...SETTINGS, mode: 'quick' };

  it('sends one request and tries each text on all tuning cases', async () => {
    const { journal, asked, finding } = await carryOut(settings, modelOf(1, PHRASES), prolific);
    expect(asked.map(({ task, count, cases }) => [task, count, cases.length])).toEqual([['variants', 8, 10]]);
    expect(journal.candidates).toHaveLength(9);
    for (const { scores } of journal.candidates) expect(scores.size).toBe(42);
    expect(journal.evaluations).toBe(9 * 42);
    expect(finding!.best).not.toBe(0);
  });

  it('keeps the base when all texts do equally well', async () => {
    expect((await carryOut(settings, modelOf(1, []), prolific)).finding).toEqual({
      best: 0,
      finalists: [],
      failed: null,
    });
  });

  it('accepts no more texts than it requested', async () => {
    const eager: Meta = (ask, component, current) => prolific({ ...ask, count: 50 }, component, current);
    expect((await carryOut(settings, modelOf(1, PHRASES), eager)).journal.candidates).toHaveLength(9);
  });
});

describe('an evolutionary search', () => {
  const settings: SearchSettings = { ...SETTINGS, mode: 'evolutionary' };

  it('keeps the best, and creates half of the others from one parent and half from two', async () => {
    const { journal, asked } = await carryOut(settings, modelOf(1, PHRASES), prolific);
    expect(asked.map(({ task }) => task)).toEqual([
      'variants',
      ...['mutate', 'mutate', 'mutate', 'crossover', 'crossover'],
      ...['mutate', 'mutate', 'mutate', 'crossover', 'crossover'],
    ]);
    expect(journal.generations.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
    const scores = journal.generations.map(({ best }) => best.score!);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
    for (const { kind, parents } of journal.candidates.slice(1))
      expect(parents).toHaveLength(kind === 'crossover' ? 2 : 1);
  });

  it('shows for a mutation at most four cases, all of which the parent failed', async () => {
    const { asked } = await carryOut(settings, modelOf(1, PHRASES), prolific);
    for (const { cases, parents } of asked.filter(({ task }) => task === 'mutate')) {
      expect(cases.length).toBeLessThanOrEqual(4);
      for (const position of cases) {
        expect(SETTINGS.reflect).toContain(position);
        expect(parents[0]!.scores.get(position)).toBe(0);
      }
    }
  });

  it('finds what no single generation has', async () => {
    expect(phrasesIn(bestOf(await carryOut(settings, modelOf(1, PHRASES), prolific)).texts)).toBe(3);
  });
});

describe('every search', () => {
  it.each(['evolutionary', 'reflective'] as const)(
    'ends with a note when its meta model has written sixteen million characters: %s',
    async (mode) => {
      const wordy: Meta = (ask, component, current) => {
        const { proposals } = (mode === 'reflective' ? helpful : prolific)(ask, component, current) as Proposals;
        const texts = { unheard: 'x'.repeat(2_000_000) };
        return { proposals: [...proposals, { texts, why: null, fault: 'It is too long.' }], unreadable: null };
      };
      const settings = { ...SETTINGS, mode, generations: 20, maxEvaluations: 20_000 };
      const { journal, finding, asked } = await carryOutAtOnce(settings, modelOf(1, PHRASES), wordy);
      // The texts of a generation are requested together.
      expect(asked.length).toBeLessThanOrEqual(mode === 'reflective' ? 8 : 11);
      expect(journal.notes.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^The search ended early: .* 16 million characters/),
      ]);
      expect(finding!.finalists.length).toBeGreaterThan(1);
    },
  );

  it('does not block its thread while it is replayed', async () => {
    const settings = { ...SETTINGS, maxEvaluations: 2000 };
    const { stored, journal } = await carryOutAtOnce(settings, modelOf(2, PHRASES), helpful);
    let pauses = 0;
    const repeated = await replay(
      beginSearch,
      settings,
      (command) => stored.get(keyOf(command)),
      async () => void pauses++,
    );
    expect(repeated.journal.candidates).toEqual(journal.candidates);
    expect(pauses).toBe(Math.floor(stored.size / 25));
    expect(pauses).toBeGreaterThan(1);
  });

  it.each(['quick', 'evolutionary', 'reflective'] as const)(
    'is deterministic for the same answers: %s',
    async (mode) => {
      const meta = mode === 'reflective' ? helpful : prolific;
      const once = () => carryOut({ ...SETTINGS, mode }, modelOf(5, PHRASES), meta);
      expect((await once()).journal.candidates).toEqual((await once()).journal.candidates);
    },
  );

  it('measures its finalists and the base again, and chooses the best of these', async () => {
    const { journal, finding } = await carryOut(SETTINGS, modelOf(1, PHRASES), helpful);
    expect(finding!.finalists[0]).toBe(0);
    expect(finding!.finalists.length).toBeLessThanOrEqual(4);
    const finals = finding!.finalists.map((id) => journal.candidates[id]!.final!);
    expect(journal.candidates[finding!.best]!.final).toBe(Math.max(...finals));
  });
});
