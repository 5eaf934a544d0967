import { UNSTATED } from '../../../domain/book-fold.ts';
import { CHANGES_MAXIMUM, type ChangeBatch } from './change-batch.ts';
import type { TokenTable } from './token-table.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const UNREADABLE = -2;

/** Members of a frame and of a change; each may stand once, in any order. */
const MARKET = 1;
const EVENT_TYPE = 2;
const TIMESTAMP = 4;
const CHANGES = 8;
const FRAME_NEEDED = MARKET | EVENT_TYPE | TIMESTAMP | CHANGES;
const ASSET = 1;
const PRICE = 2;
const SIZE = 4;
const SIDE = 8;
const HASH = 16;
const BEST_BID = 32;
const BEST_ASK = 64;
const CHANGE_NEEDED = ASSET | PRICE | SIZE | SIDE;

const POWERS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii');
const KEY = {
  market: ascii('"market":"'),
  eventType: ascii('"event_type":"price_change"'),
  timestamp: ascii('"timestamp":"'),
  changes: ascii('"price_changes":['),
  asset: ascii('"asset_id":"'),
  price: ascii('"price":"'),
  size: ascii('"size":"'),
  side: ascii('"side":"'),
  hash: ascii('"hash":"'),
  bestBid: ascii('"best_bid":"'),
  bestAsk: ascii('"best_ask":"'),
  buy: ascii('BUY"'),
  sell: ascii('SELL"'),
};

/**
 * Bytes that stand for themselves inside a JSON string: printable ASCII without quote and
 * backslash.
 */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== 0x5c ? 1 : 0,
);

/**
 * Reads the venue's `price_change` frames straight from their bytes. It knows exactly one dialect:
 * compact JSON of the known members as the venue writes it. Whatever differs (a space, an escape,
 * an unknown or repeated member, an unusual number, another event) it refuses, and the caller reads
 * the frame the slow and complete way.
 */
export class PriceChangeScanner {
  private readonly table: TokenTable;
  private readonly batch: ChangeBatch;
  private frame: Uint8Array = new Uint8Array();
  private at = 0;

  constructor(table: TokenTable, batch: ChangeBatch) {
    this.table = table;
    this.batch = batch;
  }

  /**
   * Fills the batch; false when the frame is not of the known dialect, and then the batch holds
   * nothing of use.
   */
  scan(frame: Uint8Array): boolean {
    this.frame = frame;
    this.batch.clear();
    if (frame[0] !== 0x7b) return false;
    this.at = 1;
    let seen = 0;
    for (;;) {
      const member = this.frameMember();
      if (member === 0 || (seen & member) !== 0) return false;
      seen |= member;
      const next = frame[this.at];
      this.at += 1;
      if (next === 0x7d) break;
      if (next !== COMMA) return false;
    }
    return seen === FRAME_NEEDED && this.at === frame.length;
  }

  private frameMember(): number {
    switch (this.frame[this.at + 1]) {
      case 0x6d:
        return this.skip(KEY.market) && this.plainText() ? MARKET : 0;
      case 0x65:
        return this.skip(KEY.eventType) ? EVENT_TYPE : 0;
      case 0x74:
        return this.skip(KEY.timestamp) && this.timestamp() ? TIMESTAMP : 0;
      case 0x70:
        return this.skip(KEY.changes) && this.changes() ? CHANGES : 0;
      default:
        return 0;
    }
  }

  private timestamp(): boolean {
    const { frame } = this;
    const start = this.at;
    let value = 0;
    for (;;) {
      const digit = (frame[this.at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      this.at += 1;
    }
    const length = this.at - start;
    if (length < 10 || length > 15 || frame[this.at] !== QUOTE) return false;
    this.at += 1;
    this.batch.venueAtMs = value;
    return true;
  }

  private changes(): boolean {
    for (;;) {
      if (this.batch.count === CHANGES_MAXIMUM || !this.change()) return false;
      const next = this.frame[this.at];
      this.at += 1;
      if (next === 0x5d) return true;
      if (next !== COMMA) return false;
    }
  }

  private change(): boolean {
    const { frame, table } = this;
    if (frame[this.at] !== 0x7b) return false;
    this.at += 1;
    let seen = 0;
    let token = null;
    let isBid = false;
    let price = 0;
    let size = 0;
    let bid = UNSTATED;
    let ask = UNSTATED;
    for (;;) {
      const member = this.changeMember();
      if (member === 0 || (seen & member) !== 0) return false;
      seen |= member;
      if (member === ASSET) {
        token = table.at(frame, this.at);
        if (token !== null) this.at += token.idBytes.length + 1;
        else if (!this.digits()) return false;
      } else if (member === PRICE) {
        price = this.price();
        if (price <= 0) return false;
      } else if (member === SIZE) {
        size = this.size();
        if (size < 0) return false;
      } else if (member === SIDE) {
        isBid = frame[this.at] === 0x42;
        if (!this.skip(isBid ? KEY.buy : KEY.sell)) return false;
      } else if (member === HASH) {
        if (!this.plainText()) return false;
      } else if (member === BEST_BID) {
        bid = this.bestPrice();
        if (bid < 0) return false;
      } else {
        ask = this.bestPrice();
        if (ask < 0) return false;
      }
      const next = frame[this.at];
      this.at += 1;
      if (next === 0x7d) break;
      if (next !== COMMA) return false;
    }
    if ((seen & CHANGE_NEEDED) !== CHANGE_NEEDED) return false;
    this.batch.add(token, { isBid, price, size, bid, ask });
    return true;
  }

  /**
   * Which member begins here, with its key and opening quote passed over; 0 for none that is known.
   */
  private changeMember(): number {
    const { frame, at } = this;
    switch (frame[at + 1]) {
      case 0x61:
        return this.skip(KEY.asset) ? ASSET : 0;
      case 0x70:
        return this.skip(KEY.price) ? PRICE : 0;
      case 0x68:
        return this.skip(KEY.hash) ? HASH : 0;
      case 0x73:
        return frame[at + 3] === 0x7a
          ? this.skip(KEY.size)
            ? SIZE
            : 0
          : this.skip(KEY.side)
            ? SIDE
            : 0;
      case 0x62:
        return frame[at + 6] === 0x62
          ? this.skip(KEY.bestBid)
            ? BEST_BID
            : 0
          : this.skip(KEY.bestAsk)
            ? BEST_ASK
            : 0;
      default:
        return 0;
    }
  }

  private skip(key: Uint8Array): boolean {
    const { frame, at } = this;
    const length = key.length;
    for (let index = 0; index < length; index += 1)
      if (frame[at + index] !== key[index]) return false;
    this.at = at + length;
    return true;
  }

  private plainText(): boolean {
    const { frame } = this;
    let { at } = this;
    while (PLAIN[frame[at] ?? 0] === 1) at += 1;
    this.at = at + 1;
    return frame[at] === QUOTE;
  }

  private digits(): boolean {
    const { frame } = this;
    const start = this.at;
    let at = start;
    for (;;) {
      const digit = (frame[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      at += 1;
    }
    this.at = at + 1;
    return frame[at] === QUOTE && at > start && at - start <= 78;
  }

  /** Ticks of "0.47" or ".47" with at most four decimals, and the closing quote. */
  private price(): number {
    const { frame } = this;
    let { at } = this;
    if (frame[at] === ZERO) at += 1;
    if (frame[at] !== POINT) return UNREADABLE;
    at += 1;
    const start = at;
    let value = 0;
    for (;;) {
      const digit = (frame[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at += 1;
    }
    const decimals = at - start;
    if (decimals < 1 || decimals > 4 || frame[at] !== QUOTE) return UNREADABLE;
    this.at = at + 1;
    return value * (POWERS[4 - decimals] ?? 0);
  }

  /** As `price`, and 0 for an empty text, "0" or "1": a side without orders. */
  private bestPrice(): number {
    const { frame, at } = this;
    if (frame[at] === QUOTE) {
      this.at = at + 1;
      return 0;
    }
    if (frame[at + 1] === QUOTE && (frame[at] === ZERO || frame[at] === ZERO + 1)) {
      this.at = at + 2;
      return 0;
    }
    return this.price();
  }

  /**
   * Micro-shares of a decimal with at most nine digits before and six behind the point, and the
   * closing quote.
   */
  private size(): number {
    const { frame } = this;
    const start = this.at;
    let at = start;
    let value = 0;
    for (;;) {
      const digit = (frame[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at += 1;
    }
    if (at === start || at - start > 9) return UNREADABLE;
    let decimals = 0;
    if (frame[at] === POINT) {
      at += 1;
      const point = at;
      for (;;) {
        const digit = (frame[at] ?? 0) - ZERO;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        at += 1;
      }
      decimals = at - point;
    }
    if (decimals > 6 || frame[at] !== QUOTE) return UNREADABLE;
    this.at = at + 1;
    return value * (POWERS[6 - decimals] ?? 0);
  }
}
