import { z } from 'zod';
import { SURFACE } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { asId } from '../../domain/ids.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { AgentId, MarketId, TokenId } from '../../domain/ids.ts';
import { parseDecimal, priceTicks, TICKS_PER_USD } from '../../domain/units.ts';
import type { PriceTicks } from '../../domain/units.ts';

/** Digits with at most one point. How many digits are too many, each field says itself. */
const PLAIN_DECIMAL = /^(\d+\.?\d*|\.\d+)$/;

/** A non-negative decimal as a JSON number or as text; comes out as the shortest text of the same number. */
export const decimalField = z
  .union([z.number(), z.string().max(32)], { error: 'a number, or a number as text' })
  .transform((value) => String(value))
  .refine((text) => PLAIN_DECIMAL.test(text), { error: 'not negative, plain digits without an exponent' })
  .transform(shortest)
  .meta({ description: 'Decimal number, as JSON number or text. Answers always carry text.' });

/** Leaves out what does not change a number: `05.50` is `5.5`, so that one number has one text. */
function shortest(text: string): string {
  const [whole = '', decimals = ''] = text.split('.');
  const kept = decimals.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '') || '0'}${kept === '' ? '' : `.${kept}`}`;
}

/** An amount in millionths: more than zero, at most six decimals. */
export const amountField = decimalField.transform((text, context) => {
  const micros = parseDecimal(text, 6);
  if (micros !== null && micros > 0) return micros;
  context.addIssue({ code: 'custom', message: micros === 0 ? 'more than zero' : 'with at most six decimals, and at most 9007199254' });
  return z.NEVER;
});

/** Decimal text in answers. */
export const decimalOut = z.string().meta({ description: 'Decimal number as text, exact.', examples: ['0.47'] });
/** Money in answers, where the name does not say so. */
export const usdcOut = decimalOut.meta({ description: 'USDC, as decimal text, exact.' });
/** A number of shares in answers. */
export const sharesOut = decimalOut.meta({ description: 'Shares, as decimal text, exact.' });
/** A price in answers. */
export const priceOut = decimalOut.meta({ description: 'USDC for one share, as decimal text, exact.' });
/** A part of a whole in answers. */
export const partOut = decimalOut.meta({ description: 'A part of the whole, from 0 to 1, as decimal text.' });
/** Epoch milliseconds in answers. */
export const timeOut = z.int().meta({ description: 'Epoch milliseconds.' });

/** A market's id on venue_a. */
export const marketIdField = z.string().regex(/^0x[0-9a-f]{64}$/, '0x and 64 lower-case hex digits').transform((text) => asId<MarketId>(text));
/** An outcome token's id on venue_a. */
export const tokenIdField = z.string().regex(/^\d{1,78}$/, 'the token id as decimal digits').transform((text) => asId<TokenId>(text));

/** `limit` and `cursor` of every list. */
export const pageFields = {
  limit: z.string().regex(/^\d{1,4}$/, `a whole number from 1 to ${SURFACE.pageMaximum}`).transform(Number)
    .pipe(z.int().min(1, `at least 1`).max(SURFACE.pageMaximum, `at most ${SURFACE.pageMaximum}`)).optional()
    .meta({ description: `Entries on a page, 1 to ${SURFACE.pageMaximum}.`, default: SURFACE.pageDefault }),
  cursor: z.string().min(1).max(512).optional().meta({ description: '`nextCursor` of the page before.' }),
};

/** The page asked for. */
export function pageOf(query: { readonly limit?: number | undefined; readonly cursor?: string | undefined }): { readonly limit: number; readonly cursor: string | null } {
  return { limit: query.limit ?? SURFACE.pageDefault, cursor: query.cursor ?? null };
}

/** A page in answers. */
export function pageOut<Item extends z.ZodType>(item: Item): z.ZodObject<{ data: z.ZodArray<Item>; nextCursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() });
}

/** Reads a limit price. Errors: `price_out_of_range` outside 0.0001 to 0.9999, `price_off_tick` below the finest tick. */
export function priceOf(text: string): PriceTicks {
  const ticks = parseDecimal(text, 4);
  const fields = (message: string) => ({ fields: [{ path: '/price', message }] });
  if (ticks === null) {
    if (/^0?\./.test(text)) throw new AppError('price_off_tick', 'price: at most four decimals', fields('at most four decimals'));
    throw new AppError('price_out_of_range', 'price: above 0 and below 1', fields('above 0 and below 1'));
  }
  if (ticks < 1 || ticks >= TICKS_PER_USD) throw new AppError('price_out_of_range', 'price: above 0 and below 1', fields('above 0 and below 1'));
  return priceTicks(ticks);
}

/** Reads an agent's id of a path. Errors: `not_found`. */
export function agentIdOf(text: string): AgentId {
  const found = AGENT_IDS.find((agentId) => agentId === text);
  if (found === undefined) throw new AppError('not_found', `the agents are ${AGENT_IDS.join(', ')}`);
  return found;
}
