import type { Random } from '../../src/ports/random.ts';

/** A recorded answer with one thing wrong with it. */
export interface Mutation {
  /** Where and what, for the title of a failure. */
  readonly what: string;
  /** The body as it travels. */
  readonly text: string;
}

type Path = readonly (string | number)[];

/** What a field may turn into, by what it was. Undefined takes it away. */
const TURNS: Readonly<Record<string, (value: unknown) => unknown>> = {
  missing: () => undefined,
  null: () => null,
  'empty text': () => '',
  'an exponent as text': () => '1e-7',
  'an exponent': () => 1e-7,
  'a huge exponent': () => 1e21,
  'below nothing': (value) => (typeof value === 'number' ? -value : `-${String(value)}`),
  'minus nothing': () => '-0',
  'the other kind': (value) =>
    typeof value === 'number'
      ? String(value)
      : typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
        ? Number(value)
        : 7,
  'more digits than count': () => '99999999999999999999',
  'more than counts': () => 2 ** 53,
  'a thousand times': (value) =>
    typeof value === 'number' ? value * 1_000 : `${String(value)}000`,
  'a thousandth': (value) =>
    typeof value === 'number' ? value / 1_000 : String(value).slice(0, -3),
  nothing: (value) => (typeof value === 'number' ? 0 : '0'),
  one: (value) => (typeof value === 'number' ? 1 : '1'),
  'an unknown word': () => 'SOMETHING_ELSE',
  capitals: (value) => String(value).toUpperCase(),
  blanks: (value) => ` ${String(value)} `,
  'a truth': () => true,
  'a list': (value) => [value],
  'an object': (value) => ({ value }),
  doubled: (value) =>
    Array.isArray(value) ? value.flatMap((item: unknown) => [item, item]) : [value, value],
  'turned round': (value) =>
    Array.isArray(value) ? value.toReversed() : [...String(value)].reverse().join(''),
  'an empty list': () => [],
};

/** Bodies that are no answer at all, whatever was asked. */
const WHOLE: readonly Mutation[] = [
  '',
  'null',
  '[]',
  '{}',
  '""',
  '0',
  'true',
  '{"error":"not found"}',
  '<html><body>502 Bad Gateway</body></html>',
  '\ufeff{}',
  '[[]]',
  '[null]',
].map((text) => ({ what: `the body ${JSON.stringify(text)}`, text }));

/**
 * Draws `count` answers from a recorded one, each with one field changed, and gives every body that
 * is no answer beside them.
 */
export function mutationsOf(random: Random, recorded: unknown, count: number): readonly Mutation[] {
  const paths = pathsOf(recorded, []);
  const names = Object.keys(TURNS);
  const drawn = Array.from({ length: count }, (): Mutation => {
    const path = paths[random.integer(paths.length)] ?? [];
    const name = names[random.integer(names.length)] ?? 'missing';
    return {
      what: `/${path.join('/')} is ${name}`,
      text: JSON.stringify(changed(recorded, path, TURNS[name] ?? (() => undefined))) ?? '',
    };
  });
  const text = JSON.stringify(recorded);
  return [
    ...WHOLE,
    { what: 'the body cut off', text: text.slice(0, random.integer(text.length)) },
    ...drawn,
  ];
}

function pathsOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, child]) =>
      pathsOf(child, [...path, Array.isArray(value) ? Number(name) : name]),
    ),
  ];
}

function changed(
  value: unknown,
  [head, ...rest]: Path,
  turn: (value: unknown) => unknown,
): unknown {
  if (head === undefined) return turn(value);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === head ? changed(item, rest, turn) : item));
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, child]: [string, unknown]) => [
      name,
      name === head ? changed(child, rest, turn) : child,
    ]),
  );
}

/**
 * Names what may never come out of an adapter: a number that is not finite, not counted exactly,
 * below nothing or minus nothing. Null when all is sound. `apart` names fields that hold no money:
 * they need only be finite.
 */
export function unsoundIn(
  value: unknown,
  apart: ReadonlySet<string> = new Set(),
  name = '',
): string | null {
  if (typeof value === 'bigint') return value < 0n ? `${name} is ${value}` : null;
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) return null;
    return apart.has(name) && Number.isFinite(value)
      ? null
      : `${name} is ${Object.is(value, -0) ? '-0' : value}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const found = unsoundIn(child, apart, Array.isArray(value) ? name : key);
    if (found !== null) return found;
  }
  return null;
}
