import { LAUNCH } from '../../../config/limits/launches.ts';
import { AppError, type FieldError } from '../../domain/errors.ts';
import { KNOWN_NAMES, KNOWN_SYMBOLS } from '../../domain/known-tokens.ts';
import type { TokenTexts } from '../../domain/launch.ts';
import { plainParagraphs, plainText } from '../../domain/plain-text.ts';
import { tickerSkeleton } from '../../domain/token-listing.ts';

/**
 * Refuses texts that do not fit the platform's program, that hold what is not seen, or that pass a
 * token off as one everybody knows. Errors: `invalid_request`.
 */
export function assertTexts({ name, symbol, description }: TokenTexts): void {
  const faults: FieldError[] = [
    ...fault('name', name, LAUNCH.nameMaximumBytes),
    ...fault('symbol', symbol, LAUNCH.symbolMaximumBytes),
    ...(plainParagraphs(description, LAUNCH.descriptionMaximumChars) === description
      ? []
      : [{ path: '/description', message: 'plain text: nothing unseen, single blanks' }]),
    ...(['name', 'symbol'] as const).flatMap((field) => {
      const taken = knownBy(field === 'name' ? name : symbol);
      return taken === null
        ? []
        : [{ path: `/${field}`, message: `reads as ${taken}, which everybody knows` }];
    }),
  ];
  if (faults.length > 0)
    throw new AppError(
      'invalid_request',
      faults.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; '),
      { fields: faults },
    );
}

function fault(field: string, text: string, maximumBytes: number): readonly FieldError[] {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes === 0 || bytes > maximumBytes)
    return [{ path: `/${field}`, message: `1 to ${maximumBytes} bytes of UTF-8, not ${bytes}` }];
  return plainText(text, maximumBytes) === text
    ? []
    : [{ path: `/${field}`, message: 'one line of plain text: nothing unseen, single blanks' }];
}

/**
 * The known name or ticker that a text is taken for by the eye, in whatever alphabet, with whatever
 * between its letters; null for none.
 */
function knownBy(text: string): string | null {
  const letters = tickerSkeleton(text);
  for (const one of ['I', 'L']) {
    const read = letters.replaceAll('0', 'O').replaceAll('1', one).replaceAll('5', 'S');
    const known = KNOWN.get(letters) ?? KNOWN.get(read);
    if (known !== undefined) return known;
  }
  return null;
}

/** By what is left of them to the eye. */
const KNOWN: ReadonlyMap<string, string> = new Map(
  [...KNOWN_SYMBOLS, ...KNOWN_NAMES].map((text) => [tickerSkeleton(text), text]),
);
