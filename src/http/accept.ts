interface Range {
  readonly type: string;
  readonly quality: number;
}

/**
 * Chooses what to answer with by an `Accept` header (RFC 9110, section 12.5.1): the offered media
 * type with the highest quality, the one offered first where several have it, where there is no
 * header, and where nothing offered is acceptable.
 */
export function preferredType<Offered extends string>(
  accept: string | null,
  offered: readonly [Offered, ...Offered[]],
): Offered {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  let best: Offered = offered[0];
  for (const type of offered) if (qualityOf(type, ranges) > qualityOf(best, ranges)) best = type;
  return best;
}

/** Codings answers are compressed in (RFC 9110, section 8.4.1; RFC 7932). */
export type Coding = 'br' | 'gzip';

/**
 * Chooses a coding by an `Accept-Encoding` header (RFC 9110, section 12.5.3): the one with the
 * higher quality, Brotli where both have it; null without a header, where neither is taken, and
 * where the body as it is is preferred.
 */
export function preferredCoding(acceptEncoding: string | null): Coding | null {
  if (acceptEncoding === null) return null;
  const ranges = acceptEncoding.split(',').map(rangeOf);
  const qualityFor = (coding: string): number | null =>
    (ranges.find(({ type }) => type === coding) ?? ranges.find(({ type }) => type === '*'))
      ?.quality ?? null;
  const [br, gzip] = [qualityFor('br') ?? 0, qualityFor('gzip') ?? 0];
  const identity = ranges.find(({ type }) => type === 'identity')?.quality ?? 0;
  if (Math.max(br, gzip) === 0 || identity > Math.max(br, gzip)) return null;
  return br >= gzip ? 'br' : 'gzip';
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return { type, quality: value >= 0 && value <= 1 ? value : 0 };
}

/** Quality by the most specific range that names the type. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const named = ranges.filter((range) => range.type === name);
    if (named.length > 0) return Math.max(...named.map(({ quality }) => quality));
  }
  return 0;
}
