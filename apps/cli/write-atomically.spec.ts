import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '#lib/client/api-client';
import { withInterruptionError, writeAtomically } from './write-atomically.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-write-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

async function* pieces(...texts: (string | Error)[]): AsyncGenerator<string> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield text;
  }
}
const broken = () => pieces('half', new TypeError('terminated'));

it('a file gets its name once it is complete', async () => {
  await writeAtomically(at('new.csv'), pieces('\ufeffa', '', 'b'.repeat(100_000)));
  expect(readFileSync(at('new.csv'), 'utf8')).toBe(`\ufeffa${'b'.repeat(100_000)}`);
  await writeAtomically(at('none.csv'), pieces());
  expect(readFileSync(at('none.csv'), 'utf8')).toBe('');
});

it('an interrupted file leaves nothing, and an earlier file unchanged', async () => {
  writeFileSync(at('earlier.csv'), 'earlier', { mode: 0o600 });
  for (const name of ['earlier.csv', 'never.csv'])
    await expect(writeAtomically(at(name), broken())).rejects.toThrow(/terminated/);
  expect(readFileSync(at('earlier.csv'), 'utf8')).toBe('earlier');
  expect(existsSync(at('never.csv'))).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  await writeAtomically(at('earlier.csv'), pieces('later'));
  expect([readFileSync(at('earlier.csv'), 'utf8'), statSync(at('earlier.csv')).mode & 0o777]).toEqual(['later', 0o600]);
});

it('a link stays a link, a device is written directly, and a missing folder is named', async () => {
  writeFileSync(at('target.csv'), '');
  symlinkSync(at('target.csv'), at('link.csv'));
  await writeAtomically(at('link.csv'), pieces('linked'));
  expect(readFileSync(at('target.csv'), 'utf8')).toBe('linked');
  await writeAtomically('/dev/null', pieces('gone'));
  await expect(writeAtomically(at('no/such.csv'), pieces('x'))).rejects.toThrow(/ENOENT/);
});

it('explains an interrupted download, and passes on a refusal', async () => {
  const read = (from: AsyncGenerator<string>) =>
    writeAtomically('/dev/null', withInterruptionError(from, 'It broke off.'));
  await expect(read(broken())).rejects.toMatchObject({ message: 'It broke off.', cause: { message: 'terminated' } });
  const refusal = new ApiError({ type: 'about:blank', title: 'Not Found', status: 404, detail: 'No run.' });
  await expect(read(pieces(refusal))).rejects.toBe(refusal);
});
