import { API } from '../../../config/limits/api.ts';

/**
 * How many messages a client may still send: `API.socketMessagesBurst` at once,
 * `API.socketMessagesPerSecond` over time.
 */
export class MessageCredit {
  private credit: number = API.socketMessagesBurst;
  private atMs: number;

  constructor(nowMs: number) {
    this.atMs = nowMs;
  }

  /** Takes one message from the credit at `nowMs`, epoch ms; false when it is used up. */
  spend(nowMs: number): boolean {
    const earned = ((nowMs - this.atMs) * API.socketMessagesPerSecond) / 1_000;
    this.credit = Math.min(API.socketMessagesBurst, this.credit + earned) - 1;
    this.atMs = nowMs;
    return this.credit >= 0;
  }
}
