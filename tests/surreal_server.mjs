// SurrealDB 3.0.2 (@surrealdb/node) behind a loopback websocket: /rpc in CBOR, a session for each client.
// node surreal_server.mjs mem://        prints HOST:PORT when it listens; node_modules is looked for in
// the working directory. The engine answers without the id of a request, and tells of LIVE queries
// without a frame: both are added here, byte by byte. Every client is told; the SDK drops what is
// not its own.
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';

const require = createRequire(process.cwd() + '/x.js');
const { WebSocketServer } = require('ws');
const binding = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
const { SurrealNodeEngine } = require(`./node_modules/@surrealdb/node/dist/surrealdb-node.${binding}.node`);

const capabilities = { live_query_notifications: true, functions: true, guest_access: true };
const engine = await SurrealNodeEngine.connect(process.argv[2] ?? 'mem://', { capabilities });
const notifications = await engine.notifications();

const text = (word) => Buffer.from([0x60 | word.length, ...Buffer.from(word)]);
const longText = (word) => Buffer.concat([Buffer.from([0x79, word.length >> 8, word.length & 255]), word]);
const map = (count, ...parts) => Buffer.concat([Buffer.from([0xa0 | count]), ...parts]);

function idOf(data) { // the text that follows the key "id"
  const at = data.indexOf(text('id')) + 3;
  const head = data[at];
  return head === 0x78 ? data.subarray(at, at + 2 + data[at + 1]) : data.subarray(at, at + 1 + (head & 31));
}

function within(data, session) { // one more key of its map
  const whole = Buffer.concat([data, text('session'), session]);
  whole[0] += 1;
  return whole;
}

async function answer(data) {
  let out;
  try {
    out = Buffer.from(await engine.execute(new Uint8Array(data)));
  } catch (error) {
    const message = longText(Buffer.from(String(error).slice(0, 2000)));
    out = map(1, text('error'), map(2, text('code'), Buffer.from([0x20]), text('message'), message));
  }
  const failed = out.subarray(0, 7).equals(map(1, text('error')));
  const body = failed ? out.subarray(1) : Buffer.concat([text('result'), out]);
  return map(2, body, text('id'), idOf(data));
}

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, path: '/rpc', maxPayload: 2 ** 29, handleProtocols: () => 'cbor',
});
server.on('listening', () => console.log(`127.0.0.1:${server.address().port}`));
server.on('connection', (client) => {
  const own = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  const session = Buffer.concat([Buffer.from([0xd8, 0x25, 0x50]), own]);
  const call = (method) => answer(within(map(2, text('id'), text('0'), text('method'), text(method)), session));
  const attached = call('attach');
  client.on('message', async (data) => {
    await attached;
    client.send(await answer(within(data, session)));
  });
  client.on('close', () => call('detach'));
});

for (;;) {
  const news = await notifications.recv();
  if (news === null) break;
  for (const client of server.clients) client.send(map(1, text('result'), Buffer.from(news)));
}
