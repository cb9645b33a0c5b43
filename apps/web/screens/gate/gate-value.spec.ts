import { GateInput, GateUpdate } from '#lib/gate/contract';
import { changesOf, emptyGate, requestOf, valueOf } from './gate-value.js';

const ID = '019aa8a2-5c1e-7000-8000-000000000011';

it('empty fields of the form are sent as the empty values of the API', () => {
  const { critical_tags: _tags, max_requests: _most, ...typed } = emptyGate(ID, ID);
  expect(requestOf({ ...typed, floor: {}, models: [] })).toMatchObject({
    floor: null,
    models: null,
    critical_tags: [],
    max_requests: null,
  });
  expect(requestOf({ ...typed, floor: { pass_rate: 0.9 } })).toMatchObject({ floor: { pass_rate: 0.9 } });
  expect(GateInput.safeParse({ ...requestOf(typed), name: 'main' }).success).toBe(true);
});

it('only changed fields are sent', () => {
  const gate = { ...emptyGate(ID, ID), name: 'main', id: ID, version: 3, floor: { pass_rate: 0.5 } };
  const stored = valueOf(gate as never);
  expect(changesOf(stored, stored)).toEqual({});
  const { floor: _floor, ...without } = stored;
  const changes = changesOf({ ...without, margin: 0.05, critical_tags: ['money'] }, stored);
  expect(changes).toEqual({ margin: 0.05, critical_tags: ['money'], floor: null });
  expect(GateUpdate.safeParse(changes).success).toBe(true);
});
