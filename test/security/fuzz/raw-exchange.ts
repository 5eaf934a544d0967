import { connect } from 'node:net';

/** What is said over a connection of its own, and when it is over. */
export interface RawTalk {
  /**
   * Sent first, its answer's head awaited, and left out of what was heard. A connection that is not
   * upgraded by it hears nothing.
   */
  readonly upgrade?: string;
  /** Sent one a turn. */
  readonly chunks: readonly Buffer[];
  /** Ends the connection once what was heard has it; absent: by silence alone. */
  readonly until?: RegExp;
  /**
   * Time after the last chunk, and where `until` is given after whatever is heard, until we hang
   * up.
   */
  readonly quietMs: number;
}

/** What was heard. */
export interface Heard {
  readonly bytes: Buffer;
  readonly isHung: boolean;
}

/** The server lets go of anybody within its idle time of ten seconds; what takes longer hangs. */
const HANG_MS = 60_000;
const HEAD_END = '\r\n\r\n';
const UPGRADED = 'HTTP/1.1 101';

/** Opens a connection manually, says what there is to say and gives what came. */
export function rawExchange(
  port: number,
  { upgrade, chunks, until, quietMs }: RawTalk,
): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let bytes = Buffer.alloc(0);
    let isOpen = upgrade === undefined;
    let isHung = false;
    let quiet: NodeJS.Timeout | undefined;
    const hang = setTimeout(() => {
      isHung = true;
      socket.destroy();
    }, HANG_MS);
    const hangUpSoon = (): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), quietMs);
    };
    const send = (index: number): void => {
      const chunk = chunks[index];
      if (chunk === undefined || socket.destroyed) hangUpSoon();
      else socket.write(chunk, () => setImmediate(send, index + 1));
    };
    socket.on('data', (data) => {
      bytes = Buffer.concat([bytes, data]);
      if (isOpen && until?.test(bytes.toString('latin1')) === true) socket.end();
      else if (isOpen && until !== undefined) hangUpSoon();
      const end = bytes.indexOf(HEAD_END);
      if (isOpen || end < 0) return;
      isOpen = true;
      bytes = bytes.toString('latin1').startsWith(UPGRADED)
        ? bytes.subarray(end + HEAD_END.length)
        : Buffer.alloc(0);
      send(0);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(hang);
      resolve({ bytes, isHung });
    });
    socket.on('connect', () => {
      if (upgrade === undefined) send(0);
      else socket.write(upgrade, 'latin1');
    });
  });
}
