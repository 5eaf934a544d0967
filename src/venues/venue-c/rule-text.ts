const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const ENTITY = /&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,5}));/gi;
/** What begins a new line where it is shown. */
const BREAK = /<(?:br\s*\/?|\/(?:p|li|div|h[1-6]|ul|ol))>/gi;
const TAG = /<[^>]*>/g;

/**
 * Returns the text of rules that the venue writes in HTML, a paragraph a line. It is plain text and
 * no safer than what was written: whoever shows it escapes it.
 */
export function textOfRules(html: string): string {
  return html
    .replace(BREAK, '\n')
    .replace(TAG, '')
    .replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
