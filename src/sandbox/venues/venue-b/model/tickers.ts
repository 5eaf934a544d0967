const MONTHS = [
  'JAN',
  'FEB',
  'MAR',
  'APR',
  'MAY',
  'JUN',
  'JUL',
  'AUG',
  'SEP',
  'OCT',
  'NOV',
  'DEC',
] as const;
const DAY_MS = 86_400_000;
/** Tickers speak of Eastern time; always that of the winter here, so that no hour comes twice. */
const EASTERN_OFFSET_MS = -5 * 3_600_000;

/** A moment in the parts a ticker is written with. */
interface EasternTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/**
 * Returns a moment as people in the East read it, in winter time. Civil dates by H. Hinnant's
 * days_from_civil.
 */
function easternTime(atMs: number): EasternTime {
  const localMs = atMs + EASTERN_OFFSET_MS;
  const days = Math.floor(localMs / DAY_MS);
  const minutes = Math.floor((localMs - days * DAY_MS) / 60_000);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}

/**
 * Writes when an event ends as tickers do: `26NOV23`, with the hour `26NOV2315`, with the minute
 * `26NOV231545`.
 */
export function dateCode(atMs: number, to: 'day' | 'hour' | 'minute'): string {
  const { year, month, day, hour, minute } = easternTime(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${two(year % 100)}${MONTHS[month - 1] ?? ''}${two(day)}`;
  if (to === 'day') return date;
  return to === 'hour' ? `${date}${two(hour)}` : `${date}${two(hour)}${two(minute)}`;
}

/**
 * Writes when an event ends for people: `On Nov 23, 2026`, with the hour `On Nov 23, 2026 at 3 PM
 * EST`, with the minute `On Nov 23, 2026 at 3:45 PM EST`.
 */
export function shownDate(atMs: number, to: 'day' | 'hour' | 'minute'): string {
  const { year, month, day, hour, minute } = easternTime(atMs);
  const name = MONTHS[month - 1] ?? '';
  const date = `On ${name.slice(0, 1)}${name.slice(1).toLowerCase()} ${day}, ${year}`;
  if (to === 'day') return date;
  const minutes = to === 'hour' ? '' : `:${String(minute).padStart(2, '0')}`;
  return `${date} at ${hour % 12 === 0 ? 12 : hour % 12}${minutes} ${hour < 12 ? 'AM' : 'PM'} EST`;
}

/**
 * Reports whether the venue's clearing is under maintenance: Thursdays from 3 to 5 in the East
 * (venue_b.md section 9.4).
 */
export function isMaintenance(atMs: number): boolean {
  const { weekday, hour } = easternTime(atMs);
  return weekday === 4 && hour >= 3 && hour < 5;
}
