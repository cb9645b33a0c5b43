import { EXAMPLE_IDS, at } from './example-values.js';
import { RESULT_EXAMPLES } from './result-examples.js';

export const judge = 'simulator::judge:right';
const report = EXAMPLE_IDS.report;
const note = 'The user asked for Fahrenheit.';
const label = {
  result_id: '0-1-0',
  label: 'wrong',
  note,
  user: 'ada',
  mine: true,
  created_at: at('11:02:00'),
  updated_at: at('11:02:00'),
};
const lines = [
  { result_id: '0-1-0', label: 'wrong', note },
  { result_id: '0-0-0', label: 'acceptable' },
];
/** Lines of labels. */
export const LABELS_EXAMPLE = lines.map((line) => JSON.stringify(line)).join('\n');

const [result] = Object.values(RESULT_EXAMPLES.Result);
const draw = {
  eval_id: EXAMPLE_IDS.run,
  report_id: report,
  result,
  conversation: [{ role: 'user', content: 'Temperature in Tokyo in Fahrenheit' }],
};

/** Of 300 results that a judge finds ok and 100 that it finds wrong, 50 each are labelled. People confirm 47 and 45. */
export const calibrated = {
  status: 'good',
  labels: 100,
  kappa: 0.8181818181818181,
  ci: [0.6729596681340534, 0.9634039682295829],
  text: 'Good: kappa 0.82 (0.67 to 0.96) beside 100 labels of people.',
};
const calibration = {
  ...calibrated,
  judge,
  report_id: report,
  instructions: 'Times without a zone are local.',
  reports: 2,
  linear: { kappa: 0.7522658610271904, ci: [0.6190751622681362, 0.8854565597862446] },
  ok: { n: 50, share: 0.94, ci: [0.8378290831116183, 0.9793850296510261] },
  wrong: { n: 50, share: 0.9, ci: [0.7863976856252035, 0.9565242350681097] },
  left_out: 3,
  asked: 100,
};
const uncalibrated = {
  status: 'uncalibrated',
  labels: 0,
  kappa: null,
  ci: null,
  text: 'Uncalibrated: 0 of 50 labels; what this judge says is its opinion alone.',
};
const nothing = { n: 0, share: null, ci: null };

export const LABEL_EXAMPLES = {
  LabelInput: {
    'A result is wrong': { label: 'wrong', note },
    'Another way that serves the user': { label: 'acceptable' },
  },
  LabelsInput: { 'Two labels': { labels: lines } },
  Label: {
    'Your label': label,
    'That of somebody else': { ...label, label: 'acceptable', note: null, user: 'grace', mine: false },
  },
  LabelsImported: { 'Two labels': { labels: 2 } },
  LabelDraw: { 'A result to label': draw },
  LabelQueue: {
    'A result to label': {
      judge,
      items: [draw],
      labelled: 42,
      asked: 100,
      left: 358,
    },
    'Nothing is left to label': { judge, items: [], labelled: 100, asked: 100, left: 0 },
  },
  CalibrationHead: { 'A judge that people confirm': calibrated, 'A judge without labels': uncalibrated },
  Calibration: {
    'A judge that people confirm': calibration,
    'A judge without a report': {
      ...calibration,
      ...uncalibrated,
      report_id: null,
      instructions: '',
      reports: 0,
      linear: { kappa: null, ci: null },
      ok: nothing,
      wrong: nothing,
      left_out: 0,
    },
  },
};
