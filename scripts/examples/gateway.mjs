// Providers behind a gateway: with headers, a client certificate, and keys that the operator keeps.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate for examples, and its key: both are public, and nobody trusts them. */
const CLIENT_CERTIFICATE = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIB8jCCAZmgAwIBAgIULSQDCxs48qHaef3/Bgn8WiDehp4wCgYIKoZIzj0EAwIw
QDEqMCgGA1UECgwhVG9vbG1hcmsgdGVzdHMsIHRydXN0ZWQgYnkgbm9ib2R5MRIw
EAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYxMTIxMDcxNTU5WhgPMjEyNjEwMjgwNzE1
NTlaMEAxKjAoBgNVBAoMIVRvb2xtYXJrIHRlc3RzLCB0cnVzdGVkIGJ5IG5vYm9k
eTESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
MW0cBUdr6OCp71ZVXnaC1dVXbVFcv/nDq2j42Oes135feO5zF90ubB1qJuoxNsz6
8M+A5tJkleIFFz2yjyJ8ZqNvMG0wHQYDVR0OBBYEFNl7b0IKks8REhP2HZ9nPTg6
V4q0MB8GA1UdIwQYMBaAFNl7b0IKks8REhP2HZ9nPTg6V4q0MA8GA1UdEwEB/wQF
MAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0cA
MEQCIEqZo+4fwonI8VGE80HFSmzffmyCw7oZqK08g1akxNOSAiAj9fWkS/fPtUq9
2+lqWLYX18zkqv1uJ4Ax9m4y0zOnsQ==
-----END CERTIFICATE-----
`,
  private_key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8HYlexY/RvPaAZtx
O1u6TYIJHA0bh2r30cJFi75UPtahRANCAAQxbRwFR2vo4KnvVlVedoLV1VdtUVy/
+cOraPjY56zXfl947nMX3S5sHWom6jE2zPrwz4Dm0mSV4gUXPbKPInxm
-----END PRIVATE KEY-----
`,
  passphrase: 'needed only for a key that is encrypted',
};

/** Environment variables of the operator that keeps keys. @param folder for the list of them */
export function keysByReference(folder) {
  const keys = [
    { ref: 'file:/etc/toolmark/key-refs/openai', teams: ['default'], origins: ['https://api.openai.com'] },
    { ref: 'env:GATEWAY_KEY', teams: ['default'] },
  ];
  const file = join(folder, 'key-refs.yaml');
  writeFileSync(file, JSON.stringify({ keys }));
  return { TOOLMARK_KEY_REFS_FILE: file, GATEWAY_KEY: 'a-key-of-the-gateway' };
}

export async function playGateway({ call }) {
  await call('GET', '/api/providers/key-refs');
  await call('POST', '/api/providers', {
    key: 'gateway',
    base_url: 'https://llm-gateway.example.com/v1',
    api_key_ref: 'env:GATEWAY_KEY',
    headers: [
      { name: 'X-Team', kind: 'routing', value: 'search' },
      { name: 'CF-Access-Client-Secret', kind: 'secret', value: 'a-secret-of-the-gateway' },
    ],
    client_certificate: CLIENT_CERTIFICATE,
    models: [{ id: 'gpt-5-mini' }],
  });
  await call('PATCH', '/api/providers/gateway', {
    api_key_ref: 'env:GATEWAY_KEY',
    headers: [
      { name: 'X-Team', kind: 'routing' },
      { name: 'CF-Access-Client-Secret', value: 'another-secret' },
    ],
    client_certificate: CLIENT_CERTIFICATE,
  });
}
