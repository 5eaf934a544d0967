import uws from 'uWebSockets.js';
import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  WebSocket,
  us_listen_socket,
  us_socket_context_t,
} from 'uWebSockets.js';
import { AppError } from '../domain/errors.ts';

export type { HttpRequest, HttpResponse, TemplatedApp, WebSocket };
/** What an upgrade handler hands back to the server to accept a socket. */
export type UpgradeContext = us_socket_context_t;
/** An open listening socket. */
export type ListenSocket = us_listen_socket;

/**
 * Makes a server application. The only way to uWebSockets.js: the official build on a newer Node is
 * one alias away. Errors: `config_invalid` where the native build did not load, since the package
 * then turns into a slow stand-in in JavaScript without the guards proven here (local-stack.md,
 * "HTTP and WebSocket: uWebSockets.js").
 */
export function createUwsApp(): TemplatedApp {
  if (typeof uws.SSLApp !== 'function') {
    throw new AppError(
      'config_invalid',
      `the native web server did not load on Node ${process.version}; run predictd on Node 20 with glibc 2.36 or newer.`,
    );
  }
  return uws.App();
}

/** Port a listening socket is bound to. */
export function portOf(socket: ListenSocket): number {
  // us_socket_local_port takes listening sockets too (its own documentation says so); only the
  // declared type is narrower
  return uws.us_socket_local_port(socket as Parameters<typeof uws.us_socket_local_port>[0]);
}

/** Stops accepting connections. */
export function closeListenSocket(socket: ListenSocket): void {
  uws.us_listen_socket_close(socket);
}

/**
 * Closes every connection of the application and its listening sockets. The native build of version
 * 20.30 has it though its type declarations do not say so.
 */
export function closeApp(app: TemplatedApp): void {
  if ('close' in app && typeof app.close === 'function') app.close();
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT of the native server. */
const EXCLUSIVE_PORT = 1;

/**
 * Binds the port for this process alone, said explicitly: builds of the server differ in whether
 * they share a port (SO_REUSEPORT), and two daemons on one port would each get half of the calls.
 * Gives null when the port is taken.
 */
export function listenExclusively(
  app: TemplatedApp,
  host: string,
  port: number,
): Promise<ListenSocket | null> {
  // the native method takes host, port and options together; only the declared overloads lack that
  // combination
  const listen = app.listen.bind(app) as unknown as (
    host: string,
    port: number,
    options: number,
    done: (socket: ListenSocket | false) => void,
  ) => TemplatedApp;
  return new Promise((resolve) => {
    listen(host, port, EXCLUSIVE_PORT, (socket) => resolve(socket === false ? null : socket));
  });
}
