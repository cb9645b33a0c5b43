/**
 * How many of the candidates come before `own` for a key, by highest-random-weight hashing (Thaler and Ravishankar,
 * 1998): every process ranks the same candidates alike without talking to the others, and when one comes or goes, only
 * the keys change hands for which it is among the first.
 */
export function countBefore(key: string, own: string, candidates: readonly { id: string }[]): number {
  const keyHash = fnv1a(key);
  const ownWeight = weightOf(keyHash, own);
  return candidates.filter(({ id }) => {
    const weight = weightOf(keyHash, id);
    return weight > ownWeight || (weight === ownWeight && id < own);
  }).length;
}

/** The finaliser of MurmurHash3 over both hashes. */
function weightOf(keyHash: number, id: string): number {
  let hash = Math.imul(keyHash, 0x9e3779b1) ^ fnv1a(id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash;
}
