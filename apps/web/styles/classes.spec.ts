import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const web = join(process.cwd(), 'apps/web');
const files = (pattern: string): string[] => globSync(pattern, { cwd: web });
const read = (file: string): string => readFileSync(join(web, file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The classes of selectors. Those of the page as a whole are in `:global()` in a module. */
const classesOf = (css: string): string[] => {
  const rules = css.replaceAll(/:global\([^)]*\)/g, '').split(/[{}]/);
  const selectors = rules.filter((rule) => !rule.includes(';'));
  return selectors.flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!));
};

it('styles of a feature or a primitive are modules, and all of their classes are used', () => {
  expect(files('{features,ui}/**/*.css').filter((file) => !file.endsWith('.module.css'))).toEqual([]);
  const uses = new Map<string, string>();
  for (const file of files('**/*.tsx')) {
    const code = read(file);
    for (const [, name, module] of code.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)) {
      const path = normalize(join(dirname(file), module!));
      const names = [...code.matchAll(new RegExp(`\\b${name}\\.(?!module)(\\w+)`, 'g'))].map(([, used]) => used!);
      uses.set(path, `${uses.get(path) ?? ''} ${names.join(' ')}`);
    }
  }
  const wrong = files('{features,ui}/**/*.module.css').flatMap((file) => {
    const defined = new Set(classesOf(read(file)).map(camelCase));
    const used = new Set((uses.get(normalize(file)) ?? '').split(' ').filter(Boolean));
    const oneSided = [...defined, ...used].filter((name) => !defined.has(name) || !used.has(name));
    return oneSided.map((name) => `${file}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

it('no class of the page as a whole is defined twice', () => {
  const defined = files('styles/*.css').flatMap((file) =>
    [...read(file).matchAll(/^(\.[a-z][\w-]*)(?=,|\s*\{)/gm)].map(([, name]) => `${name} in ${file}`),
  );
  const names = defined.map((one) => one.split(' ')[0]);
  expect(defined.filter((one, place) => names.indexOf(one.split(' ')[0]) !== names.lastIndexOf(names[place]))).toEqual(
    [],
  );
});
