import { GateInput, GateUpdate } from '#lib/gate/contract';
import { gateChanges, emptyGate, gateRequest, editableGate } from './gate-value.js';
import { lookKey } from './look-key.js';

const ID = '019aa8a2-5c1e-7000-8000-000000000011';

it('empty fields of the form are sent as the empty values of the API', () => {
  const { critical_tags: _tags, max_requests: _most, ...typed } = emptyGate(ID, ID);
  expect(gateRequest({ ...typed, floor: {}, models: [] })).toMatchObject({
    floor: null,
    models: null,
    critical_tags: [],
    max_requests: null,
  });
  expect(gateRequest({ ...typed, floor: { pass_rate: 0.9 } })).toMatchObject({ floor: { pass_rate: 0.9 } });
  expect(GateInput.safeParse({ ...gateRequest(typed), name: 'main' }).success).toBe(true);
});

it('only changed fields are sent', () => {
  const gate = { ...emptyGate(ID, ID), name: 'main', id: ID, version: 3, floor: { pass_rate: 0.5 } };
  const stored = editableGate(gate as never);
  expect(gateChanges(stored, stored)).toEqual({});
  const { floor: _floor, ...without } = stored;
  const changes = gateChanges({ ...without, margin: 0.05, critical_tags: ['money'] }, stored);
  expect(changes).toEqual({ margin: 0.05, critical_tags: ['money'], floor: null });
  expect(GateUpdate.safeParse(changes).success).toBe(true);
});

it('each look reads its broken cases again, and the same look does not', () => {
  const keyAt = (number: number, samples: [number, number]) =>
    lookKey({ look: { number }, targets: [{ samples }] } as never);
  expect(keyAt(1, [1, 1])).toBe(keyAt(1, [1, 1]));
  expect(keyAt(2, [2, 2])).not.toBe(keyAt(1, [1, 1]));
  expect(keyAt(1, [1, 4])).not.toBe(keyAt(1, [1, 1]));
});
