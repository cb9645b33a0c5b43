import { readFileSync } from 'node:fs';
import { renderLivePage } from './live-page.js';

test('docs/live.md says of every event what the schemas say; `npm run docs:live` writes it', () => {
  const page = readFileSync('docs/live.md', 'utf8');
  expect(renderLivePage(page)).toBe(page);
});
