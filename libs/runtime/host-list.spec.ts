import { HostList, isHostPattern } from './host-list.js';

it('a list of hosts takes networks, addresses, names and suffixes, with and without ports', () => {
  const list = new HostList([
    '10.0.0.0/8',
    '127.0.0.1:8502',
    '[::1]:11434',
    'fd00::/8',
    'llm',
    '*.a.example',
    'b.example:1',
  ]);
  expect(list.hasAddress('10.200.0.1', 1)).toBe(true);
  expect([list.hasAddress('127.0.0.1', 8502), list.hasAddress('127.0.0.1', 8501)]).toEqual([true, false]);
  expect([list.hasAddress('::1', 11_434), list.hasAddress('::1', 80), list.hasAddress('fd12::1', 80)]).toEqual([
    true,
    false,
    true,
  ]);
  expect([list.hasName('LLM.', 1), list.hasName('llm.example', 1)]).toEqual([true, false]);
  expect([list.hasName('x.a.example', 1), list.hasName('a.example', 1), list.hasName('xa.example', 1)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([list.hasName('b.example', 1), list.hasName('b.example', 2)]).toEqual([true, false]);
  expect(new HostList(['*']).hasName('any.example', 1)).toBe(true);
});

it('what is neither a network, an address nor a name is not a pattern', () => {
  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0',
    '300.1.1.1',
    'a b',
    'http://a',
    'a/8',
    'a:0',
    'a:70000',
    '-',
    'a..b',
    '::1/129',
  ])
    expect([wrong, isHostPattern(wrong)]).toEqual([wrong, false]);
  for (const right of ['::1', '[::1]', '::/0', '0.0.0.0/0', '.example', 'simulator:8502', 'a_b', '*'])
    expect([right, isHostPattern(right)]).toEqual([right, true]);
});
