import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routeTable, VENUE_APIS } from '../../src/app/route-table.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: { readonly type?: string; readonly enum?: readonly unknown[] };
}

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

describe('the OpenAPI document', () => {
  const document = openApiDocument({ routes: routeTable, venues: VENUE_APIS, version: '0.1.0' });
  // the document is data of our own making; these are the parts the tests read
  const operations = Object.values(
    document.paths as Record<string, Record<string, Operation>>,
  ).flatMap((item) => Object.values(item));
  const operationOf = (operationId: string): Operation =>
    operations.find((operation) => operation.operationId === operationId) ??
    expect.unreachable(operationId);

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect([result.errors, result.valid]).toEqual([undefined, true]);
  });

  it('holds every route of the table that is not for our own services, and no other', () => {
    const described = Object.entries(document.paths as Record<string, Record<string, unknown>>)
      .filter(([path]) => path !== '/ws')
      .flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      );
    expect(described.sort()).toEqual(
      routeTable
        .filter(({ auth }) => auth !== 'internal')
        .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
        .sort(),
    );
  });

  it('says of each profit realised by a position, an agent or an account that gas is not in it', () => {
    const described: { readonly type?: string; readonly description?: string }[] = [];
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'realizedPnl' && typeof value === 'object') described.push(value ?? {});
      return value;
    });
    // a comparison has two sums, real and on paper, and an example of them
    const sums = described.filter((each) => each.type !== 'object' && !('live' in each));
    expect(sums.length).toBeGreaterThan(4);
    expect(sums.filter(({ description = '' }) => !description.includes('gas'))).toEqual([]);
  });

  it('resolves every reference within itself', () => {
    const { components } = document as { components?: Record<string, Record<string, unknown>> };
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    const isThere = (reference: string): boolean => {
      const [, , kind = '', name = ''] = reference.split('/');
      return components?.[kind]?.[name] !== undefined;
    };
    expect(references.filter((reference) => !isThere(reference))).toEqual([]);
    expect(references.length).toBeGreaterThan(500);
  });

  it('names the headers that a private key is given out against', () => {
    const { get } =
      (
        document.paths as Record<
          string,
          { get: { parameters: { name: string; in: string; required: boolean }[] } }
        >
      )['/api/web3/export-private-key'] ?? expect.unreachable();
    expect(
      get.parameters
        .filter((parameter) => parameter.in === 'header')
        .map(({ name, required }) => [name, required]),
    ).toEqual([
      ['X-Challenge-Id', true],
      ['X-One-Time-Code', true],
    ]);
  });

  it('says in what every number in answers is counted', () => {
    const unitless: string[] = [];
    const check = (node: unknown, name: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const isBare = 'description' in node && node.description === 'Decimal number as text, exact.';
      if (isBare && !/(Usdc|Usd|Percent)$/.test(name)) unitless.push(name);
      const { properties } = node as { properties?: Record<string, unknown> };
      for (const [key, child] of Object.entries(node)) if (key !== 'properties') check(child, name);
      for (const [key, child] of Object.entries(properties ?? {})) check(child, key);
    };
    check(document.components, '');
    check(document.paths, '');
    expect(unitless).toEqual([]);
  });

  it.each([
    ['claimWinnings', /^0x[0-9a-f]{64}$/],
    ['claimPositionVenueC', /^[a-z-]+-[0-9]+$/],
  ])('shows a market of its venue in both examples of %s, and a claim as it begins', (name, id) => {
    const { requestBody, responses } = operationOf(name);
    const answer = responses['200']?.content?.['application/json']?.example;
    expect([requestBody?.content['application/json']?.example, answer]).toEqual([
      { marketId: expect.stringMatching(id) },
      {
        data: [
          {
            marketId: expect.stringMatching(id),
            state: 'redeeming',
            amount: '25',
            reason: null,
            venueReason: null,
            transactionHash: null,
          },
        ],
        nextCursor: null,
      },
    ]);
  });

  it('shows an example of every body and every answer, and each is one', () => {
    const wrong: unknown[] = [];
    for (const { operationId, input, output, status, produces, auth } of routeTable.filter(
      (route) => route.auth !== 'internal',
    )) {
      const operation = operationOf(operationId);
      const body = operation.requestBody?.content['application/json']?.example;
      const answer = operation.responses[String(status)]?.content?.['application/json']?.example;
      if (
        input.body !== undefined &&
        input.bytes === undefined &&
        !input.body.safeParse(body).success
      )
        wrong.push([operationId, 'body', body, input.body.safeParse(body).error?.issues]);
      if (
        output !== null &&
        produces.includes('application/json') &&
        !output.safeParse(answer).success
      )
        wrong.push([operationId, 'answer', answer, output.safeParse(answer).error?.issues, auth]);
    }
    expect(wrong).toEqual([]);
    const { schemas } = document.components as {
      schemas: Record<string, { examples?: unknown[] }>;
    };
    expect(
      Object.entries(schemas)
        .filter(([, { examples }]) => examples?.[0] === undefined)
        .map(([name]) => name),
    ).toEqual([]);
  });

  it('bounds no integer by what the language can hold', () => {
    expect(JSON.stringify(document)).not.toMatch(/9007199254740991/);
  });

  it('describes every parameter, and types numbers and booleans of a query as such', () => {
    const all = routeTable
      .filter(({ auth }) => auth !== 'internal')
      .flatMap(({ operationId }) =>
        operationOf(operationId).parameters.map((parameter) => ({ operationId, ...parameter })),
      );
    expect(
      all
        .filter(({ description = '' }) => !/^.{4,}\.$/.test(description))
        .map(({ operationId, name }) => `${operationId} ${name}`),
    ).toEqual([]);
    expect(
      all
        .filter(({ schema: { enum: values = [] } }) => values.includes('true'))
        .map(({ name }) => name),
    ).toEqual([]);
    const typed = all
      .filter(({ operationId }) => operationId === 'listPositions')
      .map(({ name, schema }) => [name, schema.type]);
    expect(typed).toEqual(
      expect.arrayContaining([
        ['limit', 'integer'],
        ['isReedemable', 'boolean'],
        ['cursor', 'string'],
      ]),
    );
    expect(
      all.find(({ operationId, name }) => operationId === 'getOrderBook' && name === 'id')?.schema
        .type,
    ).toBe('string');
    expect(
      all.find(({ operationId, name }) => operationId === 'listPositions' && name === 'limit')
        ?.schema,
    ).toMatchObject({ minimum: 1, maximum: 200 });
  });

  it('says of an Idempotency-Key just what is taken', () => {
    const { schema } =
      operationOf('placeOrder').parameters.find(({ name }) => name === 'Idempotency-Key') ??
      expect.unreachable();
    const { pattern = '', maxLength } = schema as { pattern?: string; maxLength?: number };
    expect(maxLength).toBe(128);
    expect(
      ['my-first-order', '!~', 'two words', 'Schlüssel', ''].map((key) =>
        new RegExp(pattern, 'u').test(key),
      ),
    ).toEqual([true, true, false, false, false]);
  });

  it('tells the headers of answers, and shares one response for each status of problems', () => {
    const { responses } = operationOf('placeOrder');
    expect(Object.keys(responses['201']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'X-Wall-Time-Ms',
      'X-Market-Time-Ms',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Idempotency-Replayed',
      'Preference-Applied',
    ]);
    expect(responses['429']).toEqual({
      $ref: '#/components/responses/TooManyRequests',
      description: expect.stringContaining('`rate_limited`'),
    });
  });

  it('says where it came from and how to speak over a socket, and nothing of calls for our own services', () => {
    const { servers, tags } = document as {
      servers?: unknown;
      tags?: { name: string; description: string }[];
    };
    expect(servers).toEqual([{ url: '/', description: expect.any(String) }]);
    expect(tags?.find(({ name }) => name === 'live')?.description).toContain('"op":"subscribe"');
    expect(JSON.stringify(document)).not.toMatch(/\/internal\/|X-Internal-Secret/);
    expect(
      new Set(
        routeTable
          .map(({ family }) => family)
          .filter((family) => family !== 'internal' && !tags?.some(({ name }) => name === family)),
      ),
    ).toEqual(new Set());
  });

  it('describes the order request as the spec has it, with what is beside it', () => {
    const { schemas } = document.components as {
      schemas: Record<string, { properties: Record<string, unknown>; required: string[] }>;
    };
    expect([
      Object.keys(schemas.OrderRequest?.properties ?? {}),
      schemas.OrderRequest?.required,
    ]).toEqual([
      [
        'marketId',
        'side',
        'amount',
        'orderType',
        'price',
        'worstPrice',
        'orderMode',
        'action',
        'timeInForce',
        'expiresAtMs',
      ],
      ['marketId', 'side', 'amount', 'orderType'],
    ]);
  });
});
