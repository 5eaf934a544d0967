import { describe, expect, it } from 'vitest';
import { ERROR_FACES } from '../../src/http/errors.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';

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
        (name) => !name.endsWith('AtMs'),
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

  it('of the sentences to errors speak of the operator, never of a house', () => {
    expect(Object.entries(ERROR_FACES).filter(([, { title }]) => /\bhouse\b/i.test(title))).toEqual(
      [],
    );
    expect(
      routeTable.filter(({ summary }) => /\bhouse\b/i.test(summary)).map(({ summary }) => summary),
    ).toEqual([]);
  });
});
