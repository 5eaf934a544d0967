import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routeTable } from '../../src/http/routes/table.ts';

describe('the OpenAPI document', () => {
  const document = openApiDocument(routeTable, '0.1.0');

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect([result.errors, result.valid]).toEqual([undefined, true]);
  });

  it('holds every route of the table that is not for our own services, and no other', () => {
    const described = Object.entries(document.paths as Record<string, Record<string, unknown>>).flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    expect(described.sort()).toEqual(routeTable.filter(({ auth }) => auth !== 'internal').map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort());
  });

  it('resolves every reference within itself', () => {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(new Set(references.filter((reference) => !(reference.replace('#/components/schemas/', '') in schemas)))).toEqual(new Set());
  });

  it('names the headers that a private key is given out against', () => {
    const { get } = (document.paths as Record<string, { get: { parameters: { name: string; in: string; required: boolean }[] } }>)['/api/web3/export-private-key'] ?? expect.unreachable();
    expect(get.parameters.filter((parameter) => parameter.in === 'header').map(({ name, required }) => [name, required])).toEqual([['X-Challenge-Id', true], ['X-One-Time-Code', true]]);
  });

  it('says in what every number in answers is counted', () => {
    const unitless: string[] = [];
    const look = (node: unknown, name: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const isBare = 'description' in node && node.description === 'Decimal number as text, exact.';
      if (isBare && !/(Usdc|Usd|Percent)$/.test(name)) unitless.push(name);
      const { properties } = node as { properties?: Record<string, unknown> };
      for (const [key, child] of Object.entries(node)) if (key !== 'properties') look(child, name);
      for (const [key, child] of Object.entries(properties ?? {})) look(child, key);
    };
    look(document.components, '');
    look(document.paths, '');
    expect(unitless).toEqual([]);
  });

  it('describes the order request as the spec has it', () => {
    const { schemas } = document.components as { schemas: Record<string, { properties: Record<string, unknown>; required: string[] }> };
    expect([Object.keys(schemas.OrderRequest?.properties ?? {}), schemas.OrderRequest?.required]).toEqual([
      ['marketId', 'side', 'amount', 'orderType', 'price', 'orderMode', 'action', 'timeInForce', 'expiresAtMs'], ['marketId', 'side', 'amount', 'orderType'],
    ]);
  });
});
