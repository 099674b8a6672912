import { type StatusCode, StatusCodes } from '@bulkhead/types';

const names: ReadonlyMap<StatusCode, string> = new Map(Object.entries(StatusCodes).map(([name, code]) => [code, name]));

/** A code by its name, so that a failing test says what came. */
export function statusName(status: StatusCode): string {
  return names.get(status) ?? `0x${status.toString(16)}`;
}

/** The name of the code that an opening of a channel was refused with; `opened` when it wasn't. */
export async function refusalOf(opening: Promise<unknown>): Promise<string> {
  try {
    await opening;
    return 'opened';
  } catch (error) {
    const code = /ERR 0x([0-9a-f]+)/u.exec((error as Error).message)?.[1];
    if (code === undefined) throw error;
    return statusName(Number.parseInt(code, 16));
  }
}
