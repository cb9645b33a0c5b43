import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file));
const pages = files.filter((file) => /^(docs\/.*|[A-Z]+|bench\/README|deploy\/.*)\.md$/.test(file));
const proseOf = (page: string): string => readFileSync(page, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');

/** The anchors that GitHub generates for a page's headings. */
function anchorsIn(page: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    const text = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

it.each(pages)('%s has no broken links', (page) => {
  const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => {
      const [path, anchor] = target.split('#') as [string, string | undefined];
      const file = path === '' ? page : join(dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && file.endsWith('.md') && !anchorsIn(file).includes(anchor));
    });
  expect(broken).toEqual([]);
});

it.each(pages)('%s names only files that exist', (page) => {
  const names = [
    ...proseOf(page).matchAll(/`((?:apps|libs|scripts|test|docs|prisma|examples|bench|deploy)\/[\w./-]+)`/g),
  ];
  expect(names.map(([, name]) => name!).filter((name) => !existsSync(name))).toEqual([]);
});

// A line of JSON to copy into `toolmark score` does not count.
it.each(pages.filter((page) => page.startsWith('docs/')))('%s has no table row longer than 400 characters', (page) => {
  const rows = proseOf(page).match(/^\|.*$/gm) ?? [];
  const widths = rows.map((row) => row.replaceAll(/ {2,}|-{4,}/g, ' ').replaceAll(/`\{"metric".*?\}`/g, ''));
  expect(widths.filter((row) => row.length > 400)).toEqual([]);
});

const decisions = pages.filter((page) => /^docs\/decisions\/\d{4}-/.test(page));

it.each(decisions)('%s has the form of a decision', (page) => {
  const text = readFileSync(page, 'utf8');
  expect(text).toMatch(/^# .+\n\n- Date: \d{4}-\d\d-\d\d\n- Status: (accepted|Replaced by)/);
  const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, section]) => section);
  expect(sections.filter((section) => section !== 'Alternatives')).toEqual(['Context', 'Decision', 'Consequences']);
});

it('a replaced decision names its successor', () => {
  const linksOf = (word: string) =>
    decisions.flatMap((page) => {
      const link = new RegExp(`${word}:? \\[[^\\]]*\\]\\(([^)]*)\\)`).exec(readFileSync(page, 'utf8'));
      return link ? [[page, join(dirname(page), link[1]!)]] : [];
    });
  expect(linksOf('Replaces')).toEqual(
    linksOf('Replaced by')
      .map(([page, by]) => [by, page])
      .sort(),
  );
});

it('docs/decisions/README.md lists every decision once, by its title', () => {
  const listed = [...readFileSync('docs/decisions/README.md', 'utf8').matchAll(/\[(.*?)\]\((\d{4}-.*?)\)/g)];
  const titles = decisions.map((page) => [/^# (.*)$/m.exec(readFileSync(page, 'utf8'))![1], page.slice(15)]);
  expect(listed.map(([, title, file]) => [title, file]).sort()).toEqual(titles.sort());
});
