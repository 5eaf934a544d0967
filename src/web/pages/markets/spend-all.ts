import { formatMicros, mulDiv, parseUsdc, usdcMicros } from '../../../domain/units.ts';
import type { Estimate } from '../../api/venues.ts';
import { sumOf, usd } from '../../format/money.ts';

const CENT_MICROS = 10_000;
/** The fee that an order sets aside hangs on its amount a little: each step comes nearer. */
const STEPS_MAXIMUM = 4;

/** The largest purchase that cash and limits have room for. */
export interface LargestBuy {
  /** USD in whole cents, as it is typed. */
  readonly amount: string;
  /** Why a part is left, in a sentence; null where none is. */
  readonly note: string | null;
}

/**
 * Finds the largest purchase: all that is available, less what an order sets aside for its fee, and
 * within the user's limits. `available` is what the page shows, which may be a moment old; what
 * counts is what `ask` returns of buying for an amount. Errors: those of `ask`.
 */
export async function largestBuy(
  available: string,
  ask: (amount: string) => Promise<Pick<Estimate, 'left' | 'setsAside' | 'fee'>>,
): Promise<LargestBuy> {
  let micros = wholeCents(parseUsdc(available) ?? 0);
  let note: string | null = null;
  for (let step = 0; step < STEPS_MAXIMUM && micros > 0; step += 1) {
    const { left, setsAside, fee } = await ask(textOf(micros));
    const room = roomOf(left);
    const wanted = parseUsdc(setsAside.usdc) ?? 0;
    if (step === 0 && wanted <= room && micros < wholeCents(room)) {
      // more is there than the page knew, as after an order that was cancelled
      micros = wholeCents(room);
      continue;
    }
    if (wanted <= room) {
      note = step === 0 ? null : noteOf({ left, fee, room, amount: textOf(micros) });
      break;
    }
    micros = wholeCents(Math.min(micros - CENT_MICROS, mulDiv(micros, room, wanted, 'floor')));
  }
  return { amount: textOf(micros), note };
}

/** What the tightest of balance and caps has room for, micros. */
function roomOf({ usdc, orderSize, totalExposure, dailyLoss, keyDay }: Estimate['left']): number {
  const caps = [usdc, orderSize, totalExposure, dailyLoss, keyDay];
  return Math.min(...caps.flatMap((cap) => (cap === null ? [] : [parseUsdc(cap) ?? 0])));
}

function noteOf({
  left,
  fee,
  room,
  amount,
}: Pick<Estimate, 'left' | 'fee'> & { readonly room: number; readonly amount: string }):
  | string
  | null {
  if (room < (parseUsdc(left.usdc) ?? 0))
    return `Your limits leave room for ${usd(formatMicros(usdcMicros(room)))}, the fee included.`;
  return Number(fee.worst) === 0
    ? null
    : `${usd(sumOf([left.usdc, `-${amount}`]))} stays for the fee, which is paid beside it.`;
}

function wholeCents(micros: number): number {
  return Math.max(0, micros - (micros % CENT_MICROS));
}

function textOf(micros: number): string {
  return formatMicros(usdcMicros(micros));
}
