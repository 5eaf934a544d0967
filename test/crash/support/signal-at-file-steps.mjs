// Loaded before the daemon and its sandbox world (NODE_OPTIONS): names each durable step a process
// takes in its data folder, and at one of them sends signals. A step is one call that changes a
// file or a folder there, or one commit of LMDB; the log is not one of them. Nothing of the daemon
// knows about this.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const {
  STEPS_FOLDER: folder = '',
  STEPS_NOTES: notes = '',
  STEPS_AT: wanted = '',
  STEPS_MOMENT: wantedMoment = '',
  STEPS_SIGNALS: signals = '',
} = process.env;
const who =
  /\/(\w+)\/main\.js$/.exec(process.argv[1] ?? '')?.[1] === 'sandbox' ? 'world' : 'daemon';
const { appendFileSync, writeFileSync, writeSync } = fs;

const timesMet = new Map();
/** Names of the files that are open, by descriptor. */
const names = new Map();
let isEnding = false;

/**
 * The file's name within the folder, without what differs between lives; null for a name
 * outside it.
 */
function nameOf(file) {
  if (typeof file !== 'string') return names.get(file) ?? null;
  const path = relative(folder, resolve(file));
  if (path.startsWith('..') || path === 'predictd.log') return null;
  return path === ''
    ? 'the folder'
    : path
        .replace(/\.\d+\.new$/, '.new')
        .replace(/(world|segment)\.\d+\.log$/, '$1.n.log')
        .replace(/segment\.\d+-\d+\.gz$/, 'segment.n.gz');
}

/** Comes to a step; gives what is to be called when it has been taken. `half` takes half of it. */
function come(operation, name, half) {
  if (name === null) return () => undefined;
  const kind = `${who} ${isEnding ? 'ending ' : ''}${operation} ${name}`;
  const times = (timesMet.get(kind) ?? 0) + 1;
  timesMet.set(kind, times);
  const step = `${kind} #${times}`;
  appendFileSync(notes, `${half === null ? 'step' : 'write'} ${step}\n`);
  if (step !== wanted) return () => undefined;
  if (wantedMoment === 'within') half?.();
  if (wantedMoment !== 'after') strike(step);
  return () => void (wantedMoment === 'after' && strike(step));
}

/**
 * A kill takes daemon and world at once, as the end of their group does; asked to end is the daemon
 * alone.
 */
function strike(step) {
  appendFileSync(notes, `struck ${wantedMoment} ${step}\n`);
  const daemon = who === 'daemon' ? process.pid : process.ppid;
  for (const signal of signals.split(','))
    process.kill(signal === 'SIGKILL' ? -daemon : daemon, signal);
  // Nothing more is done before the kernel has ended this process.
  if (signals === 'SIGKILL') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function wrap(owner, operation, { name, half = () => null, done = () => undefined }) {
  const original = owner[operation];
  const stepping = function (...args) {
    const taken = come(operation, name(...args), half(...args));
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      args[args.length - 1] = (error, ...results) => {
        done(args, ...results);
        taken();
        callback(error, ...results);
      };
      return original.apply(this, args);
    }
    const result = original.apply(this, args);
    if (typeof result?.then === 'function') return result.then((value) => (taken(), value));
    done(args, result);
    taken();
    return result;
  };
  // What `promisify` looks for lies on the function itself.
  Object.defineProperty(owner, operation, {
    value: Object.defineProperties(stepping, Object.getOwnPropertyDescriptors(original)),
    configurable: true,
    writable: true,
    enumerable: true,
  });
}

const isReading = (flags) => flags === undefined || flags === 'r' || typeof flags === 'function';
const halfOf = (data) => Buffer.from(data).subarray(0, Buffer.byteLength(data) >> 1);
const halfOfFile = (file, data, options) => () => writeFileSync(file, halfOf(data), options);
const halfOfWrite = (handle, data, from, length, place) => () =>
  typeof data === 'string'
    ? writeSync(handle, halfOf(data))
    : writeSync(
        handle,
        data,
        from ?? 0,
        (typeof length === 'number' ? length : data.length) >> 1,
        typeof place === 'number' ? place : null,
      );

for (const each of ['mkdirSync', 'rmSync', 'fsyncSync', 'ftruncateSync', 'ftruncate'])
  wrap(fs, each, { name: nameOf });
wrap(fs, 'renameSync', { name: (_, to) => nameOf(to) });
for (const each of ['openSync', 'open']) {
  wrap(fs, each, {
    name: (file, flags) => (isReading(flags) ? null : nameOf(file)),
    done: ([file], handle) =>
      void (typeof handle === 'number' && names.set(handle, nameOf(String(file)))),
  });
}
for (const each of ['writeSync', 'write']) wrap(fs, each, { name: nameOf, half: halfOfWrite });
for (const owner of [
  [fs, 'writeFileSync'],
  [fs, 'appendFileSync'],
  [fs.promises, 'writeFile'],
])
  wrap(...owner, { name: nameOf, half: halfOfFile });
syncBuiltinESMExports();

// The end begins when the daemon hears of it; the world is notified by the daemon.
const { on } = process;
process.on = function (event, listener) {
  if (event === 'SIGTERM' && who === 'daemon') on.call(process, event, () => (isEnding = true));
  if (event === 'message' && who === 'world')
    on.call(process, event, (message) => (isEnding ||= message?.kind === 'stop'));
  return on.call(process, event, listener);
};

// A test that dies takes its daemon along: its end of this pipe closes with it.
if (who === 'daemon' && isMainThread)
  process.stdin
    .on('end', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
    .unref();

// LMDB writes by itself: when it opens its file, and at each commit.
if (who === 'daemon' && isMainThread) {
  const { nativeAddon } = await import('lmdb');
  const { setNativeFunctions } = await import(
    new URL('native.js', import.meta.resolve('lmdb')).href
  );
  class SteppingEnv extends nativeAddon.Env {}
  for (const each of ['open', 'commitTxn'])
    wrap(SteppingEnv.prototype, each, { name: () => 'store/data.mdb' });
  setNativeFunctions(Object.create(nativeAddon, { Env: { value: SteppingEnv } }));
}
