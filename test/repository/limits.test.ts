import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as limits from '../../config/limits.ts';
import { API } from '../../config/limits/api.ts';

const areas = readdirSync(new URL('../../config/limits', import.meta.url)).map(
  (name) => `limits/${name}`,
);
const modules: readonly object[] = await Promise.all(
  ['limits.ts', ...areas].map(
    (path) => import(new URL(`../../config/${path}`, import.meta.url).href),
  ),
);
const groups: readonly (readonly [string, object])[] = modules.flatMap((module) =>
  Object.entries(module),
);

describe('the limits in config', () => {
  it('holds only finite, non-negative numbers with their unit or meaning in the name', () => {
    const broken = groups.flatMap(([group, values]) =>
      Object.entries(values)
        .filter(([, value]) => typeof value === 'number' && !(Number.isFinite(value) && value >= 0))
        .map(([name]) => `${group}.${name}`),
    );
    expect(broken).toEqual([]);
  });

  it('agrees with the figures of the spec', () => {
    expect({
      sizes: [
        limits.AGENT.sizeMinimumUsd,
        limits.AGENT.sizeMaximumUsd,
        limits.AGENT.sizeDefaultUsd,
      ],
      discovery: limits.AGENT.discoveryIntervalMs,
      reads: API.readsPerMinute,
      writes: API.writesPerMinute,
      page: [API.pageDefault, API.pageMaximum],
      accessToken: limits.SIGN_IN.accessTokenLifeMs,
    }).toEqual({
      sizes: [1, 100, 5],
      discovery: 1_800_000,
      reads: 600,
      writes: 120,
      page: [50, 200],
      accessToken: 900_000,
    });
  });
});
