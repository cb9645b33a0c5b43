import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Pages for readers, without fixtures and installed packages. */
const pages = globSync(['*.md', '{.github,apps,bench,docs,examples,libs,prisma,test}/**/*.md'], {
  exclude: ['libs/providers/formats', 'test/tools/*/node_modules'], // They name files of other repositories.
}).sort();
const FILE = /^[\w.{}*-][\w.{}*\/-]*\.(?:ts|mjs|js|json|md|sql|lua|yml|yaml|prisma|sh)$/;

const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, inside]) => inside!);
/** A page may name a file without its folder, or a file pattern (`*.int.spec.ts`). */
const exists = (page: string, path: string): boolean =>
  globSync(path).length > 0 ||
  existsSync(join(dirname(page), path)) ||
  (!path.includes('/') && globSync(`{apps,libs,test,bench,scripts,prisma,docs,.github}/**/${path}`).length > 0);

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

/** Headings as GitHub's anchors. */
function headingsOf(file: string): string[] {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
