import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Hex } from 'viem';
import { builtData } from '../../storage/built-data.ts';

const require = createRequire(import.meta.url);
const hex = z
  .string()
  .regex(/^0x([0-9a-f]{2})+$/)
  .transform((text) => text as Hex);
const artifactSchema = z.object({ bytecode: hex, deployedBytecode: hex });
const factorySchema = z.object({
  signerAddress: z.string(),
  transaction: hex,
  address: z.string(),
});
const deploymentSchema = z.object({
  deployments: z.object({ canonical: z.object({ address: z.string() }) }),
});

/**
 * Contracts of the Safe, version 1.4.1: path of the artifact, and the name of the list of its
 * production addresses.
 */
export const SAFE_SET = {
  safe: { artifact: 'Safe.sol/Safe', deployment: 'safe' },
  safeL2: { artifact: 'SafeL2.sol/SafeL2', deployment: 'safe_l2' },
  proxyFactory: {
    artifact: 'proxies/SafeProxyFactory.sol/SafeProxyFactory',
    deployment: 'safe_proxy_factory',
  },
  fallbackHandler: {
    artifact: 'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
    deployment: 'compatibility_fallback_handler',
  },
  multiSend: { artifact: 'libraries/MultiSend.sol/MultiSend', deployment: 'multi_send' },
  multiSendCallOnly: {
    artifact: 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
    deployment: 'multi_send_call_only',
  },
} as const;

/** The proxy that a user's Safe is. */
export const SAFE_PROXY = 'proxies/SafeProxy.sol/SafeProxy';

/** What the build writes of the Safe's contracts (`config/build-data.mjs`). */
export type SafeArtifact = (typeof SAFE_SET)[keyof typeof SAFE_SET]['artifact'] | typeof SAFE_PROXY;

/** Compiled code of the Safe's contracts as its authors published it. */
export function safeArtifact(path: SafeArtifact): {
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
} {
  return artifactSchema.parse(published(`safe/${path}.json`));
}

/** Where a contract of the Safe is on production chains. */
export function safeProductionAddress(deployment: string): Hex {
  const { deployments } = deploymentSchema.parse(published(`safe-deployments/${deployment}.json`));
  return deployments.canonical.address as Hex; // published addresses
}

/**
 * The transaction that makes the factory all chains share, signed once and for all by its authors.
 */
export function singletonFactory(chainId: number): {
  readonly signer: Hex;
  readonly transaction: Hex;
  readonly address: Hex;
} {
  const { signerAddress, transaction, address } = factorySchema.parse(
    published(`singleton-factory/${chainId}.json`),
  );
  // published addresses
  return { signer: signerAddress as Hex, transaction, address: address as Hex };
}

/** Creation code of the conditional tokens framework as its authors published it. */
export function conditionalTokensCode(): Hex {
  return artifactSchema.parse(published('conditional-tokens/ConditionalTokens.json')).bytecode;
}

/** Creation code of the factory of fixed-product market makers as its authors published it. */
export function poolFactoryCode(): Hex {
  return artifactSchema.parse(published('market-makers/FPMMDeterministicFactory.json')).bytecode;
}

/** Creation code of Multicall3, which viem carries but does not name among its exports. */
export function multicallCode(): Hex {
  return z
    .object({ multicall3Bytecode: hex })
    .parse(require(join(dirname(require.resolve('viem')), 'constants', 'contracts.js')))
    .multicall3Bytecode;
}

/** A file of an author's package, as the build has written it. */
function published(path: string): unknown {
  return JSON.parse(readFileSync(builtData(`contracts/${path}`), 'utf8'));
}
