import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientApplication, type ClientSession, type ClientUser, openSession } from '@bulkhead/client';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { TopFlags } from '../command-line.ts';
import { type IsolationReading, readIsolation } from '../top/isolation-report.ts';
import { ownerTable } from '../top/owner-table.ts';
import { readServerReport, type ServerReport } from '../top/server-report.ts';
import { topTable } from '../top/top-table.ts';
import { askPassword } from './ask-password.ts';

/** Top left, and everything below it erased. */
const CLEAR_SCREEN = '\u001b[H\u001b[J';
/** Lines that are no callers. */
const HEAD_LINES = 6;
const HINT = 'A user with the role SecurityAdmin, ConfigureAdmin or Supervisor (--user) sees owners and what they cost.';
const DEFAULT_LINES = 24;

/**
 * Shows who uses a server until Ctrl-C, or once.
 * @throws UaStatusError when the server can't be reached or says no
 */
export async function runTop(flags: TopFlags): Promise<void> {
  const application = new ClientApplication({ applicationName: 'bulkhead top', pki: { folder: flags.pki } });
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    const session = await connect(application, flags);
    try {
      await show(session, flags, ending.signal);
    } finally {
      await session.close();
    }
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
    await application[Symbol.asyncDispose]();
  }
}

async function connect(application: ClientApplication, { url, unsecured, user, passwordFile, pki }: TopFlags): Promise<ClientSession> {
  try {
    return await openSession(application, {
      endpointUrl: url,
      ...(unsecured ? { security: { mode: 'None' } as const } : {}),
      ...(user === undefined ? {} : { user: await userOf(user, passwordFile) }),
    });
  } catch (error) {
    if (!(error instanceof UaStatusError) || error.statusCode !== StatusCodes.BadCertificateUntrusted) throw error;
    throw new Error(`${error.message}; "bulkhead pki trust <thumbprint> --pki ${pki}" trusts it`, { cause: error });
  }
}

/** Owners with what they cost where this user may see them, else the Sessions of each caller. */
async function show(session: ClientSession, { intervalMs, once }: TopFlags, ending: AbortSignal): Promise<void> {
  const nowMs = (): number => performance.now();
  let look: Look = { text: '', isolation: undefined, report: undefined };
  for (let isFirst = true; !ending.aborted; isFirst = false) {
    look = await nextLook(session, look, nowMs);
    // The first look has nothing to reckon rates from.
    if (!isFirst || !once) print(look.text);
    if (!isFirst && once) return;
    await delay(intervalMs, undefined, { signal: ending }).catch(() => undefined);
  }
}

interface Look {
  readonly text: string;
  readonly isolation: IsolationReading | undefined;
  readonly report: ServerReport | undefined;
}

async function nextLook(session: ClientSession, before: Look, nowMs: () => number): Promise<Look> {
  const isolation = await readIsolation(session, nowMs);
  if (isolation !== undefined) return { text: ownerTable(isolation, before.isolation, maxRows()), isolation, report: undefined };
  const report = await readServerReport(session, nowMs);
  return { text: `${topTable(report, before.report, maxRows())}\n\n${HINT}`, isolation, report };
}

function print(table: string): void {
  process.stdout.write(`${process.stdout.isTTY === true ? CLEAR_SCREEN : ''}${table}\n`);
}

function maxRows(): number {
  if (process.stdout.isTTY !== true) return Number.POSITIVE_INFINITY;
  return Math.max(1, (process.stdout.rows ?? DEFAULT_LINES) - HEAD_LINES);
}

async function userOf(userName: string, passwordFile: string | undefined): Promise<ClientUser> {
  const password =
    passwordFile === undefined
      ? await askPassword(`Password of ${userName}: `)
      : (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/u, '');
  return { kind: 'userName', userName, password };
}
