import { LAUNCH } from '../../../config/limits/launches.ts';
import { AppError, type FieldError } from '../../domain/errors.ts';
import { knownTokens } from '../../domain/known-tokens.ts';
import type { TokenTexts } from '../../domain/launch.ts';
import { plainParagraphs, plainText } from '../../domain/plain-text.ts';
import { WEB3_CHAINS } from '../../domain/web3-chains.ts';

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
    ...[name, symbol].flatMap((text, index) =>
      KNOWN.has(text.toLowerCase())
        ? [{ path: index === 0 ? '/name' : '/symbol', message: 'the ticker of a known token' }]
        : [],
    ),
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

const KNOWN: ReadonlySet<string> = new Set(
  WEB3_CHAINS.flatMap(({ chain, native }) => [
    native.symbol.toLowerCase(),
    ...knownTokens(chain).map(({ symbol }) => symbol.toLowerCase()),
  ]),
);
