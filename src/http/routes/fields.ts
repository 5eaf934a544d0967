import { z } from 'zod';
import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import {
  asId,
  AGENT_IDS,
  type TransactionId,
  type AgentId,
  type MarketId,
  type TokenId,
} from '../../domain/ids.ts';
import {
  formatPrice,
  isPlainDecimal,
  parseDecimal,
  priceTicks,
  TICKS_PER_USD,
  type PriceTicks,
} from '../../domain/units.ts';
import type { IdShape } from '../venue-api.ts';

/** A text without control characters: one line, as it is shown. */
export const ONE_LINE = /^\P{Cc}*$/u;

/** Words to search for: one line of so many characters. */
export function searchField({
  minimum,
  maximum,
}: {
  readonly minimum: number;
  readonly maximum: number;
}) {
  return z
    .string()
    .regex(ONE_LINE, 'one line without control characters')
    .trim()
    .min(minimum, `at least ${minimum} characters`)
    .max(maximum, `at most ${maximum} characters`);
}

/** What lists search for in titles. */
export const titleSearchField = searchField({ minimum: 1, maximum: 100 })
  .optional()
  .meta({ description: 'Text in titles.' });

/**
 * A non-negative decimal as a JSON number or as text; comes out as the shortest text of the same
 * number. How many digits are too many, each field says itself.
 */
export const decimalField = z
  .union([z.number(), z.string().max(32)], { error: 'a number, or a number as text' })
  .transform((value) => String(value))
  .superRefine((text, context) => {
    if (!isPlainDecimal(text)) context.addIssue({ code: 'custom', message: decimalFault(text) });
  })
  .transform(shortest)
  .meta({
    description:
      'Decimal number in plain digits (`5`, `0.5`, `5.25`), as JSON number or text. Answers always carry text.',
  });

/** Says what is wrong with a number that is not plain digits. */
function decimalFault(text: string): string {
  const [, digits = '', decimals = '', exponent = ''] =
    /^\+?(\d{1,20})\.?(\d{0,20})e([+-]?\d{1,2})$/i.exec(text) ?? [];
  if (exponent !== '' && Math.abs(Number(exponent)) <= PLAIN_EXPONENT_MAXIMUM)
    return `write ${plain(digits, decimals, Number(exponent))}, not ${text}`;
  if (/^-\s*[\d.]/.test(text)) return 'must not be below zero';
  return 'must be a number in plain digits, such as 1000 or 0.25';
}

/** Larger exponents are no amounts or prices of anything here. */
const PLAIN_EXPONENT_MAXIMUM = 12;

/** The digits of a number with its exponent worked in. */
function plain(digits: string, decimals: string, exponent: number): string {
  const padded = `${'0'.repeat(PLAIN_EXPONENT_MAXIMUM)}${digits}${decimals}${'0'.repeat(PLAIN_EXPONENT_MAXIMUM)}`;
  const point = PLAIN_EXPONENT_MAXIMUM + digits.length + exponent;
  return shortest(`${padded.slice(0, point)}.${padded.slice(point)}`);
}

/** Leaves out what does not change a number: `05.50` is `5.5`, so that one number has one text. */
function shortest(text: string): string {
  const [whole = '', decimals = ''] = text.split('.');
  const kept = decimals.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '') || '0'}${kept === '' ? '' : `.${kept}`}`;
}

/**
 * Several ids with commas between them, at most API.idsPerCallMaximum; one named twice counts once.
 */
export function idsField<Id extends MarketId | TokenId>(shape: IdShape) {
  const pattern = new RegExp(`^${shape.pattern}$`);
  return z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .superRefine((ids, context) => {
      if (ids.length > API.idsPerCallMaximum)
        context.addIssue({ code: 'custom', message: `at most ${API.idsPerCallMaximum} ids` });
      else if (!ids.every((id) => pattern.test(id)))
        context.addIssue({
          code: 'custom',
          message: `ids with commas between them, each ${shape.refusal}`,
        });
    })
    .transform((ids): readonly Id[] => ids.map((id) => asId<Id>(id)))
    .meta({
      description: `Ids with commas between them, at most ${API.idsPerCallMaximum}.`,
    });
}

/** An amount in millionths: more than zero, at most six decimals. */
export const amountField = decimalField.transform((text, context) => {
  const micros = parseDecimal(text, 6);
  if (micros !== null && micros > 0) return micros;
  context.addIssue({
    code: 'custom',
    message: micros === 0 ? 'must be more than zero' : amountFault(text),
  });
  return z.NEVER;
});

/** Says what is wrong with plain digits that are no amount. */
export function amountFault(text: string): string {
  return (text.split('.')[1] ?? '').length > 6
    ? 'must have at most six decimals'
    : 'must be at most 9007199254';
}

/** Decimal text in answers. */
export const decimalOut = z
  .string()
  .meta({ description: 'Decimal number as text, exact.', examples: ['0.47'] });
/** Money in answers, where the name does not say so. */
export const usdcOut = decimalOut.meta({ description: 'USDC, as decimal text, exact.' });
/** A number of shares in answers. */
export const sharesOut = decimalOut.meta({ description: 'Shares, as decimal text, exact.' });
/** A price in answers. */
export const priceOut = decimalOut.meta({
  description: 'USDC for one share, as decimal text, exact.',
});
/** A part of a whole in answers. */
export const partOut = decimalOut.meta({
  description: 'A part of the whole, from 0 to 1, as decimal text.',
});
/** Epoch milliseconds in answers. */
export const timeOut = z.int().meta({ description: 'Epoch milliseconds of the wall clock.' });

/** Returns the field of a venue's ids of one kind. */
export function idField<Id extends MarketId | TokenId>({ pattern, refusal, description }: IdShape) {
  return z
    .string()
    .regex(new RegExp(`^${pattern}$`), refusal)
    .transform((text) => asId<Id>(text))
    .meta(description === undefined ? {} : { description });
}

/** A whole number of a query, written as amounts are: no sign, no zero in front. */
export function wholeField(maximumDigits: number, message: string) {
  return z
    .string()
    .regex(new RegExp(`^(0|[1-9]\\d{0,${maximumDigits - 1}})$`), message)
    .transform(Number);
}

/** The id of a withdrawal or transfer. */
export function actionIdField(what: string) {
  return z
    .string()
    .regex(/^txn_[0-9A-Z]{26}$/, `the ${what}Id of a ${what}`)
    .transform((text) => asId<TransactionId>(text))
    .meta({
      description: `The ${what}Id of a ${what} of yours.`,
      examples: ['txn_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'],
    });
}

/** `limit` and `cursor` of every list. */
export const pageFields = {
  limit: wholeField(4, `a whole number from 1 to ${API.pageMaximum}`)
    .pipe(z.int().min(1, `at least 1`).max(API.pageMaximum, `at most ${API.pageMaximum}`))
    .optional()
    .meta({
      description: `Entries on a page, 1 to ${API.pageMaximum}.`,
      default: API.pageDefault,
      minimum: 1,
      maximum: API.pageMaximum,
    }),
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: '`nextCursor` of the page before.' }),
};

/** The page asked for. */
export function pageOf(query: {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}): { readonly limit: number; readonly cursor: string | null } {
  return { limit: query.limit ?? API.pageDefault, cursor: query.cursor ?? null };
}

/** A page in answers. */
export function pageOut<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ data: z.ZodArray<Item>; nextCursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() });
}

/** The finest tick that a price may have anywhere. */
const FINEST_TICK = priceTicks(1);

/**
 * Reads a price of the named field, on markets whose finest tick is known. Errors:
 * `price_out_of_range` below a tick and above a dollar less one, `price_off_tick` for more decimals
 * than a price keeps.
 */
export function priceOf(text: string, field = 'price', tick = FINEST_TICK): PriceTicks {
  const ticks = parseDecimal(text, 4);
  const fault = (code: 'price_off_tick' | 'price_out_of_range', message: string) =>
    new AppError(code, `${field}: ${message}`, { fields: [{ path: `/${field}`, message }] });
  if (ticks === null && text.startsWith('0.'))
    throw fault(
      'price_off_tick',
      tick === FINEST_TICK
        ? 'must have at most four decimals: no market has a finer tick than 0.0001'
        : `must be a multiple of ${formatPrice(tick)}`,
    );
  const highest = priceTicks(TICKS_PER_USD - tick);
  if (ticks === null || ticks < tick || ticks > highest)
    throw fault(
      'price_out_of_range',
      `must be between ${formatPrice(tick)} and ${formatPrice(highest)} dollars a share`,
    );
  return priceTicks(ticks);
}

/** Reads an agent's id of a path. Errors: `not_found`. */
export function agentIdOf(text: string): AgentId {
  const found = AGENT_IDS.find((agentId) => agentId === text);
  if (found === undefined)
    throw new AppError('not_found', `the agents are ${AGENT_IDS.join(', ')}`);
  return found;
}
