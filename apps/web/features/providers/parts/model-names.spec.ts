import { modelLabels, modelNames } from './model-names';

const model = (id: string, name = id) => ({ id, name }) as never;
const labelOf = modelLabels([
  { key: 'acme', models: [model('gpt-x', 'GPT X'), model('odd'), model('shared')] },
  { key: 'other', models: [model('shared'), model('a::b')] },
]);

describe('the name of a model', () => {
  it('is its display name, or else its id without the provider', () => {
    expect(labelOf('acme::gpt-x')).toBe('GPT X');
    expect(labelOf('acme::odd')).toBe('odd');
    expect(labelOf('other::a::b')).toBe('a::b');
  });

  it('keeps the provider where another model of the team has the same name', () => {
    expect(labelOf('acme::shared')).toBe('acme::shared');
    expect(labelOf('gone::odd')).toBe('gone::odd');
  });

  it('is the id of a model that its provider no longer has', () => {
    expect(labelOf('gone::older')).toBe('older');
    expect(labelOf('no provider')).toBe('no provider');
  });
});

describe('the names of a table', () => {
  const plain = modelLabels([]);

  it('say once what all of them begin with', () => {
    const names = modelNames(['p::meta-llama/llama-8b', 'p::meta-llama/llama-70b'], plain);
    expect(names.prefix).toBe('meta-llama/llama-');
    expect(names.of('p::meta-llama/llama-70b')).toBe('70b');
  });

  it('stay whole where they share little, or where there is one', () => {
    expect(modelNames(['p::a-1', 'p::a-2'], plain).prefix).toBe('');
    expect(modelNames(['p::meta-llama/llama-8b'], plain).of('p::meta-llama/llama-8b')).toBe('meta-llama/llama-8b');
  });

  it('never make two models look alike', () => {
    const names = modelNames(['gone::odd', 'lost::odd'], plain);
    expect([names.of('gone::odd'), names.of('lost::odd')]).toEqual(['gone::odd', 'lost::odd']);
  });
});
