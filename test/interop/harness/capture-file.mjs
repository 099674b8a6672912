const MAGIC = 0xa1b2c3d4;
const LINK_TYPE_RAW_IP = 101;
const MAX_PACKET_BYTES = 65_535;
/** Leaves room for the headers in a packet's 16-bit length. */
const MAX_SEGMENT_BYTES = 60_000;
const IP_HEADER_BYTES = 20;
const TCP_HEADER_BYTES = 20;
const CLIENT_ADDRESS = [10, 0, 0, 1];
const SERVER_ADDRESS = [10, 0, 0, 2];
const FIRST_CLIENT_PORT = 50_000;
const TCP = 6;
const [SYN, ACK, PUSH_ACK, FIN_ACK] = [0x02, 0x10, 0x18, 0x11];

/**
 * Recorded connections as a pcap file, with made-up TCP around their bytes.
 * @param connections `[{ serverPort, parts: [{ fromClient, bytes, atMs }] }]`
 */
export function captureFile(connections) {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(MAX_PACKET_BYTES, 16);
  header.writeUInt32LE(LINK_TYPE_RAW_IP, 20);
  return Buffer.concat([header, ...connections.flatMap((connection, i) => connectionPackets(connection, FIRST_CLIENT_PORT + i))]);
}

function connectionPackets({ serverPort, parts }, clientPort) {
  const next = { client: 1, server: 1 };
  let atMs = parts[0]?.atMs ?? 0;
  const packet = (fromClient, flags, bytes = Buffer.alloc(0)) => {
    const [sender, receiver] = fromClient ? ['client', 'server'] : ['server', 'client'];
    const ports = fromClient ? [clientPort, serverPort] : [serverPort, clientPort];
    // A SYN takes the number before the first byte.
    const sequence = next[sender] - ((flags & SYN) === 0 ? 0 : 1);
    const ip = ipPacket(fromClient, tcpSegment(ports, sequence, (flags & ACK) === 0 ? 0 : next[receiver], flags, bytes));
    next[sender] += bytes.length;
    return record(atMs, ip);
  };
  const packets = [packet(true, SYN), packet(false, SYN | ACK), packet(true, ACK)];
  for (const { fromClient, bytes, atMs: partAtMs } of parts) {
    atMs = partAtMs;
    for (let from = 0; from < bytes.length; from += MAX_SEGMENT_BYTES) {
      packets.push(packet(fromClient, PUSH_ACK, bytes.subarray(from, from + MAX_SEGMENT_BYTES)));
    }
  }
  packets.push(packet(true, FIN_ACK));
  return packets;
}

function record(atMs, packet) {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(atMs / 1000), 0);
  header.writeUInt32LE(Math.floor((atMs % 1000) * 1000), 4);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return Buffer.concat([header, packet]);
}

/** Without checksums, which tshark doesn't check unless told to. */
function ipPacket(fromClient, segment) {
  const header = Buffer.alloc(IP_HEADER_BYTES);
  header[0] = 0x45;
  header.writeUInt16BE(IP_HEADER_BYTES + segment.length, 2);
  header[8] = 64;
  header[9] = TCP;
  header.set(fromClient ? CLIENT_ADDRESS : SERVER_ADDRESS, 12);
  header.set(fromClient ? SERVER_ADDRESS : CLIENT_ADDRESS, 16);
  return Buffer.concat([header, segment]);
}

function tcpSegment([sourcePort, targetPort], sequence, acknowledgement, flags, bytes) {
  const header = Buffer.alloc(TCP_HEADER_BYTES);
  header.writeUInt16BE(sourcePort, 0);
  header.writeUInt16BE(targetPort, 2);
  header.writeUInt32BE(sequence, 4);
  header.writeUInt32BE(acknowledgement, 8);
  header[12] = (TCP_HEADER_BYTES / 4) << 4;
  header[13] = flags;
  header.writeUInt16BE(65_535, 14);
  return Buffer.concat([header, bytes]);
}
