import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSolanaNode, type SolanaNode } from '../support/fixtures/solana-node.ts';

const SYSTEM = address('11111111111111111111111111111111');

describe('the sandbox Solana under @solana/kit, unmodified', () => {
  let node: SolanaNode;
  beforeAll(async () => {
    node = await startSolanaNode();
  });
  afterAll(() => node.close());

  it('sends, follows and confirms a transfer over both wires, and reads it back', async () => {
    const rpc = createSolanaRpc(node.url);
    const rpcSubscriptions = createSolanaRpcSubscriptions(node.socketUrl);
    const [alice, bob] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
    await rpc.requestAirdrop(alice.address, lamports(2_000_000_000n)).send();
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const data = new Uint8Array(12);
    new DataView(data.buffer).setUint32(0, 2, true);
    new DataView(data.buffer).setBigUint64(4, 700_000_000n, true);
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(alice, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
        (message) =>
          appendTransactionMessageInstruction(
            {
              programAddress: SYSTEM,
              accounts: [
                { address: alice.address, role: AccountRole.WRITABLE_SIGNER },
                { address: bob.address, role: AccountRole.WRITABLE },
              ],
              data,
            },
            message,
          ),
      ),
    );
    assertIsTransactionWithBlockhashLifetime(transaction);
    await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, {
      commitment: 'confirmed',
    });

    expect((await rpc.getBalance(bob.address).send()).value).toBe(700_000_000n);
    expect(
      (await rpc.getAccountInfo(bob.address, { encoding: 'base64' }).send()).value,
    ).toMatchObject({ lamports: 700_000_000n, owner: SYSTEM, data: ['', 'base64'] });
    const signature = getSignatureFromTransaction(transaction);
    expect((await rpc.getSignatureStatuses([signature]).send()).value[0]).toMatchObject({
      err: null,
    });
    const landed = await rpc
      .getTransaction(signature, {
        encoding: 'json',
        maxSupportedTransactionVersion: 0,
        commitment: 'confirmed',
      })
      .send();
    expect(landed?.meta?.fee).toBe(5_000n);
    expect(
      (await rpc.getSignaturesForAddress(bob.address, { commitment: 'confirmed' }).send()).map(
        (each) => each.signature,
      ),
    ).toEqual([signature]);
    expect(
      (await rpc.getRecentPrioritizationFees().send()).every(
        ({ prioritizationFee }) => prioritizationFee === 0n,
      ),
    ).toBe(true);
    expect(await rpc.getHealth().send()).toBe('ok');
  });
});
