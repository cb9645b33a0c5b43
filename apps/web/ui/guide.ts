/** The address of a part of the guide: `scoring`, `scoring#intervals`. */
export function guideAddress(part: string): string {
  const [page, section] = part.split('#');
  return `/guide/${page}.html${section ? `#${section}` : ''}`;
}
