/**
 * Escapes text for an element or attribute of an XML document: markup has no effect, line ends are kept, and characters
 * that XML does not allow (control characters, lone surrogates) become U+FFFD.
 */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
