import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as uWebSockets from 'uWebSockets.js';
import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocketBehavior,
} from 'uWebSockets.js';
import { builtData } from '../built-data.ts';
import type { Listener, SocketHandlers } from './listener.ts';

type Uws = typeof uWebSockets;

/** LIBUS_LISTEN_EXCLUSIVE_PORT of the native server. */
const EXCLUSIVE_PORT = 1;

/**
 * Returns a server by uWebSockets.js, whose objects are handed on as they are; null where its
 * native build does not load. The only way to that package: the official build on a newer Node is
 * one alias away (config/README.md).
 */
export async function createUwsListener(): Promise<Listener | null> {
  const uws = await loadUws();
  return uws === null ? null : listenerOf(uws);
}

const BUILD = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/**
 * Loads the native build: of the package, ours or the official one, else the file that our build
 * has taken from it; null without one for this machine and this Node. The package from npm turns
 * into a slow stand-in in JavaScript then, without the guards proven here, so it is asked only
 * where its file is there.
 */
async function loadUws(): Promise<Uws | null> {
  try {
    const uws = isPackaged() ? await packaged() : builtBeside();
    return typeof uws?.SSLApp === 'function' ? uws : null;
  } catch {
    return null;
  }
}

/** Reports whether the installed package has a file for this machine. */
function isPackaged(): boolean {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('uWebSockets.js/package.json'));
    return existsSync(join(folder, 'binaries', BUILD)) || existsSync(join(folder, BUILD));
  } catch {
    return false;
  }
}

async function packaged(): Promise<Uws> {
  // the package is CommonJS, which Node gives as `default`
  const { default: uws } = (await import('uWebSockets.js')) as unknown as { default: Uws };
  return uws;
}

function builtBeside(): Uws | null {
  const file = builtData(`server/${BUILD}`);
  // the native file is the package: nothing of it is written in JavaScript
  return existsSync(file) ? (createRequire(import.meta.url)(file) as Uws) : null;
}

function listenerOf(uws: Uws): Listener {
  const app = uws.App();
  let listening: us_listen_socket | null = null;
  return {
    kind: 'uws',
    onSockets: (paths, handlers) => {
      const behavior = behaviorOf(handlers);
      for (const path of paths) app.ws(path, behavior);
    },
    onCalls: ({ call }) => void app.any('/*', call),
    publish: (channel, text) => void app.publish(channel, text, false),
    listen: async (host, port) => {
      listening = await listenExclusively(app, host, port);
      // us_socket_local_port takes listening sockets too (its own documentation says so); only the
      // declared type is narrower
      return (
        listening &&
        uws.us_socket_local_port(listening as Parameters<typeof uws.us_socket_local_port>[0])
      );
    },
    stopListening: () => {
      if (listening !== null) uws.us_listen_socket_close(listening);
      listening = null;
    },
    close: () => {
      // the native build of version 20.30 has it though its type declarations do not say so
      if ('close' in app && typeof app.close === 'function') app.close();
    },
  };
}

function behaviorOf<Data>(handlers: SocketHandlers<Data>): WebSocketBehavior<Data> {
  const { limits } = handlers;
  return {
    maxPayloadLength: limits.payloadMaximumBytes,
    idleTimeout: limits.idleSeconds,
    maxBackpressure: limits.backlogMaximumBytes,
    closeOnBackpressureLimit: 1,
    sendPingsAutomatically: true,
    upgrade: (response: HttpResponse, request: HttpRequest, context: us_socket_context_t) =>
      handlers.upgrade(response, request, (data) =>
        response.upgrade(
          data,
          request.getHeader('sec-websocket-key'),
          request.getHeader('sec-websocket-protocol'),
          request.getHeader('sec-websocket-extensions'),
          context,
        ),
      ),
    open: (socket) => handlers.open(socket),
    message: (socket, message, isBinary) => handlers.message(socket, message, isBinary),
    close: (socket, _code, message) => handlers.close(socket, isIdle(message) ? 'idle' : 'lost'),
  };
}

/** The server says so in the message of a close that no client sent. */
function isIdle(message: ArrayBuffer): boolean {
  return Buffer.from(message).toString('latin1') === 'WebSocket timed out from inactivity';
}

/**
 * Binds the port for this process alone, said explicitly: builds of the server differ in whether
 * they share a port (SO_REUSEPORT), and two daemons on one port would each get half of the calls.
 */
function listenExclusively(
  app: TemplatedApp,
  host: string,
  port: number,
): Promise<us_listen_socket | null> {
  // the native method takes host, port and options together; only the declared overloads lack that
  // combination
  const listen = app.listen.bind(app) as unknown as (
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ) => TemplatedApp;
  return new Promise((resolve) => {
    listen(host, port, EXCLUSIVE_PORT, (socket) => resolve(socket === false ? null : socket));
  });
}
