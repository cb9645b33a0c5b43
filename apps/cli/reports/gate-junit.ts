import type { GateAnswer, GateTarget } from '#lib/gate/contract';
import { escapeXml as xml } from '#lib/contracts/xml';
import { beginning } from '../output/table.js';
import { headline, type GateCase } from './gate.js';

const MAX_TEXT = 2000;

/** The state of a test in JUnit: passed if it has no child element, otherwise named by it. */
type State = 'failures' | 'errors' | 'skipped' | 'passed';
interface Test {
  name: string;
  state: State;
  /** The content of the test's element. */
  body: string;
}

/**
 * A gate for a CI server: a test suite for each model, and the suite `gate` with one test. Broken cases fail only if
 * their model fails; otherwise they are reported in the output of their test.
 * @param cut whether cases were left out
 */
export function gateJunit(answer: GateAnswer, cases: readonly GateCase[], cut: boolean): string {
  const suites = answer.targets.map((target) => {
    const own = cases.filter((one) => one.target === target.target).map((one) => caseTest(one, target));
    return suite(target.target, own, target.text);
  });
  const note = cut ? 'There are too many cases: the report leaves some out.' : '';
  return documentOf(answer.gate.name, [
    ...suites,
    suite(answer.gate.name, [...uncomparedTests(answer), gateTest(answer)], note, 'gate'),
  ]);
}

/** A gate without an answer, for a CI server that would otherwise read an outdated report, or none. */
export function unansweredJunit(gate: string, why: string): string {
  const test: Test = { name: gate, state: 'errors', body: element('error', 'unanswered', why) };
  return documentOf(gate, [suite(gate, [test], '', 'gate')]);
}

type Suite = ReturnType<typeof suite>;
function documentOf(gate: string, all: readonly Suite[]): string {
  const total = (state: State): number =>
    all.flatMap(({ tests }) => tests).filter((test) => test.state === state).length;
  const count = all.reduce((sum, { tests }) => sum + tests.length, 0);
  const numbers = counts(count, total);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(short(`toolmark gate ${gate}`))}" ${numbers}>`,
    ...all.map(({ text }) => text),
    '</testsuites>',
    '',
  ].join('\n');
}

const short = (text: string): string => beginning(text, MAX_TEXT);
const counts = (tests: number, of: (state: State) => number): string =>
  `tests="${tests}" failures="${of('failures')}" errors="${of('errors')}" skipped="${of('skipped')}"`;

function suite(classname: string, tests: readonly Test[], output: string, name = classname) {
  const open = `<testsuite name="${xml(short(name))}" ${counts(
    tests.length,
    (state) => tests.filter((test) => test.state === state).length,
  )}>`;
  const each = tests.map(
    (test) => `<testcase classname="${xml(short(classname))}" name="${xml(short(test.name))}">${test.body}</testcase>`,
  );
  const text = [open, ...each, ...(output ? [systemOut(output)] : []), '</testsuite>'].join('\n');
  return { tests, text };
}

const systemOut = (text: string): string => `<system-out>${xml(short(text))}</system-out>`;
const element = (name: string, type: string, message: string, details = ''): string =>
  `<${name} type="${xml(short(type))}" message="${xml(short(message))}">${xml(short(details))}</${name}>`;

function caseTest(one: GateCase, target: GateTarget): Test {
  const { name, state, samples, expected, called, explanation } = one;
  const [sentence = state] = explanation;
  if (state === 'errored') return { name, state: 'errors', body: element('error', state, sentence) };
  if (state !== 'broken' && state !== 'worse') return { name, state: 'passed', body: '' };
  const details = [`${state}: ${samples}`, `expected ${expected}`, `called ${called}`, ...explanation].join('\n');
  return target.result === 'fail'
    ? { name, state: 'failures', body: element('failure', state, sentence, details) }
    : { name, state: 'passed', body: systemOut(details) };
}

/** Cases that could not be compared are counted, not named: the answer does not name them. */
function uncomparedTests({ cases }: GateAnswer): Test[] {
  if (!cases) return [];
  const kinds: [count: number, what: string][] = [
    [cases.changed, 'changed'],
    [cases.only_a, 'only in the baseline'],
    [cases.only_b, 'only in the run'],
    [cases.dropped_errored, 'left out because of errors'],
  ];
  return kinds
    .filter(([count]) => count > 0)
    .map(([count, what]) => {
      const message = `${count} ${count === 1 ? 'case' : 'cases'} ${what}: not compared`;
      return { name: `cases ${what}`, state: 'skipped', body: `<skipped message="${xml(message)}"/>` };
    });
}

function gateTest(answer: GateAnswer): Test {
  const { gate, result, text, targets } = answer;
  const name = `${gate.name} v${gate.version}`;
  const details = [headline(answer), ...targets.map((target) => `${target.target}: ${target.text}`)].join('\n');
  switch (result) {
    case 'pass':
      return { name, state: 'passed', body: systemOut(details) };
    case 'fail':
      return { name, state: 'failures', body: element('failure', result, text, details) };
    case 'not_measured':
      return { name, state: 'errors', body: element('error', result, text, details) };
    case 'inconclusive':
      return { name, state: 'skipped', body: `<skipped message="${xml(short(text))}"/>${systemOut(details)}` };
  }
}
