/** Values a row can be sorted by. */
type SortKeys = Readonly<Record<string, number>>;

/** A row that can be filtered, sorted and paged. */
export interface QueryRow {
  readonly id: string;
  readonly sort: SortKeys;
}

/** A page, or why it is refused. */
export type QueryPage<Row> =
  | { readonly kind: 'page'; readonly rows: readonly Row[]; readonly nextCursor: string | null }
  | { readonly kind: 'refused'; readonly reason: string };

/** How rows are cut into pages. */
export interface PageRules {
  readonly limitDefault: number;
  readonly limitMaximum: number;
  /** Keyset pages go by cursor and refuse an offset; the older lists go by offset. */
  readonly by: 'cursor' | 'offset';
}

const OFFSET_MAXIMUM = 2_000;

/** Sorts rows and takes the page a query asks for (venue_a.md section 10). */
export function pageOf<Row extends QueryRow>(
  rows: readonly Row[],
  query: URLSearchParams,
  rules: PageRules,
): QueryPage<Row> {
  const limit = wholeOr(query.get('limit'), rules.limitDefault);
  const offset = wholeOr(query.get('offset'), 0);
  if (limit === null || limit < 1)
    return { kind: 'refused', reason: 'limit must be a positive whole number' };
  if (rules.by === 'cursor' && query.has('offset'))
    return { kind: 'refused', reason: 'offset is not supported, use after_cursor' };
  if (offset === null || offset > OFFSET_MAXIMUM)
    return { kind: 'refused', reason: `offset must be a whole number up to ${OFFSET_MAXIMUM}` };
  const order = query.get('order') ?? 'id';
  const direction =
    query.get('ascending') === 'false' || (query.has('order') && query.get('ascending') !== 'true')
      ? -1
      : 1;
  const [first] = rows;
  if (first !== undefined && first.sort[order] === undefined)
    return { kind: 'refused', reason: `cannot order by ${order}` };
  const sorted = [...rows].sort(
    (a, b) =>
      direction * ((a.sort[order] ?? 0) - (b.sort[order] ?? 0)) || Number(a.id) - Number(b.id),
  );
  const cursor = query.get('after_cursor');
  const after = rules.by === 'offset' ? offset : positionAfter(sorted, cursor);
  if (after === null) return { kind: 'refused', reason: 'invalid cursor' };
  const taken = Math.min(limit, rules.limitMaximum);
  const page = sorted.slice(after, after + taken);
  const last = page.at(-1);
  return {
    kind: 'page',
    rows: page,
    nextCursor:
      last === undefined || after + taken >= sorted.length
        ? null
        : Buffer.from(`after:${last.id}`).toString('base64url'),
  };
}

/** All values of a repeatable parameter, comma lists taken apart; null when it was not given. */
export function valuesOf(query: URLSearchParams, name: string): readonly string[] | null {
  const values = query.getAll(name).flatMap((value) => value.split(','));
  return values.length === 0 ? null : values;
}

/** True when a number lies within `<name>_min` and `<name>_max`; times may be given as ISO text. */
export function isWithin(query: URLSearchParams, name: string, value: number): boolean {
  const [low, high] = [boundOf(query.get(`${name}_min`)), boundOf(query.get(`${name}_max`))];
  return (low === null || value >= low) && (high === null || value <= high);
}

function boundOf(text: string | null): number | null {
  if (text === null || text === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}

function positionAfter(rows: readonly QueryRow[], cursor: string | null): number | null {
  if (cursor === null || cursor === '') return 0;
  const id = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  const index = rows.findIndex((row) => row.id === id);
  return index < 0 ? null : index + 1;
}

function wholeOr(text: string | null, absent: number): number | null {
  if (text === null) return absent;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
