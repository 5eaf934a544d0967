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
