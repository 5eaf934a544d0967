/**
 * Letters of other alphabets that resemble Latin ones: what a title is read as, not what it is
 * written with.
 */
const CONFUSABLES: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  е: 'e',
  ё: 'e',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  с: 'c',
  т: 't',
  у: 'y',
  х: 'x',
  і: 'i',
  ї: 'i',
  ј: 'j',
  ѕ: 's',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  һ: 'h',
  ӏ: 'l',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ϲ: 'c',
  ı: 'i',
  ł: 'l',
  ø: 'o',
};

/**
 * Text as the eye reads it, to search for words: small letters, accents and confusable letters
 * folded, all but letters and figures made blanks.
 */
export function readableText(text: string): string {
  const folded = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{C}]/gu, '');
  return [...folded]
    .map((letter) => CONFUSABLES[letter] ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}$%.&]+/gu, ' ')
    .trim();
}
