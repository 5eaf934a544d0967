import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

// Asks without a pause on so many connections until it is stopped; a connection that is closed is
// opened again. A thread of its own, so that whoever measures beside it is not kept waiting.

const { port, connections, requests, counts } = workerData;
/** Places of `counts`: whether to stop, and what came of the calls. */
const [STOP, ANSWERED, REFUSED, CLOSED] = [0, 1, 2, 3];
let isOver = false;
let asked = 0;

function nextRequest() {
  asked += 1;
  return requests[asked % requests.length];
}

function open() {
  if (isOver) return;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(nextRequest(), 'latin1'));
  socket.on('data', (chunk) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    const status = Number(text.slice(9, 12));
    if (status === 429 || status === 503) counts[REFUSED] += 1;
    else counts[ANSWERED] += 1;
    text = '';
    if (isOver) socket.destroy();
    else socket.write(nextRequest(), 'latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    counts[CLOSED] += 1;
    if (!isOver) setTimeout(open, 1);
  });
}

for (let count = 0; count < connections; count += 1) open();
setInterval(() => {
  isOver = Atomics.load(counts, STOP) !== 0;
  if (isOver) process.exit(0);
}, 20);
