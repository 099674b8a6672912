const DURATION = /^(?:(\d{1,8})\.)?(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,3})\d{0,4})?$/u;

/**
 * Milliseconds of `hh:mm:ss`, `hh:mm:ss.fff` or `d.hh:mm:ss`; what is finer is cut off.
 * @returns undefined for other text.
 */
export function parseDurationMs(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, days = '0', hours, minutes, seconds, fraction = ''] = match;
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (h > 23 || m > 59 || s > 59) return undefined;
  return (((Number(days) * 24 + h) * 60 + m) * 60 + s) * 1000 + Number(fraction.padEnd(3, '0'));
}
