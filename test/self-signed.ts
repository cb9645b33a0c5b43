/**
 * An untrusted certificate and its key, for tests of certificate errors. It is public on purpose and used for nothing
 * else. Made with: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes
 * -days 36500
 *   -subj "/O=Toolmark tests, trusted by nobody/CN=localhost" -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"
 */
export const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8HYlexY/RvPaAZtx
O1u6TYIJHA0bh2r30cJFi75UPtahRANCAAQxbRwFR2vo4KnvVlVedoLV1VdtUVy/
+cOraPjY56zXfl947nMX3S5sHWom6jE2zPrwz4Dm0mSV4gUXPbKPInxm
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
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
};
