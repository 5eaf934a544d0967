import { address, lamports, type Address, type EncodedAccount } from '@solana/kit';
import { z } from 'zod';

const artifactSchema = z.object({
  madeFrom: z.string().regex(/^[0-9a-f]{64}$/),
  base64: z.base64().transform((text) => Buffer.from(text, 'base64')),
});

/** Loads programs that cannot be replaced, as the network's own early ones are. */
const LOADER = address('BPFLoader2111111111111111111111111111111111');
/** More than the rent of any program here. */
const PROGRAM_LAMPORTS = 1_000_000_000n;

/**
 * Returns the account of a program of our own at an address, from the artifact that
 * `config/compile-programs.mjs` makes of its source.
 */
export function programAccount(at: Address, artifact: unknown): EncodedAccount {
  const { base64: data } = artifactSchema.parse(artifact);
  return {
    address: at,
    executable: true,
    lamports: lamports(PROGRAM_LAMPORTS),
    programAddress: LOADER,
    space: BigInt(data.length),
    data: new Uint8Array(data),
  };
}
