import { assert, asyncProperty, string, uint8Array } from 'fast-check';
import { Keypair, PublicKey, VersionedMessage } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { createInstruction, launchMessages } from '../../../src/adapters/solana/launch-messages.ts';
import { SOLANA } from '../../../config/limits/solana.ts';
import { bondingCurvePda, PUMP_SDK } from '../../peers/launch-platform.ts';

const key = uint8Array({ minLength: 32, maxLength: 32 }).map((seed) =>
  Keypair.fromSeed(seed).publicKey.toBase58(),
);
const text = (maximumBytes: number) =>
  string({ unit: 'grapheme' }).filter((each) => Buffer.byteLength(each) <= maximumBytes);

/** An instruction as plain values. */
function plain({ programId, keys, data }: ReturnType<typeof createInstruction>) {
  return {
    program: programId.toBase58(),
    data: Buffer.from(data).toString('hex'),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => [
      pubkey.toBase58(),
      isSigner,
      isWritable,
    ]),
  };
}

describe('our instruction of a launch', () => {
  it("is byte for byte that of the platform's own package, accounts and all", async () => {
    await assert(
      asyncProperty(
        key,
        key,
        text(32),
        text(13),
        text(200),
        async (user, mint, name, symbol, uri) => {
          const theirs = await PUMP_SDK.createV2Instruction({
            mint: new PublicKey(mint),
            name,
            symbol,
            uri,
            creator: new PublicKey(user),
            user: new PublicKey(user),
            mayhemMode: false,
          });
          expect(plain(createInstruction({ user, mint, name, symbol, uri }))).toEqual(
            plain(theirs),
          );
          expect(launchMessages.curveOf(mint)).toBe(
            bondingCurvePda(new PublicKey(mint)).toBase58(),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('fits a transaction with the longest texts the platform takes, both signatures included', () => {
    const [user, mint] = [Keypair.generate(), Keypair.generate()].map(({ publicKey }) =>
      publicKey.toBase58(),
    ) as [string, string]; // two in, two out
    const token = {
      user,
      mint,
      name: 'n'.repeat(32),
      symbol: 's'.repeat(13),
      uri: 'u'.repeat(200),
    };
    const bytes = Buffer.from(launchMessages.create(token), 'base64');
    expect(1 + 2 * 64 + bytes.length).toBeLessThanOrEqual(SOLANA.transactionMaximumBytes);
    const message = VersionedMessage.deserialize(bytes);
    expect(message.staticAccountKeys.slice(0, 2).map((each) => each.toBase58())).toEqual([
      user,
      mint,
    ]);
    expect(message.header.numRequiredSignatures).toBe(2);
  });
});
