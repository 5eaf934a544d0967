import type { OfferedEvmTransaction, RouteCall } from '../../../src/domain/swap-checks.ts';
import type { RouteOffer } from '../../../src/ports/router.ts';

const STRANGER = '0xBad0000000000000000000000000000000000000';
const word = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** Every way in which a router's answer may try to move what was not asked for. */
export const POISONED_OFFERS: readonly {
  readonly name: string;
  readonly poison: (offer: RouteOffer) => RouteOffer;
}[] = [
  { name: 'another recipient', poison: (offer) => ({ ...offer, receiver: STRANGER }) },
  { name: 'another sender', poison: (offer) => ({ ...offer, sender: STRANGER }) },
  {
    name: 'a transaction of another wallet',
    poison: (offer) => withCall(offer, { from: STRANGER }),
  },
  { name: 'a contract that is not listed', poison: (offer) => withCall(offer, { to: STRANGER }) },
  {
    name: 'the sold token itself as the contract',
    poison: (offer) => withCall(offer, { to: offer.sellToken ?? STRANGER }),
  },
  {
    name: 'an approval called on the sold token',
    poison: (offer) =>
      withCall(offer, {
        to: offer.sellToken ?? STRANGER,
        data: `0x095ea7b3${word(STRANGER)}${'f'.repeat(64)}`,
      }),
  },
  {
    name: 'a permit instead of the swap',
    poison: (offer) =>
      withCall(offer, {
        to: offer.sellToken ?? STRANGER,
        data: `0xd505accf${word(offer.sender)}${word(STRANGER)}`,
      }),
  },
  { name: 'a spender that is not listed', poison: (offer) => ({ ...offer, spender: STRANGER }) },
  {
    name: 'the wallet itself as contract',
    poison: (offer) => withCall(offer, { to: offer.sender }),
  },
  { name: 'an inflated value', poison: (offer) => withCall(offer, { valueWei: 10n ** 18n }) },
  { name: 'one wei of value', poison: (offer) => withCall(offer, { valueWei: 1n }) },
  {
    name: 'another chain of the transaction',
    poison: (offer) => withCall(offer, { chain: 'ETHEREUM' }),
  },
  { name: 'another chain to begin on', poison: (offer) => ({ ...offer, fromChain: 'ETHEREUM' }) },
  { name: 'another chain to end on', poison: (offer) => ({ ...offer, toChain: 'BSC' }) },
  { name: 'another token sold', poison: (offer) => ({ ...offer, sellToken: STRANGER }) },
  { name: 'the coin sold instead', poison: (offer) => ({ ...offer, sellToken: null }) },
  { name: 'another token bought', poison: (offer) => ({ ...offer, buyToken: STRANGER }) },
  { name: 'a larger amount', poison: (offer) => ({ ...offer, amount: offer.amount * 2n }) },
  { name: 'a smaller amount', poison: (offer) => ({ ...offer, amount: offer.amount - 1n }) },
  { name: 'nothing promised', poison: (offer) => ({ ...offer, minimumOut: 0n }) },
  {
    name: 'a least beyond the slippage',
    poison: (offer) => ({ ...offer, minimumOut: offer.minimumOut - 10n ** 15n }),
  },
  {
    name: 'more promised than expected',
    poison: (offer) => ({ ...offer, minimumOut: offer.out + 1n }),
  },
  {
    name: 'a price that loses a tenth',
    poison: (offer) => ({
      ...offer,
      out: (offer.out * 9n) / 10n,
      minimumOut: (offer.minimumOut * 9n) / 10n,
    }),
  },
  { name: 'other decimals', poison: (offer) => ({ ...offer, buyDecimals: 6 }) },
  { name: 'an unknown chain', poison: (offer) => ({ ...offer, toChain: null }) },
  {
    name: 'a transaction of Solana',
    poison: (offer) => ({
      ...offer,
      transaction: {
        kind: 'solana',
        base64: '',
        payer: offer.sender,
        signatures: 1,
        programs: [],
      },
    }),
  },
  { name: 'a call that cannot be read', poison: (offer) => ({ ...offer, call: null }) },
  { name: 'another recipient, in the call alone', poison: reads({ receiver: STRANGER }) },
  { name: 'another chain, in the call alone', poison: reads({ toChain: 'BSC' }) },
  { name: 'another token bought, in the call alone', poison: reads({ buyToken: STRANGER }) },
  { name: 'the coin sold, in the call alone', poison: reads({ sellToken: null }) },
  { name: 'another amount, in the call alone', poison: reads({ amount: 1n }) },
  { name: 'less promised by the call', poison: reads({ minimumOut: 1n }) },
  { name: 'another account to give back to', poison: reads({ refundTo: STRANGER }) },
  { name: 'a contract that is called on the other side', poison: reads({ callsOn: true }) },
];

function reads(changed: Partial<RouteCall>): (offer: RouteOffer) => RouteOffer {
  return (offer) => ({
    ...offer,
    call: offer.call === null ? null : { ...offer.call, ...changed },
  });
}

function withCall(offer: RouteOffer, changed: Partial<OfferedEvmTransaction>): RouteOffer {
  const { transaction } = offer;
  if (transaction.kind !== 'evm') throw new Error('the offers here are of EVM chains');
  return { ...offer, transaction: { ...transaction, ...changed } };
}
