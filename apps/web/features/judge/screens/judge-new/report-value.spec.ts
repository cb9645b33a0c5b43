import { JudgeInput } from '#lib/judge/contract';
import { emptyReport, reportRequest } from './report-value.js';

const RUN = '019aa8a2-5c1e-7000-8000-000000000031';
const OTHER = '019aa8a2-5c1e-7000-8000-000000000032';
const setting = { judge: 'p::judge', instructions: '', auto_below: 0 };

const bodyOf = (value: ReturnType<typeof emptyReport>) => {
  const written = reportRequest({ value, unread: {} });
  return 'body' in written ? JSON.parse(written.body) : written.faults.map(({ message }) => message);
};

describe('the request of a report', () => {
  it('has the defaults of the API unless something else was chosen', () => {
    const asked = { eval_id: RUN, judge: 'p::judge', instructions: '' };
    expect(JudgeInput.parse(bodyOf(emptyReport({ run: RUN, setting })))).toEqual(JudgeInput.parse(asked));
  });

  it('names both runs of a comparison, and no selection of results', () => {
    const body = bodyOf(emptyReport({ run: RUN, against: OTHER, setting }));
    expect(body).toMatchObject({ a: OTHER, b: RUN });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['eval_id']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['which']));
    expect(JudgeInput.parse(body)).toMatchObject({ judge: 'p::judge' });
  });

  it('lists missing choices', () => {
    const none = { ...setting, judge: null };
    expect(bodyOf(emptyReport({ setting: none }))).toEqual(['Choose the run to judge.', 'Choose the judge.']);
    expect(bodyOf(emptyReport({ run: RUN, against: '', setting }))).toEqual(['Choose the run to compare with.']);
  });

  it('has a budget only if one is set, and values that the API refuses', () => {
    const value = { ...emptyReport({ run: RUN, setting }), budget: { max_requests: 5 }, samples: 50 };
    expect(bodyOf(value)).toMatchObject({ budget: { max_requests: 5 }, samples: 50 });
  });
});
