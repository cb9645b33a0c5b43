import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { SELF_SIGNED } from '../../test/self-signed.js';
import { EgressFault, egressOf, startEgress } from './egress.js';

const COMMON = {
  DATABASE_URL: 'postgres://localhost/toolmark',
  REDIS_URL: 'redis://localhost',
  TOOLMARK_SEALING_KEY: 'a'.repeat(64),
};
const envOf = (variables: NodeJS.ProcessEnv) => readEnv({ ...COMMON, ...variables });
function started(variables: NodeJS.ProcessEnv) {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text) } as unknown as Logger;
  return { egress: startEgress(envOf(variables), logger), warnings };
}

it('proxies are read in upper and lower case, and entries of NO_PROXY for other programs do not count', () => {
  const { egress, warnings } = started({
    https_proxy: 'http://lower:1',
    HTTPS_PROXY: 'http://upper:1',
    http_proxy: 'http://plain:1',
    no_proxy: 'example.com, 192.168.*,<local>,10.0.0.0/8',
  });
  expect(egress).toMatchObject({
    httpsProxy: 'http://upper:1',
    httpProxy: 'http://plain:1',
    noProxy: ['example.com', '.example.com', '10.0.0.0/8'],
  });
  expect(warnings).toEqual([expect.stringMatching(/^NO_PROXY has entries.* do not count: 192\.168\.\*, <local>$/)]);
});

it('TOOLMARK_ALLOW_PRIVATE_NETWORKS allows everything, with a warning', () => {
  const { egress, warnings } = started({ TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true' });
  expect(egress.allowedNetworks).toEqual(['0.0.0.0/0', '::/0']);
  expect(warnings).toEqual([
    expect.stringMatching(/TOOLMARK_ALLOW_PRIVATE_NETWORKS.*TOOLMARK_ALLOWED_NETWORKS instead/),
  ]);
});

it('a file of authorities that cannot be used is named, with what is wrong', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-ca-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const read = (path: string) => egressOf(envOf({ TOOLMARK_EXTRA_CA: path })).extraCa;
  expect(read(file('good.pem', `# ours\n${SELF_SIGNED.cert}${SELF_SIGNED.key}`))).toBe(SELF_SIGNED.cert.trim());
  const broken = SELF_SIGNED.cert.replace('MIIB', 'AAAA');
  for (const [path, problem] of [
    [join(folder, 'none.pem'), /^TOOLMARK_EXTRA_CA: .*none\.pem cannot be read: ENOENT/],
    [folder, /cannot be read: EISDIR/],
    [file('large.pem', ' '.repeat(2 ** 20 + 1)), /cannot be read: it is larger than 1048576 bytes/],
    [file('key.pem', SELF_SIGNED.key), /key\.pem has no certificate\. It must be a PEM file/],
    [file('broken.pem', SELF_SIGNED.cert + broken), /certificate 2 in .*broken\.pem cannot be read/],
  ] as const) {
    expect(() => read(path)).toThrow(EgressFault);
    expect(() => read(path)).toThrow(problem);
  }
});
