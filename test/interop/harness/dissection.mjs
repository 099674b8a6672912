import { writeFile } from 'node:fs/promises';
import { captureFile } from './capture-file.mjs';
import { runToEnd } from './tools.mjs';

const MAX_SHOWN = 5;
const MAX_OUTPUT_CHARACTERS = 16_000_000;
const NONE = Buffer.from('http://opcfoundation.org/UA/SecurityPolicy#None');
const OPEN = Buffer.from('OPNF');
/** Also of malformed messages. `_ws.malformed` alone takes in tshark's own doubts about the 64-bit number of an EnumValueType. */
const FAULTS = '_ws.expert.severity == error';

/**
 * Lets tshark read the unsecured ones of some recorded connections.
 * @returns `{ messages, problem }`: how many messages it found, and what it complains about.
 */
export async function dissect(connections, file) {
  const readable = connections.filter(isUnsecured);
  await writeFile(file, captureFile(readable));
  const port = readable[0]?.serverPort;
  if (port === undefined) return { messages: 0, problem: 'no unsecured connection was recorded' };
  const messages = await tshark(file, port, 'opcua.transport.type');
  const faults = await tshark(file, port, FAULTS);
  if (messages.length === 0) return { messages: 0, problem: 'tshark finds no OPC UA message' };
  return {
    messages: messages.length,
    problem: faults.length === 0 ? undefined : `tshark complains of ${faults.length} frames: ${faults.slice(0, MAX_SHOWN).join('; ')}`,
  };
}

/** By the policy in the first OpenSecureChannel message of the client. */
function isUnsecured({ parts }) {
  const sent = Buffer.concat(parts.filter(({ fromClient }) => fromClient).map(({ bytes }) => bytes));
  const open = sent.indexOf(OPEN);
  return open !== -1 && sent.subarray(open, open + 200).includes(NONE);
}

/** A line for each frame that a filter lets through. @throws Error where tshark doesn't run. */
async function tshark(file, port, filter) {
  const command = ['tshark', '-r', file, '-n', '-d', `tcp.port==${port},opcua`, '-Y', filter];
  const fields = ['-T', 'fields', '-e', 'frame.number', '-e', '_ws.col.Info'];
  const { code, output } = await runToEnd([...command, ...fields], { maxCharacters: MAX_OUTPUT_CHARACTERS });
  if (code !== 0) throw new Error(`tshark ended with ${code}: ${output.slice(0, 1000)}`);
  // Its warnings are among the lines.
  return output.split('\n').filter((line) => /^\d+\t/u.test(line));
}
