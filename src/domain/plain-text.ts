/**
 * Makes one line of harmless text out of words others wrote: no control, formatting
 * (bidirectional, zero-width), private or unassigned characters, no lone surrogates, at most two
 * combining marks in a row, single blanks, `maximumChars` code points at most with "…" where it was
 * cut. What it says is still theirs: data, never authority.
 */
export function plainText(text: string, maximumChars: number): string {
  // The longest character of normalised text comes of far fewer than this many: no need to read
  // megabytes.
  const head = text.slice(0, maximumChars * LOOKED_AT_PER_CHAR);
  const clean = head
    .replace(UNSEEN, '')
    .replace(BLANKS, ' ')
    .replace(MARKS_PILED_UP, '$1')
    .normalize('NFC')
    .replace(/ {2,}/g, ' ')
    .trim();
  const chars = [...clean];
  return chars.length <= maximumChars
    ? clean
    : `${chars
        .slice(0, maximumChars - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * Makes harmless paragraphs, one a line, of a text others wrote: each as `plainText` makes
 * it, `maximumChars` in all.
 */
export function plainParagraphs(text: string, maximumChars: number): string {
  const head = text.slice(0, maximumChars * LOOKED_AT_PER_CHAR);
  const lines = head
    .split(/[\n\r\u2028\u2029]+/)
    .map((line) => plainText(line, maximumChars))
    .filter((line) => line !== '');
  const chars = [...lines.join('\n')];
  return chars.length <= maximumChars
    ? chars.join('')
    : `${chars
        .slice(0, maximumChars - 1)
        .join('')
        .trimEnd()}…`;
}

const LOOKED_AT_PER_CHAR = 16;
const BLANKS = /[\s\p{Z}\p{Cc}]/gu;
/**
 * Cf: bidirectional and zero-width; Cs, Co, Cn: lone surrogates, private and unassigned; and
 * letters that show as nothing.
 */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0\u2800\p{Variation_Selector}]/gu;
const MARKS_PILED_UP = /(\p{M}{2})\p{M}+/gu;
