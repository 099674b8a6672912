import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';

const MAX_BLOCK_MS = 60_000;

/**
 * A TCP proxy whose connections can be cut, as a network does. GET /cut on the control address resets all connections;
 * GET /block?ms=… also refuses new ones for that long.
 * @param isRecording whether it keeps all bytes.
 * @returns `{ port, control, connections, close() }`; `connections` as `captureFile` takes them.
 */
export async function startCutProxy(targetPort, isRecording = false) {
  const connections = [];
  const sockets = new Set();
  let blockedUntilMs = 0;
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const keep = (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const proxy = createServer({ noDelay: true }, (socket) => {
    keep(socket);
    if (performance.now() < blockedUntilMs) {
      socket.resetAndDestroy();
      return;
    }
    const onward = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    keep(onward);
    socket.pipe(onward).pipe(socket);
    if (isRecording) connections.push(recordConnection(targetPort, socket, onward));
    socket.once('close', () => onward.destroy());
    onward.once('close', () => socket.destroy());
  });
  const control = createHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const known = request.method === 'GET' && (pathname === '/cut' || pathname === '/block');
    if (known) {
      if (pathname === '/block') blockedUntilMs = performance.now() + Math.min(Number(searchParams.get('ms') ?? 0), MAX_BLOCK_MS);
      cut();
    }
    response.writeHead(known ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
    response.end(known ? 'done\n' : 'GET /cut or /block?ms=…\n');
  });
  await listen(proxy);
  await listen(control);
  return {
    port: proxy.address().port,
    connections,
    control: `http://127.0.0.1:${control.address().port}`,
    close: () => {
      cut();
      proxy.close();
      control.close();
      control.closeAllConnections();
    },
  };
}

function recordConnection(serverPort, socket, onward) {
  const parts = [];
  socket.on('data', (bytes) => parts.push({ fromClient: true, bytes, atMs: Date.now() }));
  onward.on('data', (bytes) => parts.push({ fromClient: false, bytes, atMs: Date.now() }));
  return { serverPort, parts };
}

function listen(server) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}
