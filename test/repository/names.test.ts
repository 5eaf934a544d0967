import { describe, expect, it } from 'vitest';
import { ERROR_RESPONSES } from '../../src/http/errors.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';
import { sourceFiles } from './source-files.ts';

/** Names of fields and values that a stranger would not understand. */
const UNWANTED = /^(house|gone|own|are|twin)$/i;

interface Named {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every field of the document, and every value a field may have, with its schema. */
function namesIn(value: unknown): readonly Named[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { properties, enum: values, parameters } = value as Record<string, unknown>;
  return [
    ...Object.entries((properties ?? {}) as Record<string, Named['schema']>).map(
      ([name, schema]) => ({ name, schema }),
    ),
    ...(Array.isArray(parameters) ? (parameters as Named[]) : []),
    ...(Array.isArray(values) ? values.map((name) => ({ name: String(name), schema: {} })) : []),
    ...Object.values(value).flatMap(namesIn),
  ];
}

const NAMES = namesIn(openApiDocument({ routes: routeTable, venues: VENUE_APIS, version: 'test' }));

function isTime({ schema }: Named): boolean {
  const plain = (
    Array.isArray(schema['anyOf']) ? (schema['anyOf'] as Named['schema'][]) : [schema]
  ).filter(({ type }) => type === 'integer');
  return plain.some(({ description }) =>
    /epoch milliseconds/i.test(String(description ?? schema['description'])),
  );
}

/** The ends of a span. */
const SPAN = ['fromMs', 'toMs'];

describe('names of the interface', () => {
  it('are found at all', () => {
    expect(NAMES.length).toBeGreaterThan(300);
    expect(NAMES.filter(isTime).length).toBeGreaterThan(30);
  });

  it('end in AtMs where a moment is meant, and nowhere else', () => {
    const moments = NAMES.filter(({ name }) =>
      /(At|AtS|asOf|AsOf|sinceMs|Seconds)$/.test(name),
    ).map(({ name }) => name);
    expect([...new Set(moments)]).toEqual([]);
    expect(
      [...new Set(NAMES.filter(isTime).map(({ name }) => name))].filter(
        (name) => !name.endsWith('AtMs') && !SPAN.includes(name),
      ),
    ).toEqual([]);
  });

  it('are words a stranger knows', () => {
    expect(NAMES.filter(({ name }) => UNWANTED.test(name)).map(({ name }) => name)).toEqual([]);
    expect(
      NAMES.filter(({ name }) => /realised|houses?_|_house|_gone/i.test(name)).map(
        ({ name }) => name,
      ),
    ).toEqual([]);
  });

  it('of the sentences to errors speak of the operator', () => {
    expect(
      Object.entries(ERROR_RESPONSES).filter(([, { title }]) => /\bhouse\b/i.test(title)),
    ).toEqual([]);
    expect(
      routeTable.filter(({ summary }) => /\bhouse\b/i.test(summary)).map(({ summary }) => summary),
    ).toEqual([]);
  });
});

/**
 * Words that were replaced by the standard terms of finance, distributed systems and web security:
 * wish by request, door by access gate, house by operator, runtime or market maker, seat by slot,
 * twin by shadow run, desk by execution, shelf by record store, and so on.
 */
const REPLACED = new Set(
  (
    'wish wishes wished door doors house houses seat seats seated twin twins desk desks shelf shelves chore chores ' +
    'narrate stray strays fate fates heed heeds glance spell spells vital storms towns surface surfaces'
  ).split(' '),
);

/**
 * Names in a text of TypeScript: what is left without comments, strings and regular expressions.
 */
function identifiersIn(text: string): readonly string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, "''")
    .replace(/\/(?:\\.|\[[^\]\n]*\]|[^/\\\n])+\/[gimsuvy]*/g, '');
  return code.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** The words a name is made of: `openHouseKey`, `HOUSE_KEY` and `house-key` have "house". */
function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

describe('names in the sources', () => {
  it('are standard terms, in files and in what they declare', () => {
    const files = sourceFiles(['src', 'machines', 'streams', 'config', 'test']);
    const found = files.flatMap(({ path, text }) =>
      [path, ...new Set(identifiersIn(text))]
        .filter((name) => wordsOf(name).some((word) => REPLACED.has(word)))
        .map((name) => `${path}: ${name}`),
    );
    expect(files.length).toBeGreaterThan(1_000);
    expect(found).toEqual([]);
  });
});
