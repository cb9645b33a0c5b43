import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The pages that are written for readers: fixtures and installed packages are not. */
const pages = globSync(['*.md', '{.github,apps,bench,docs,examples,libs,test}/**/*.md'], {
  exclude: (path) => String(path).includes('node_modules'),
}).sort();
const FILE = /^[\w.{}*-][\w.{}*\/-]*\.(?:ts|mjs|js|json|md|sql|lua|yml|yaml|prisma|sh)$/;

const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, inside]) => inside!);
/** A page may name a file of the project alone, if no other file has that name. */
const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const exists = (page: string, path: string): boolean =>
  globSync(path).length > 0 ||
  existsSync(join(dirname(page), path)) ||
  (!path.includes('/') && tracked.some((file) => file.endsWith(`/${path}`)));

test.each(pages)('%s names only files that exist', (page) => {
  const text = readFileSync(page, 'utf8');
  const paths = quoted(text).filter((inside) => FILE.test(inside));
  expect(paths.filter((path) => !exists(page, path))).toEqual([]);
});

test.each(pages)('%s links only to pages and headings that exist', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
    ([, link]) => link!,
  );
  const broken = links.filter((link) => {
    const [path, heading] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path!);
    return !existsSync(file) || (heading !== undefined && !headingsOf(file).includes(heading));
  });
  expect(broken).toEqual([]);
});

/** Headings as GitHub turns them into anchors. */
function headingsOf(file: string): string[] {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
