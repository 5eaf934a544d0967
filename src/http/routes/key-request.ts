import { z } from 'zod';
import { API_KEYS } from '../../../config/limits/identity.ts';
import { AppError, type FieldError } from '../../domain/errors.ts';
import { asId, type VenueId } from '../../domain/ids.ts';
import type { KeyLimits } from '../../domain/key-limits.ts';
import { plainText } from '../../domain/plain-text.ts';
import { formatMicros, parseDecimal, usdcMicros } from '../../domain/units.ts';
import { KEY_SCOPES } from '../../ports/identity.ts';
import type { Grantable } from '../services.ts';
import { amountFault, amountField, decimalField } from './fields.ts';

const DAY_MS = 86_400_000;

/** What makes a key. Nothing loosens its limits later: a key with other limits is another key. */
export const keyRequest = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(API_KEYS.nameMaximumChars)
      .transform((text) => text.normalize('NFC').replace(/ {2,}/g, ' '))
      .refine(
        (text) => plainText(text, API_KEYS.nameMaximumChars) === text,
        'must be one line of visible characters: none that control, hide or turn text',
      )
      .meta({ description: 'What you call it; one line.', examples: ['my assistant'] }),
    scopes: z
      .array(z.enum(KEY_SCOPES))
      .min(1)
      .max(KEY_SCOPES.length)
      .refine((all) => new Set(all).size === all.length, 'each scope once')
      .default(['read'])
      .meta({ description: 'What the key may do: read alone, unless said otherwise.' }),
    maxOrderSize: amountField.optional().meta({
      description:
        'Most USDC that one call may set aside, fee included; not more than maxPerDay where both are given.',
    }),
    maxPerDay: amountField.optional().meta({
      description:
        'Most USDC that the calls of one UTC day may set aside together; what an order gives back is not counted off.',
    }),
    venues: namesField().meta({ description: 'Where the key may trade.' }),
    tools: namesField().meta({
      description: 'MCP tools the key may call; each must be one that its scopes allow.',
      examples: [['balances_get', 'orders_list']],
    }),
    confirmAbove: decimalField
      .transform((text, context) => {
        const micros = parseDecimal(text, 6);
        if (micros !== null) return micros;
        context.addIssue({ code: 'custom', message: amountFault(text) });
        return z.NEVER;
      })
      .optional()
      .meta({
        description:
          'Asks you before a call sets more than this aside, in USDC; 0 asks before every one, sales included. You have five minutes.',
      }),
    expiresAtMs: z
      .int('epoch milliseconds, a whole number')
      .optional()
      .meta({
        description: `When the key ends by itself, epoch milliseconds: after now, and at most ${API_KEYS.lifeMaximumMs / DAY_MS} days from it.`,
      }),
  })
  .meta({ id: 'ApiKeyRequest' });

type KeyRequest = z.output<typeof keyRequest>;

/** Which names there are is looked at where the request is read: it is no matter of their form. */
function namesField() {
  return z
    .array(z.string().min(1).max(API_KEYS.limitNameMaximumChars))
    .min(1)
    .max(API_KEYS.namesMaximum)
    .refine((all) => new Set(all).size === all.length, 'each name once')
    .optional();
}

/**
 * Reads the limits of a new key. Errors: `invalid_request` for names of nothing, tools out of its
 * scopes, an amount of one call above that of a day, and an end in the past or too far away.
 */
export function keyLimitsOf(request: KeyRequest, grantable: Grantable, nowMs: number): KeyLimits {
  const { maxOrderSize, maxPerDay, venues, tools, confirmAbove, expiresAtMs } = request;
  const faults = [
    ...amountFaults(request),
    ...unknownFaults('venues', venues ?? [], grantable.venues),
    ...toolFaults(request, grantable),
    ...endFaults(request, nowMs),
  ];
  if (faults.length > 0)
    throw new AppError(
      'invalid_request',
      faults.map(({ path, message }) => `${path}: ${message}`).join('; '),
      { fields: faults },
    );
  return {
    orderUsdc: maxOrderSize === undefined ? null : usdcMicros(maxOrderSize),
    dayUsdc: maxPerDay === undefined ? null : usdcMicros(maxPerDay),
    venues: venues?.map((venue) => asId<VenueId>(venue)) ?? null,
    tools: tools ?? null,
    confirmAboveUsdc: confirmAbove === undefined ? null : usdcMicros(confirmAbove),
    expiresAtMs: expiresAtMs ?? null,
  };
}

function amountFaults({ maxOrderSize, maxPerDay }: KeyRequest): readonly FieldError[] {
  if (maxOrderSize === undefined || maxPerDay === undefined || maxOrderSize <= maxPerDay) return [];
  const message = `must be at most maxPerDay, which is ${formatMicros(usdcMicros(maxPerDay))}`;
  return [{ path: '/maxOrderSize', message }];
}

function unknownFaults(
  field: string,
  named: readonly string[],
  known: readonly string[],
): readonly FieldError[] {
  return named.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [{ path: `/${field}/${index}`, message: `must be one of ${known.join(', ')}` }],
  );
}

function toolFaults(
  { tools = [], scopes }: KeyRequest,
  grantable: Grantable,
): readonly FieldError[] {
  const beyond = tools.flatMap((name, index) => {
    const needed = grantable.tools.find((tool) => tool.name === name)?.scope;
    return needed === undefined || scopes.includes(needed)
      ? []
      : [{ path: `/tools/${index}`, message: `needs the scope ${needed}, which the key lacks` }];
  });
  const known = grantable.tools.map(({ name }) => name);
  return [...unknownFaults('tools', tools, known), ...beyond];
}

function endFaults({ expiresAtMs }: KeyRequest, nowMs: number): readonly FieldError[] {
  const lastMs = nowMs + API_KEYS.lifeMaximumMs;
  if (expiresAtMs === undefined || (expiresAtMs > nowMs && expiresAtMs <= lastMs)) return [];
  const message = `must be after now, ${nowMs}, and at most ${API_KEYS.lifeMaximumMs / DAY_MS} days from it, ${lastMs}`;
  return [{ path: '/expiresAtMs', message }];
}
