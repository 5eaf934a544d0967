import { expect, it } from 'vitest';
import {
  safeArtifact,
  safeProductionAddress,
  SAFE_PROXY,
  SAFE_SET,
  type SafeArtifact,
} from '../../src/sandbox/chains/evm/package-code.ts';

// The build's own list: where from, where to, and what is kept.
const { BUILT_DATA } = (await import(
  new URL('../../config/build-data.mjs', import.meta.url).href
)) as { readonly BUILT_DATA: readonly (readonly [from: string, to: string])[] };
const written = new Set(BUILT_DATA.map(([, to]) => to));

it('writes every contract of the Safe that the sandbox reads, with code and production address', () => {
  const artifacts: readonly SafeArtifact[] = [
    ...Object.values(SAFE_SET).map(({ artifact }) => artifact),
    SAFE_PROXY,
  ];
  for (const artifact of artifacts) {
    expect(written).toContain(`contracts/safe/${artifact}.json`);
    expect(safeArtifact(artifact).deployedBytecode.length).toBeGreaterThan(100);
  }
  for (const { deployment } of Object.values(SAFE_SET))
    expect(safeProductionAddress(deployment)).toMatch(/^0x[0-9a-fA-F]{40}$/);
});
