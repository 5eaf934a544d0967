import { HttpRequestError } from 'viem';
import { expect, it } from 'vitest';
import { createEvmClient } from '../../../../../src/sandbox/chains/evm/evm-client.ts';
import { confirmationsOf } from '../../../../../src/sandbox/venues/venue-a/bridge/bridge-evm-watch.ts';

it('a chain that does not answer has taken no payment back', async () => {
  const unreachable = createEvmClient('http://127.0.0.1:1', 137);
  await expect(confirmationsOf(unreachable, `137:0x${'1'.repeat(64)}:0`, 5)).rejects.toBeInstanceOf(
    HttpRequestError,
  );
});
