import type { Meaning } from './reason.ts';

/**
 * What became of the transaction of the user's own account that an order is, in the words of that
 * account's queue: no venue has refused anything there.
 */
export const TRADED_TRANSACTION_MEANINGS: readonly Meaning[] = [
  {
    words: /minimum buy amount not reached|maximum sell amount exceeded/i,
    sentence: 'The pool’s price moved beyond the worst one that the order takes.',
  },
  {
    words: /^the chain ran it and took everything back$/,
    sentence:
      'Its transaction was reverted on the chain, as it is when the price has moved beyond the worst one that the order takes; nothing but gas was spent.',
    isOwn: true,
  },
  {
    words: /^given up: insufficient funds for gas$/,
    sentence: 'The wallet held too little of its chain’s coin for gas; nothing was traded.',
    isOwn: true,
  },
  {
    words: /^given up: (?:not executed in time|(.*))$/s,
    sentence: 'No block took its transaction in time, and it was given up; nothing was traded.',
    isOwn: true,
  },
  {
    words: /^another transaction of the account used its nonce$/,
    sentence: 'Another transaction of the wallet took the place of its own; nothing was traded.',
    isOwn: true,
  },
  {
    words:
      /^(?:the venue took no orders in time: )?no transaction was made of it in its time$|^it could not be sent in time$/,
    sentence: 'Its time passed before it could be sent; nothing was sent.',
    isOwn: true,
  },
  {
    words: /^the venue took no orders in time: \d+ transactions wait for this account already$/,
    sentence: 'As many transactions of the wallet waited as may; nothing was sent.',
    isOwn: true,
  },
  {
    words: /^its block was taken back$/,
    sentence: 'The block it was in was taken back; the chain is asked what becomes of it.',
    isOwn: true,
  },
  {
    words: /^undone: /,
    sentence:
      'The chain removed the block it was in, and did not carry it out again: nothing but gas was spent.',
    isOwn: true,
  },
  {
    words: /^chain \d+ refused the call: .*allowance/is,
    sentence: 'Your wallet has not let the contract take what the order spends; nothing was sent.',
  },
  {
    words: /^chain \d+ refused the call: .*(?:exceeds balance|insufficient ?balance)/is,
    sentence: 'Your wallet held too little for it when its turn came; nothing was sent.',
  },
  {
    words: /^chain \d+ refused the call: /,
    sentence: 'The contract would have refused it, so that nothing was sent.',
  },
];
