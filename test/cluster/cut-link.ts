import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way of one machine to another, which can be cut: what was sent meanwhile arrives late. */
export interface CutLink {
  readonly port: number;
  /** Nothing arrives any more, and connections stay open. */
  cut(): void;
  /** Delivers what was held back, and goes on. */
  mend(): void;
  close(): Promise<void>;
}

/** Relays connections to a port of this machine. */
export async function openCutLink(target: number): Promise<CutLink> {
  const sides = new Set<Socket>();
  let isCut = false;
  const relay = (from: Socket, to: Socket): void => {
    sides.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.once('close', () => {
      sides.delete(from);
      to.destroy();
    });
    if (isCut) from.pause();
  };
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1');
    relay(from, to);
    relay(to, from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A server that listens on a port has such an address.
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const side of sides) side.pause();
    },
    mend() {
      isCut = false;
      for (const side of sides) side.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const side of sides) side.destroy();
      }),
  };
}
