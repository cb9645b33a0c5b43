/**
 * Text for an element or an attribute of an XML document: markup has no effect, ends of lines are kept, and what XML
 * cannot hold (control characters, halves of surrogate pairs) becomes U+FFFD.
 */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
