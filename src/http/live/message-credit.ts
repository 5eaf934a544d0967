import { SURFACE } from '../../../config/limits.ts';

/** How many messages a client may still send: `SURFACE.socketMessagesBurst` at once, `SURFACE.socketMessagesPerSecond` over time. */
export class MessageCredit {
  private credit: number = SURFACE.socketMessagesBurst;
  private atMs: number;

  constructor(nowMs: number) {
    this.atMs = nowMs;
  }

  /** Takes one message from the credit at `nowMs`, epoch ms; false when there is none left. */
  spend(nowMs: number): boolean {
    const earned = ((nowMs - this.atMs) * SURFACE.socketMessagesPerSecond) / 1_000;
    this.credit = Math.min(SURFACE.socketMessagesBurst, this.credit + earned) - 1;
    this.atMs = nowMs;
    return this.credit >= 0;
  }
}
